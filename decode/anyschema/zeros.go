package anyschema

import (
	"fmt"
	"math/big"
)

// still reports whether a value has one size, up to the padding before it.
func (v value) still() bool {
	padded := (v.kind == text || v.kind == blob) && v.size.most-v.size.least <= 7
	return !v.moves && (v.array || v.kind == group || v.kind == quantized || v.ate || padded || v.size.isFixed())
}

// filled is a window that is filled with zeros, whose size the packet says; false where none can be here.
func (g *generator) filled(f *frame) (string, bool) {
	const most = 8 * 2048
	e := g.number(f, 1)
	if f.order == "bousk" || f.still || e.konst || e.loose || e.in.hi.Sign() <= 0 {
		return "", false
	}
	in := f.inner()
	in.depth, in.at, in.still = f.depth+1, onByte, true
	mark := len(f.vars)
	in.home = &extent{start: place{how: anywhere}}
	lines := g.plain(in, nil)
	was, start := *in, lines
	if lines = append(lines, g.items(in, g.draw(5))...); in.size.most > most {
		*in, lines = was, start
	}
	if new(big.Int).Mul(e.in.lo, big.NewInt(8)).Cmp(big.NewInt(in.size.least)) > 0 { // it could never be full
		return "", false
	}
	f.put(f.padding(), onByte)
	full := least(new(big.Int).Mul(e.in.hi, big.NewInt(8)), big.NewInt(sizeMax)).Int64()
	f.size = f.size.plus(size{0, full, full})
	f.vars = append(f.vars, in.vars[mark:]...)
	f.moved = true
	return fmt.Sprintf("within(%s zeros) %s", e.text, g.block(lines)), true
}

// plain appends a field of one size.
func (g *generator) plain(f *frame, lines []string) []string {
	name := g.name()
	v := g.simple(f, 8<<g.draw(4), false)
	v.text = "u" + v.text
	f.put(v.size, v.end)
	f.declare(name, v)
	return append(lines, name+" "+v.text)
}

// stillItem appends an item of one size.
func (g *generator) stillItem(f *frame, lines []string) []string {
	was, mark := *f, len(f.facts)
	if more := g.item(f, lines[:len(lines):len(lines)]); !f.moved {
		return more
	}
	f.forget(mark)
	*f = was
	return g.plain(f, lines)
}
