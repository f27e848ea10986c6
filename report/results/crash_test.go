package results_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/report/results"
)

// A crash keeps its fingerprint when the reader's source is edited above it, and those of one function have one each.
func TestCrashFingerprints(t *testing.T) {
	marks := func(findings, known string) (list []string) {
		var set results.Set
		text := fmt.Sprintf(`{"schema_version":1,"kind":"audit","protocol":"p","target":"t","seed":1,"packets":1,"hostile":1,"refused":1,"valid":0,"accepted":0,`+
			`"known":1,"bases":0,"steps":1,"max_steps":1,"rules":[],"findings":[%s],"known_mistakes":[%s]}`, findings, known)
		if err := set.Add(read(t, []byte(text))); err != nil {
			t.Fatal(err)
		}
		for _, p := range append(set.Problems(), set.KnownProblems()...) {
			list = append(list, p.Fingerprint())
		}
		return list
	}
	crash := func(function string, line int) string {
		return fmt.Sprintf(`{"kind":"crash","rule":"a","path":"a","bit":0,"width":8,"want":"w","got":"g","from":"client","bytes":1,"packet":"00","count":1,"cause":"the reader dies in %s, r.c:%d"}`, function, line)
	}
	before := marks(crash("f", 9)+","+crash("f", 30)+","+crash("g", 50), "")
	after := marks(crash("f", 19)+","+crash("f", 140)+","+crash("g", 160), "")
	slices.Sort(before)
	slices.Sort(after)
	if len(slices.Compact(before)) != 3 || !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
	// One that is accepted has its own beside one that is not.
	if apart := marks(crash("f", 30), crash("f", 9)); len(apart) != 2 || apart[0] == apart[1] {
		t.Errorf("got %q", apart)
	}
}
