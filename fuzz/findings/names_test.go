package findings

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// The files of a crash keep their name when its line moves; two crashes in one function have files each, in one run and
// in two.
func TestNamesOfCrashes(t *testing.T) {
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(found ...string) (names []string) {
		t.Helper()
		w, err := Create(dir, d, Origin{Protocol: []string{"-p", "rtype"}, Target: "builtin"})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for _, text := range found { // rule and line
			f := &fuzz.Finding{
				Kind: oracle.FoundCrash, Rule: text[:1], Reject: reject.OutOfRange, Path: "body.x", Packet: []byte(text), From: decode.Client,
				Cause: "the reader dies in parse, r.c:" + text[2:],
			}
			if err := w.Write(f); err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.Base(w.Capture(f)))
		}
		return names
	}
	files := func() int {
		list, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	first := run("a 10")
	if again := run("a 12"); !slices.Equal(again, first) || files() != 1 {
		t.Errorf("a crash that moved: %q, first %q, %d findings", again, first, files())
	}
	both := run("a 12", "a 30")
	if both[0] != first[0] || both[1] == first[0] || files() != 2 {
		t.Errorf("two of one function: %q, %d findings", both, files())
	}
	if other := run("b 40"); slices.Contains(both, other[0]) || files() != 3 {
		t.Errorf("one of another rule: %q beside %q, %d findings", other, both, files())
	}
	if fmt.Sprint(run("a 10", "a 12", "b 40")) == "" || files() != 3 {
		t.Errorf("all once more: %d findings", files())
	}
}
