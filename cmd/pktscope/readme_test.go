package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/pcap/live"
)

// The README's example protocol is one: no error, no warning, and written as `schema fmt` writes it.
func TestReadmeProtocol(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, src, ok := strings.Cut(string(text), "```\nprotocol mygame\n")
	src, _, ok2 := strings.Cut(src, "```\n")
	if !ok || !ok2 {
		t.Fatal("the README has no protocol mygame")
	}
	s, diags := schema.Load("README.md", []byte("protocol mygame\n"+src), nil)
	if s == nil || len(diags) > 0 {
		t.Fatalf("%v", diags)
	}
	if formatted, _ := syntax.Format("README.md", []byte("protocol mygame\n"+src)); string(formatted) != "protocol mygame\n"+src {
		t.Errorf("schema fmt writes\n%s", formatted)
	}
	if p, diags := plan.Compile(s); p == nil || len(diags) > 0 {
		t.Errorf("%v", diags)
	}
}

// readmeReader writes the files of the README's reader to a directory, and gives the blocks of that section, at odd
// indexes.
func readmeReader(t *testing.T, text, dir string) []string {
	t.Helper()
	_, section, _ := strings.Cut(text, "## Your own reader\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := strings.Split(section, "```")
	if len(blocks) != 11 {
		t.Fatalf("want five blocks, got %d", len(blocks)/2)
	}
	for name, block := range map[string]string{"reader.hpp": strings.TrimPrefix(blocks[1], "cpp"), "shot.pks": blocks[3]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return blocks
}

// What the README says of a reader of one's own works as it is written: its files, its commands, its finding.
func TestReadmeReader(t *testing.T) {
	for _, tool := range []string{"g++", "sh", "sed"} {
		need.Program(t, need.CXX, tool)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	blocks := readmeReader(t, string(text), dir)
	cmd := exec.Command("sh", "-e")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(blocks[5])
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitFindings {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := strings.Trim(blocks[7], "\n"); !strings.Contains(string(out), want) {
		t.Errorf("want %q in\n%s", want, out)
	}
}

// Each command of the README runs as it is written, one after the other, in a directory that has the clone's corpus and the
// files that the README shows. Two are left out: what wants a terminal, and what wants root.
func TestReadmeCommands(t *testing.T) {
	for _, tool := range []string{"g++", "sh", "sed", "jq"} {
		need.Program(t, need.CXX, tool)
	}
	source, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, ran := t.TempDir(), 0
	here, err := filepath.Abs("../../corpus")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(here, filepath.Join(dir, "corpus")); err != nil {
		t.Fatal(err)
	}
	readmeReader(t, string(source), dir)
	_, protocol, _ := strings.Cut(string(source), "```\nprotocol mygame\n")
	protocol, _, _ = strings.Cut(protocol, "```\n")
	if err := os.WriteFile(filepath.Join(dir, "mygame.pks"), []byte("protocol mygame\n"+protocol), 0o600); err != nil {
		t.Fatal(err)
	}
	wants := map[string]int{"audit": exitFindings, "fuzz": exitFindings}
	for i, block := range strings.Split(string(source), "```") {
		if i%2 == 0 || !strings.HasPrefix(block, "\npktscope ") {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSpace(regexp.MustCompile(`\|\n +`).ReplaceAllString(block, "| ")), "\n") {
			words := strings.Fields(line)
			if words[0] == "pktscope" && (words[1] == "view" || words[1] == "live") {
				continue
			}
			ran++
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
			if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != wants[words[1]] {
				t.Errorf("%s: exit %d\n%s", line, cmd.ProcessState.ExitCode(), out)
			}
		}
	}
	if ran < 18 {
		t.Errorf("only %d commands were run", ran)
	}
}

// The speeds of the README are those of the benchmark's own tables, with what is faster.
func TestReadmeSpeeds(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"../../README.md", "bench/README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	ours, measured := texts["../../README.md"], texts["bench/README.md"]
	found := regexp.MustCompile(`(?m)^\| flat97: 88 fields in 180 bytes \| read \| (\S+) \| (\S+) \|`).FindStringSubmatch(measured)
	if found == nil || !strings.Contains(ours, fmt.Sprintf("reads 88 fields in %s ns and generated Go in %s.", found[1], found[2])) {
		t.Errorf("want the README to have %q", found)
	}
	_, table, _ := strings.Cut(ours, "| a million R-Type packets | packets/s |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.SplitSeq(table, "\n") {
		if !strings.Contains(measured, "\n"+row) {
			t.Errorf("the benchmark's table has no row that begins with %s", row)
		}
	}
	if rows := strings.Count(table, "\n"); rows < 4 || !strings.Contains(table, "tcpdump -w /dev/null") {
		t.Errorf("%d rows", rows)
	}
}

// The README's gallery is what `protocols --table` prints.
func TestReadmeGallery(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pktscope", "protocols", "--table").Output()
	if err != nil || !strings.Contains(string(text), "\n\n"+string(out)+"\n") {
		t.Errorf("%v: the README's gallery is not\n%s", err, out)
	}
}

// Each schema of the gallery is shown by the README's command: on its capture, or on packets that are made.
func TestGalleryCommands(t *testing.T) {
	for i, row := range corpus.Gallery {
		if !need.OneIn(i, 12) {
			continue
		}
		script := "pktscope corpus gen -q -c 20 -p " + row.Protocol + " -o - | pktscope decode -p " + row.Protocol + " -"
		if strings.HasSuffix(row.Capture, ".pcap") {
			script = "pktscope decode -p " + row.Protocol + " ../../" + row.Capture
		}
		cmd := exec.Command("bash", "-o", "pipefail", "-c", script)
		var summary strings.Builder
		cmd.Stderr = &summary
		if out, err := cmd.Output(); err != nil || strings.Count(string(out), "\n") < 10 || !strings.Contains(summary.String(), "accepted") {
			t.Errorf("%s: %v\n%s", script, err, summary.String())
		}
	}
}

// The README is a front door: two commands run the main job and the tests of a clone, and what is longer goes to
// `pktscope help` and to the packages.
func TestReadmeLength(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 250 {
		t.Errorf("want at most 250 lines, got %d: say it in a command's help, and here where that is", n)
	}
	if !strings.Contains(string(text), "\n```\ngo run ./cmd/pktscope decode corpus/rtype.pcap\ngo test ./...\n```\n") {
		t.Error("the two commands of a fresh machine are not there")
	}
}

// What the README shows of a command is what it prints: each line that begins with "$ " is run at the top.
func TestReadmeShown(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 0 || !strings.HasPrefix(block, "\n$ ") {
			continue
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(block, "\n$ "), "\n$ ") {
			shown++
			line, want, _ := strings.Cut(part, "\n")
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = "../.."
			got, err := cmd.Output()
			if err != nil || strings.TrimRight(string(got), "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("%s: %v, got\n%swant\n%s", line, err, got, want)
			}
		}
	}
	if shown < 3 {
		t.Errorf("the README shows %d commands", shown)
	}
}

// shownCommands splits the command lines of pktscope in a text, without what they are piped to, and without comments.
func shownCommands(t *testing.T, text string) (lines [][]string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "$ "), " #")
		if !strings.Contains(line, "pktscope ") {
			continue
		}
		words, err := process.Split(strings.TrimSuffix(line, "\\"))
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for len(words) > 0 {
			end := slices.IndexFunc(words, func(word string) bool { return slices.Contains([]string{"|", "&&", ">", ">>", "&", "<"}, word) })
			if end < 0 {
				end = len(words)
			}
			if end > 0 && words[0] == "pktscope" {
				lines = append(lines, words[1:end])
			}
			words = words[min(end+1, len(words)):]
		}
	}
	return lines
}

// A usage line such as "infer FILE... [flags]" says that there are arguments; "audit -p PROTOCOL [flags]" that there are none.
var (
	flagsInUse     = regexp.MustCompile(`--?[a-z]+ [A-Z]+`)
	takesArguments = regexp.MustCompile(`\b[A-Z]{2}|\bA B\b|\[[A-Z]`)
)

// Every command line that the README and help show has a command, flags and arguments that exist.
func TestShownCommandsExist(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 1 {
			texts["README.md"] += block
		}
	}
	fresh := func() *cobra.Command {
		p := &program{stdin: strings.NewReader(""), stdout: os.Stdout, stderr: os.Stderr}
		p.out = newOutput(os.Stdout)
		return newRoot(p)
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		texts[cmd.CommandPath()] = cmd.Example + "\n"
		for line := range strings.Lines(cmd.Long) {
			if strings.HasPrefix(line, "  pktscope ") {
				texts[cmd.CommandPath()] += line
			}
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(fresh())
	looked := 0
	for name, text := range texts {
		for _, args := range shownCommands(t, text) {
			looked++
			cmd, rest, err := fresh().Find(args)
			if err == nil {
				cmd.InitDefaultHelpFlag()
				err = cmd.ParseFlags(rest)
			}
			if filter := cmd.Flags().ShorthandLookup("f"); err == nil && cmd.Name() == "live" && filter.Changed && filter.Value.String()[0] != '@' {
				_, err = live.ParseFilter(filter.Value.String())
			}
			if given := cmd.Flags().Args(); err == nil && cmd.Name() != "help" {
				if err = cmd.ValidateArgs(given); err == nil && len(given) > 0 && !takesArguments.MatchString(flagsInUse.ReplaceAllString(cmd.Use, "")) {
					err = fmt.Errorf("its usage line has no argument for %q", given)
				}
			}
			if err != nil {
				t.Errorf("%s shows pktscope %s: %v", name, strings.Join(args, " "), err)
			}
		}
	}
	if looked < 100 {
		t.Errorf("only %d command lines", looked)
	}
}
