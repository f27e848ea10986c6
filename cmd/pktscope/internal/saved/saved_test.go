package saved_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
)

const session = "../../testdata/rtype-session.pcap"

// program is the directory of the program, which the first test that asks for it builds.
var program string

func TestMain(m *testing.M) {
	code := m.Run()
	if program != "" {
		_ = os.RemoveAll(program)
	}
	os.Exit(code)
}

// build builds the program once, and tries that `help json` shows the two schemas by which its output is judged.
func build(t *testing.T) string {
	t.Helper()
	if program != "" {
		return filepath.Join(program, "pktscope")
	}
	dir, err := os.MkdirTemp("", "pktscope")
	if err != nil {
		t.Fatal(err)
	}
	program = dir
	pktscope := filepath.Join(dir, "pktscope")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", pktscope, "github.com/pktscope/pktscope/cmd/pktscope").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	help := run(t, pktscope, "help", "json")
	for _, schema := range []string{report.PacketSchema, results.Schema()} {
		if !bytes.Contains(help, []byte(strings.TrimSpace(schema))) {
			t.Errorf("help json does not show the schema %.80s…", schema)
		}
	}
	return pktscope
}

func run(t *testing.T, pktscope string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(pktscope, args...).Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out
}

// validator judges an object by a schema.
func validator(t *testing.T, schema string) func(object []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(object []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(object))
		if err != nil {
			t.Fatalf("%v in %.300s", err, object)
		}
		return compiled.Validate(value)
	}
}

// What every command saves fits the JSON Schema of saved results, and little else does. With -short it is one command.
func TestSavedSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds pktscope")
	}
	pktscope, valid, dir := build(t), validator(t, results.Schema()), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("small.pks"), []byte("protocol small\norder lsb\npacket { n int(0..4) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Each packet costs a process.
	target := []string{"-p", path("small.pks"), "--target", "exec:true", "--fail-on", "none", "-T", "json"}
	commands := []struct {
		name string // of the file that has the output, for a later row
		args []string
	}{
		{"stats.json", []string{"stats", "-q", "-T", "json", session}},
		{"budget.json", []string{"budget", "-q", "-T", "json", session}},
		{"report.json", []string{"report", "-q", "-T", "json", session}},
		{"merged.json", []string{"report", "merge", "-q", path("stats.json"), path("budget.json")}},
		{"passed.json", []string{"audit", "-p", "course", "-T", "json"}},
		{"audit.json", append([]string{"audit", "--hex", "00", "--hex", "07", "--hex", ""}, target...)},
		{"fuzz.json", append([]string{"fuzz", "--seed", "1", "-n", "300", "-q", "--findings", path("found")}, target...)},
		{"found.json", []string{"report", "-T", "json", path("found")}},
		{"all.json", []string{"report", "merge", "-q", path("report.json"), path("audit.json"), path("fuzz.json"), path("found")}},
	}
	kinds := map[string]bool{}
	try := func(from string, object []byte) {
		t.Helper()
		if err := valid(object); err != nil {
			t.Errorf("%s: %v in %.2000s", from, err, object)
		}
		_, kind, _ := strings.Cut(string(object), `"kind":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		kinds[kind] = true
		if kind == "audit" || kind == "fuzz" || kind == "rejects" {
			if valid(bytes.Replace(object, []byte(`"kind":`), []byte(`"more_than_is_known":1,"kind":`), 1)) == nil {
				t.Errorf("%s: an unknown key is valid", kind)
			}
		}
		for _, edit := range [][2]string{{`"schema_version":1`, `"schema_version":2`}, {`"protocol"`, `"p"`}} {
			if valid(bytes.Replace(object, []byte(edit[0]), []byte(edit[1]), 1)) == nil {
				t.Errorf("%s: %s instead of %s is valid", kind, edit[1], edit[0])
			}
		}
	}
	for _, c := range commands {
		out := run(t, pktscope, c.args...)
		for line := range bytes.Lines(out) {
			try(strings.Join(c.args, " "), line)
		}
		if err := os.WriteFile(path(c.name), out, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(path("found/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("fuzz --findings wrote no .json file: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var line bytes.Buffer // the file is indented
		if err := json.Compact(&line, text); err != nil {
			t.Fatal(err)
		}
		try(name, line.Bytes())
	}
	for _, kind := range []string{"stats", "pktscope-budget", "rejects", "audit", "fuzz", "accepted-malformed"} {
		if !kinds[kind] {
			t.Errorf("no %s was tried", kind)
		}
	}
}

// What `decode -T json` prints of each packet fits the JSON Schema of packets, and little else does.
func TestPacketSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds pktscope")
	}
	valid := validator(t, report.PacketSchema)
	for line := range bytes.Lines(run(t, build(t), "decode", "-q", "-T", "json", session)) {
		if err := valid(line); err != nil {
			t.Errorf("%v in %.2000s", err, line)
		}
		if valid(bytes.Replace(line, []byte(`"schema_version":1`), []byte(`"schema_version":2`), 1)) == nil {
			t.Errorf("another version is valid: %.300s", line)
		}
	}
}
