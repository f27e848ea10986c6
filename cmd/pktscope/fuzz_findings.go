package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// findingFiles writes the findings of a campaign to a directory: four files each, all named for the mistake, so that a
// mistake that is found again is not written again. They are readable by their owner alone. Nothing outside the directory
// is touched, whatever links are in it.
type findingFiles struct {
	dir      string
	root     *os.Root
	schema   *schema.Schema
	origin   *report.Origin
	protocol []string          // -p and -D, as they were given
	target   []string          // --target and what belongs to it; none for pktscope's own decoder
	back     string            // the way from dir to where pktscope runs; "" when dir is not below that
	names    map[string]string // of the files of findings, by what they are named for
	taken    map[string]bool   // those names
}

func newFindingFiles(dir string, protocol *protocolFlags, target *targetFlags, d *decode.Decoder) (*findingFiles, error) {
	w := &findingFiles{dir: dir, schema: d.Plan().Schema, protocol: []string{"-p", protocol.name}, target: target.words()}
	w.origin = &report.Origin{
		Protocol: w.schema.Name, Target: target.name, Replay: target.shownAgain(protocol), Kept: w.kept, Plan: d.Plan(), Version: version(),
	}
	for _, define := range protocol.params {
		w.protocol = append(w.protocol, "-D", define)
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, w.failed(err)
	}
	var err error
	if w.root, err = os.OpenRoot(w.dir); err != nil {
		return nil, w.failed(err)
	}
	w.back = wayBack(dir)
	return w, nil
}

// wayBack is the way from a directory to the one that we are in, "" when it is not below that. Links are followed: a shell
// does so behind "..".
func wayBack(dir string) string {
	here, err := filepath.Abs(".")
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return ""
	}
	if dir, err = filepath.Abs(dir); err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return ""
	}
	if inside, err := filepath.Rel(here, dir); err != nil || !filepath.IsLocal(inside) {
		return ""
	}
	back, err := filepath.Rel(dir, here)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(back)
}

func (w *findingFiles) close() { _ = w.root.Close() }

func (w *findingFiles) failed(err error) error {
	return fmt.Errorf("--findings %s: %s", w.dir, corpusReason(err))
}

// kept is the capture that has a finding's packets.
func (w *findingFiles) kept(f *fuzz.Finding) string {
	return filepath.Join(w.dir, w.nameOf(f)+".pcapng")
}

// keeps is kept, nil without a directory.
func keeps(w *findingFiles) func(f *fuzz.Finding) string {
	if w == nil {
		return nil
	}
	return w.kept
}

// nameOf is the name of a finding's files, without their endings. It has no line of the reader's source in it, so that it
// stays when that is edited; crashes at other lines of one function have a number.
func (w *findingFiles) nameOf(f *fuzz.Finding) string {
	base := baseOf(f)
	if name, ok := w.names[base+f.Key()]; ok {
		return name
	}
	name := base
	for n := 2; n < maxOfFunction && w.isOther(name, f); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	if w.names == nil {
		w.names, w.taken = map[string]string{}, map[string]bool{}
	}
	w.names[base+f.Key()], w.taken[name] = name, true
	return name
}

// maxOfFunction is how many crashes of one function have files of their own.
const maxOfFunction = 100

// isOther reports whether the files of a name are those of another crash: of this run, or of an earlier one at another line, if
// the packet broke another rule, too. A crash of the same rule at another line has moved.
func (w *findingFiles) isOther(name string, f *fuzz.Finding) bool {
	if w.taken[name] {
		return true
	}
	file, err := w.root.Open(name + ".json")
	if err != nil {
		return false
	}
	defer file.Close()
	var there report.SavedFinding
	text, err := readBounded(file, maxFindingFile)
	if err != nil || json.Unmarshal(text, &there) != nil {
		return false
	}
	return there.Cause != f.Cause && (there.Rule != f.Rule || there.Reject != rejectWord(f))
}

// rejectWord is what a finding's packet deserves, as it is saved; "" for a valid one.
func rejectWord(f *fuzz.Finding) string {
	if f.Reject == reject.None {
		return ""
	}
	return f.Reject.String()
}

// baseOf is a name without the number.
func baseOf(f *fuzz.Finding) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(f.Identity())) // a hash takes everything
	var place []byte
	for _, c := range []byte(fuzz.PathRule(f.Path)) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
			place = append(place, c)
		}
	}
	if len(place) == 0 {
		place = []byte("packet")
	}
	return fmt.Sprintf("%v-%s-%08x", f.Kind, place[:min(len(place), 64)], h.Sum32())
}

// write writes a finding's files.
func (w *findingFiles) write(f *fuzz.Finding) error {
	name := w.nameOf(f)
	var capture bytes.Buffer
	made := newMadeCapture(&capture, w.schema)
	for _, b := range append(f.Before[:len(f.Before):len(f.Before)], fuzz.Base{Data: f.Packet, From: f.From}) {
		if err := made.add(b.Data, b.From, f.Kind.String()+": "+syntax.EscapeText(f.What())); err != nil {
			return w.failed(err)
		}
	}
	if err := made.close(); err != nil {
		return w.failed(err)
	}
	files := []struct {
		ending string
		text   []byte
	}{
		{".pcapng", capture.Bytes()},
		{".json", report.AppendFinding(nil, w.origin, f)},
		{".sh", w.script(name, f)},
		{"_test.go", goTest(name, w.schema.Name, f)},
	}
	if report.Withheld(w.origin.Plan, f) {
		files = files[:3] // a test would show the packet
	}
	for _, file := range files {
		if err := w.file(name+file.ending, file.text); err != nil {
			return w.failed(err)
		}
	}
	return nil
}

// file writes a file unless there is one of its name.
func (w *findingFiles) file(name string, text []byte) error {
	err := writeFileIn(w.root, name, text, ownerOnly|mustBeNew)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// script is a shell script that shows the packet, and sends it again. What it names, such as the protocol's file, was named
// where pktscope was run: it goes there by the way between the two directories, so that it works wherever they are moved
// together; where there is no such way, it has to be run there.
func (w *findingFiles) script(name string, f *fuzz.Finding) []byte {
	protocol := shellWords(w.protocol)
	b := fmt.Appendf(nil, "#!/bin/sh\n# %v: %s\nfound=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd) || exit 2\n", f.Kind, commentText(f.What()))
	if w.back != "" {
		b = fmt.Appendf(b, "cd -- \"$found\"/%s || exit 2 # where pktscope was run\n", shellQuote(w.back))
	} else {
		b = append(b, "# To be run where pktscope was.\n"...)
	}
	b = fmt.Appendf(b, "pktscope explain %s -r \"$found\"/%s.pcapng -n %d\n", protocol, name, len(f.Before)+1)
	replayed := ".json"
	if report.Withheld(w.origin.Plan, f) {
		replayed = ".pcapng" // which alone has what holds a secret
	}
	b = fmt.Appendf(b, "pktscope fuzz %s --replay \"$found\"/%s%s\n", shellWords(append(w.protocol[:len(w.protocol):len(w.protocol)], w.target...)), name, replayed)
	return b
}

// shellWords are arguments as a shell takes them.
func shellWords(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = shellQuote(arg)
	}
	return strings.Join(quoted, " ")
}

// shellQuote is an argument as a shell takes it, whatever it holds.
func shellQuote(arg string) string { return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'" }

// commentText is text from outside for a line of comment: it can neither end the line nor turn its direction.
func commentText(text string) string {
	return strings.TrimRight(strings.ReplaceAll(syntax.EscapeText(text), "*/", "* /"), `\`)
}

// goTest is a regression test for a reader in Go. accepts is what its package has to have.
func goTest(name, protocol string, f *fuzz.Finding) []byte {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	b := fmt.Appendf(nil, `package reader

import (
	"encoding/hex"
	"testing"
)

// Found by pktscope fuzz, in %s:
// %v: %s
//
// The package needs a function accepts(packet []byte) bool, which reads a packet with a fresh reader and reports whether it
// took it.
func TestFinding%08x(t *testing.T) {
	packet, err := hex.DecodeString("%x")
	if err != nil {
		t.Fatal(err)
	}
`, commentText(protocol), f.Kind, commentText(f.What()), h.Sum32(), f.Packet)
	if len(f.Before) > 0 {
		b = fmt.Appendf(b, "\t// The reader that keeps something is first sent:\n")
		for _, p := range f.Before {
			b = fmt.Appendf(b, "\tif packet, err := hex.DecodeString(\"%x\"); err == nil {\n\t\taccepts(packet)\n\t}\n", p.Data)
		}
	}
	return fmt.Appendf(b, "\tif got := accepts(packet); got != %v {\n\t\tt.Errorf(\"want accepted %v, got %%v\", got)\n\t}\n}\n", f.Reject == 0, f.Reject == 0)
}
