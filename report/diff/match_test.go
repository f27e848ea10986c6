package diff

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

var (
	here  = Flow{Src: netip.MustParseAddrPort("10.0.0.2:5000"), Dst: netip.MustParseAddrPort("10.0.0.1:4124"), From: decode.Client}
	nated = Flow{Src: netip.MustParseAddrPort("192.0.2.7:61000"), Dst: netip.MustParseAddrPort("10.0.0.1:4124"), From: decode.Client}
)

// capture is made of words: a number is a @seq of 16 bits and the payload, 7x the number with another payload, `a` a
// payload without a number, and ~ in front that it was cut.
func capture(t *testing.T, c *Capture, f Flow, words string) *Capture {
	t.Helper()
	for _, w := range strings.Fields(words) {
		r := Record{Size: 10}
		var cut bool
		w, cut = strings.CutPrefix(w, "~")
		r.Cut = cut
		for _, b := range []byte(w) {
			r.Hash = r.Hash*31 + uint64(b)
		}
		n, _ := fmt.Sscanf(w, "%d", &r.Seq)
		if err := c.Add(f, r, 1<<16, n == 1); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestMatch(t *testing.T) {
	for _, row := range []struct {
		name, a, b string
		want       string // same, pairs, only in a, only in b, reordered
	}{
		{"nothing", "", "", "0 [] [] [] 0"},
		{"alike", "1 2 3", "1 2 3", "3 [] [] [] 0"},
		{"loss", "1 2 3 4", "1 4", "2 [] [2 3] [] 0"},
		{"loss on both sides", "1 3", "1 2 3", "2 [] [] [2] 0"},
		{"another order", "1 2 3", "1 3 2", "3 [] [] [] 1"},
		{"the last first", "1 2 3 4", "4 1 2 3", "4 [] [] [] 1"},
		{"another payload", "1 2 3", "1 2x 3", "2 [2-2] [] [] 0"},
		{"cut", "1 ~2 3", "1 2 3", "2 [2-2] [] [] 0"},
		{"repeated", "1 2 2 3", "1 2 3", "3 [] [3] [] 0"},
		{"wrap", "65534 65535 0 1", "65535 0 1", "3 [] [1] [] 0"},
		{"begun after the wrap", "65534 65535 0 1", "0 1 2", "2 [] [1 2] [3] 0"},
		{"begun before the wrap", "0 1 2", "65534 65535 0 1", "2 [] [3] [1 2] 0"},
		{"reordered at the wrap", "65535 0 1", "0 65535 1", "3 [] [] [] 1"},
		{"without numbers", "a b c", "a c", "2 [] [2] [] 0"},
		{"without numbers, bent", "a b c", "a x c", "2 [2-2] [] [] 0"},
		{"without numbers, bent and lost", "a b c d", "a x d", "2 [2-2] [3] [] 0"},
		{"without numbers, repeated", "a a a", "a a", "2 [] [3] [] 0"},
		{"mixed", "1 a 2 b", "1 2 b", "3 [] [2] [] 0"},
	} {
		for _, f := range []Flow{here, nated} {
			a, b := NewCaptures()
			m := Match(capture(t, a, here, row.a), capture(t, b, f, row.b))
			var pairs []string
			for _, p := range m.Pairs {
				pairs = append(pairs, fmt.Sprintf("%d-%d", p.A+1, p.B+1))
			}
			for _, list := range [][]uint32{m.OnlyA, m.OnlyB} {
				for i := range list {
					list[i]++ // rows count from 1
				}
			}
			if got := fmt.Sprint(m.Same, pairs, m.OnlyA, m.OnlyB, m.Reordered); got != row.want {
				t.Errorf("%s: want %s, got %s", row.name, row.want, got)
			}
			if renamed := f != here && row.a != "" && row.b != ""; renamed != (len(m.Paired) == 1) {
				t.Errorf("%s: paired: %v", row.name, m.Paired)
			}
		}
	}
}

// A hostile flow without a number takes no more than linear time, and there is an end to what is kept.
func TestMatchBounds(t *testing.T) {
	a, b := NewCaptures()
	for i := range uint64(50_000) {
		_ = a.Add(here, Record{Hash: i}, 0, false)
		_ = b.Add(here, Record{Hash: ^i}, 0, false)
	}
	if m := Match(a, b); len(m.Pairs) != 50_000 {
		t.Errorf("%d pairs", len(m.Pairs))
	}
	a.records.n = MaxRecords
	if err := a.Add(here, Record{}, 0, false); err == nil {
		t.Error("one too many is kept")
	}
}
