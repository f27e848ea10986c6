package anyschema

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// Source writes a valid schema from what r has: the same bytes give the same schema. size bounds the number of fields
// and items, roughly; 8 is a small packet, 60 a page. An error of r is its end.
func Source(r io.ByteReader, size int) string {
	g := &generator{r: r, budget: max(size, 1), used: map[string]bool{}}
	return g.file()
}

// Seeded is an endless reader for Source: every seed is another schema.
func Seeded(seed uint64) io.ByteReader { return seeded{rand.New(rand.NewPCG(seed, 0x5eed))} }

type seeded struct{ *rand.Rand }

func (s seeded) ReadByte() (byte, error) { return byte(s.Uint32()), nil }

// RefusesAll says whether a complaint of the checker is that every packet is refused: what is drawn keeps from that
// where it sees it, and the checker sees more.
func RefusesAll(complaint string) bool {
	for _, words := range []string{"nothing is left ", " left after `", "no packet can keep this", "the window is never full", "always longer than what is left"} {
		if strings.Contains(complaint, words) {
			return true
		}
	}
	return false
}

// generator is the state of one Source.
type generator struct {
	r      io.ByteReader
	ended  bool
	budget int // items that may still be made
	serial int // of names
	used   map[string]bool
	scopes int      // bodies that have begun
	stood  int      // fields that have begun
	looks  int      // looks that were drawn
	reads  []string // the names that expressions have read, in order

	order   string
	room    int64 // bytes of the largest datagram
	consts  []constant
	floats  []string // names of float constants
	strings []constant
	tables  []*table
	enums   []*enum
	structs []*structure
	held    []string // the messages that fields hold, in the order of the first
	above   int      // how many of them may not be held here: they hold what is being made
	least   int64    // bits that the packet takes at least

	stateful  bool // registers are drawn
	registers []register
	seen      []*variable // what is read of them
}

// draw gives a number below n, which is at most 256.
func (g *generator) draw(n int) int {
	if g.ended || n <= 1 {
		return 0
	}
	b, err := g.r.ReadByte()
	if err != nil {
		g.ended = true
		return 0
	}
	return int(b) * n >> 8
}

// once in n: never where nothing is left to draw from.
func (g *generator) once(n int) bool { return g.draw(n) == n-1 && n > 1 && !g.ended }

// wide draws a number of up to n bytes.
func (g *generator) wide(n int) uint64 {
	var v uint64
	for range n {
		v = v<<8 | uint64(g.draw(256))
	}
	return v
}

func pick[T any](g *generator, of ...T) T { return of[g.draw(len(of))] }

// spend says whether there may be one more item.
func (g *generator) spend() bool {
	g.budget--
	return g.budget >= 0 && !g.ended
}

// words are names that are words of the language elsewhere: fields may have them.
var words = []string{"type", "port", "flags", "max", "order", "packet", "struct", "enum", "optional", "subset", "vec2",
	"string", "empty", "server", "client", "param", "const", "bits", "int", "bytes", "quat", "le", "in_", "_", "any", "over",
	"prefix", "expect", "timeout", "open", "protocol", "finite", "utf8", "bool", "crc32", "crc", "suffix", "xor", "sum8", "float", "varint", "index", "x", "count"}

// name makes a name for a field that nothing else has: what is in one struct may then be used everywhere.
func (g *generator) name() string {
	if g.once(12) {
		if w := pick(g, words...); !g.used[w] {
			g.used[w] = true
			return w
		}
	}
	g.serial++
	return fmt.Sprint(pick(g, "f", "n", "field_", "a_much_longer_name_"), g.serial)
}

func (g *generator) upper(prefix string) string {
	g.serial++
	return fmt.Sprint(prefix, g.serial)
}

// block is a body of items in braces: on one line where that is short and drawn.
func (g *generator) block(items []string) string {
	if text := strings.Join(items, ", "); len(text) < 60 && !strings.ContainsAny(text, "\n/") && g.once(3) {
		return "{ " + text + " }"
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, it := range items {
		b.WriteString("    " + strings.ReplaceAll(it, "\n", "\n    ") + "\n")
	}
	return b.String() + "}"
}
