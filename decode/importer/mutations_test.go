package importer_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/importer"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Sources that are nearly right: a draft loads, and what is no draft is a mistake with its place. That a draft is refused
// by the checker would be a mistake of a .schema that nobody saw.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range goldens {
		src, err := os.ReadFile("testdata/" + g.source)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(src))
		drafts := 0
		for range need.Rounds(800, 60) {
			b := []byte(string(src))
			for range 1 + r.IntN(3) {
				switch at := r.IntN(len(b)); r.IntN(3) {
				case 0:
					b[at] = byte(32 + r.IntN(95))
				case 1:
					b = append(b[:at:at], append([]byte(" "+words[r.IntN(len(words))]+" "), b[at:]...)...)
				case 2:
					b = append(b[:at:at], b[min(len(b), at+r.IntN(9)):]...)
				}
			}
			draft, err := importer.Import([]importer.File{{Name: "f" + filepath.Ext(g.source), Src: b}}, importer.Options{Packet: g.packet})
			switch {
			case err == nil:
				drafts++
				if _, err := decode.Load("draft.pks", draft.Source); err != nil {
					t.Fatalf("%v\n%.3000s", err, b)
				}
			case strings.Contains(err.Error(), "would be"):
				// C++ can say what makes no sense; of it the place is known.
				var mistake *syntax.Diagnostics
				if strings.HasSuffix(g.source, ".schema") || !errors.As(err, &mistake) || !mistake.List[len(mistake.List)-1].Pos.IsValid() {
					t.Fatalf("%v\n%.3000s", err, b)
				}
			}
		}
		if least := need.Rounds(20, 1); drafts < least {
			t.Errorf("%s: only %d drafts, want %d", g.source, drafts, least)
		}
	}
}
