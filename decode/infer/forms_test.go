package infer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/wire"
)

// spots are where a checksum may be and what it covers: a layout with the type as %s, and its width in bytes as %d.
var spots = []struct {
	name, option, layout string
	first                bool // it covers what is before it, and not what is after
}{
	{"head", "", "sum %s\nnumber uint16\nnoise bytes(rest, max 64)", false},
	{"head, over rest", "over rest", "sum %s\nnumber uint16\nnoise bytes(rest, max 64)", false},
	{"byte 6", "", "magic uint32 == 0x1234567\nnumber uint16\nsum %s\nnoise bytes(rest, max 64)", false},
	{"byte 6, over rest", "over rest", "magic uint32 == 0x1234567\nnumber uint16\nsum %s\nnoise bytes(rest, max 64)", false},
	{"byte 16", "", "number uint16\nkey bytes(14)\nsum %s\nnoise bytes(rest, max 64)", false},
	{"byte 14, over before", "over before", "number uint16\nkey bytes(12)\nsum %s\nnoise bytes(rest, max 64)", true},
	{"tail", "", "number uint16\nnoise bytes(rest - %d, max 64)\nsum %s", false},
	{"tail, over before", "over before", "number uint16\nnoise bytes(rest - %d, max 64)\nsum %s", false},
}

// unsents are bytes that are never sent. A checksum of fewer bits cannot tell longer ones from shorter.
var unsents = []string{"prefix 0x51 : uint8", "prefix 0xBEEF : uint16", "prefix 0x12345678 : uint32", "prefix 0xCAFEBABE1122 : uint64",
	"prefix 0x44551177 : uint32 be", "suffix 0x51 : uint8", "suffix 0xBEEF : uint16", "suffix 0x44551177 : uint32", "suffix 0xCAFEBABE1122 : uint64"}

type form struct {
	text  string
	first bool
}

// allForms are all checksums of the language in all spots and both orders of their bytes, and the CRCs with unsent bytes.
func allForms() (forms []form) {
	add := func(a *wire.Algorithm, spot int, options ...string) {
		for _, order := range [2]string{"", " be"} {
			if a.Width == 8 && order != "" {
				continue
			}
			s := spots[spot]
			list := strings.Trim(strings.Join(append(options, s.option), ", "), ", ")
			kind := a.Name
			if list != "" {
				kind += "(" + list + ")"
			}
			text := strings.Replace(s.layout, "%s", kind+order, 1)
			forms = append(forms, form{strings.Replace(text, "%d", fmt.Sprint(a.Width/8), 1), s.first})
		}
	}
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		for spot := range spots {
			add(a, spot)
		}
		if a.Polynomial != 0 {
			for k, unsent := range unsents {
				add(a, (i+k)%len(spots), unsent)
			}
		}
	}
	return forms
}

// Of all forms that are claimed, twenty packets are enough for 99 in 100. PKTSCOPE_SOAK=1 tries each.
func TestChecksum(t *testing.T) {
	every := need.Rounds(7, 157)
	if os.Getenv("PKTSCOPE_SOAK") != "" {
		every = 1
	}
	found, tried := 0, 0
	for i, form := range allForms() {
		if i%every != 0 {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 33))
		packets := made(t, form.text, 40, 0, r)
		k := infer.FindChecksum(sample(packets[:20]))
		right := 0
		for _, p := range packets { // also those that it was not found by
			if k == nil || !k.Fits(p) {
				continue
			}
			right++
			changed := len(p) - 12
			if form.first {
				changed = 1
			}
			if p[changed] ^= 1; k.Fits(p) {
				t.Errorf("%s: %v is of packets that are changed, too", form.text, k)
			}
		}
		if tried++; right == len(packets) {
			found++
		} else {
			t.Logf("%q: found %v, right in %d", form.text, k, right)
		}
	}
	if found*100 < tried*99 {
		t.Errorf("%d of %d forms found", found, tried)
	}
	t.Logf("%d of %d forms found", found, tried)
}
