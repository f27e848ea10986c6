package coverage_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// provable draws schemas about which there is something to prove: sizes, conditions and `let`s over small fields and
// what is left. Many are refused by the checker; what it takes is so small that packets drawn by chance go everywhere.
type provable struct {
	*rand.Rand
	names []string
	n     int
}

func (d *provable) name() string { d.n++; return fmt.Sprintf("v%d", d.n) }

func (d *provable) one(of ...string) string { return of[d.IntN(len(of))] }

func (d *provable) small() int { return d.IntN(7) }

// number is an expression.
func (d *provable) number(depth int) string {
	if depth == 0 || d.IntN(3) == 0 {
		switch n := d.IntN(6); {
		case n < 3 && len(d.names) > 0:
			return d.one(d.names...)
		case n < 5 && d.IntN(4) == 0:
			return fmt.Sprintf("%s(%d)", d.one("peek", "tail"), 1+d.IntN(4))
		case n < 5:
			return "rest"
		}
		return fmt.Sprint(d.small())
	}
	x := d.number(depth - 1)
	switch d.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("(%s - %s)", x, d.number(depth-1))
	case 2:
		return fmt.Sprintf("(%s + %s)", x, d.number(depth-1))
	case 3:
		return fmt.Sprintf("%s * %d", x, d.small())
	case 4:
		return fmt.Sprintf("(%s / %d)", x, 1+d.small())
	case 5:
		return fmt.Sprintf("(%s %% %d)", x, 1+d.small())
	case 6:
		return fmt.Sprintf("(%s %s %d)", x, d.one("&", "|", "^"), d.small())
	case 7:
		return fmt.Sprintf("(%s %s %d)", x, d.one(">>", "<<"), d.IntN(4))
	}
	return fmt.Sprintf("(rest - %d)", d.small())
}

func (d *provable) condition(depth int) string {
	if depth > 0 && d.IntN(3) == 0 {
		switch d.IntN(3) {
		case 0:
			return fmt.Sprintf("!(%s)", d.condition(depth-1))
		default:
			return fmt.Sprintf("(%s %s %s)", d.condition(depth-1), d.one("&&", "||"), d.condition(depth-1))
		}
	}
	switch d.IntN(5) {
	case 0:
		return fmt.Sprintf("%s %% %d == %d", d.number(1), 2+d.IntN(4), d.IntN(2))
	case 1:
		lo := d.small()
		return fmt.Sprintf("%s in {%d..%d, %d}", d.number(1), lo, lo+d.IntN(3), lo+5)
	case 2:
		return fmt.Sprintf("%s & %d == %d", d.number(1), 1+2*d.IntN(4), d.IntN(2))
	}
	return fmt.Sprintf("%s %s %s", d.number(2), d.one("==", "!=", "<", "<=", ">", ">="), d.number(1))
}

func (d *provable) items(n, depth int) string {
	names := len(d.names)
	var lines []string
	for range n {
		lines = append(lines, d.item(depth))
	}
	d.names = d.names[:names]
	return "{\n" + strings.Join(lines, "\n") + "\n}"
}

func (d *provable) item(depth int) string {
	name := d.name()
	most := d.IntN(12)
	switch n := d.IntN(16); {
	case n < 4:
		typ := d.one("uint8 in 0..7", "uint8", "uint8 in {2, 4, 6}", "bits(3)", "bits(8)", "uint16 in 0..9", "int8 in -2..5",
			"bits(1)", "int(3..9)")
		d.names = append(d.names, name)
		return name + " " + typ
	case n == 4:
		line := fmt.Sprintf("let %s = %s", name, d.number(2))
		d.names = append(d.names, name)
		return line
	case n < 7:
		return "require " + d.condition(1)
	case n == 7 && depth > 0:
		if d.IntN(2) == 0 {
			return fmt.Sprintf("if %s %s", d.condition(1), d.items(1+d.IntN(2), depth-1))
		}
		return fmt.Sprintf("if %s %s else %s", d.condition(1), d.items(1+d.IntN(2), depth-1), d.items(1, depth-1))
	case n == 8 && depth > 0:
		return fmt.Sprintf("within(%s%s) %s", d.number(2), d.one("", "", " bits"), d.items(1+d.IntN(2), depth-1))
	case n == 9 && depth > 0:
		return fmt.Sprintf("%s switch %s { %d: uint8, %d..%d: %s, %s }", name, d.number(1), d.IntN(2), 2+d.IntN(2), 4+d.IntN(3),
			d.items(1, depth-1), d.one("8: empty", "default: uint16", "9: bits(3)"))
	case n < 12:
		return fmt.Sprintf("%s bytes(%s, max %d)", name, d.number(2), most)
	case n < 14:
		elem := d.one("uint8", "uint16", "bits(3)", "{\na uint8\nb uint16\n}", "{\na uint8 in 0..2\nb bytes(a)\n}")
		if depth > 0 && d.IntN(2) == 0 {
			elem = d.items(1+d.IntN(3), depth-1)
		}
		return fmt.Sprintf("%s [%s, max %d]%s", name, d.one("rest", d.number(2)), most, elem)
	case n == 14:
		return d.one("align(8)", "align(16)", "align(8) any", "reserved(5) any", "q bits(5)")
	}
	return fmt.Sprintf("w%s bits(%s)", name, d.number(1))
}

// What is proved out of reach no packet reaches, whatever is drawn.
func TestProofsHold(t *testing.T) {
	schemas, proved := need.Rounds[uint64](6000, 200), 0
	compiled := 0
	for seed := range schemas {
		r := rand.New(rand.NewPCG(seed, 5))
		draw := &provable{Rand: r}
		src := fmt.Sprintf("protocol x\norder %s\npacket %s\n", draw.one("lsb", "msb", "lsb", "bousk"), draw.items(2+r.IntN(4), 2))
		s, _ := schema.Load("x.pks", []byte(src), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		compiled++
		c := &covering{t: t, d: decode.New(p), c: coverage.New(p)}
		for _, o := range coverage.RejectPoints(p) {
			if o.Unreachable != "" {
				proved++
			}
		}
		for n := range 700 {
			data := make([]byte, r.IntN(1+n/20))
			for i := range data {
				data[i] = byte(r.IntN(256) >> r.IntN(9))
			}
			c.add(data, decode.FromUnknown)
		}
		g, m := fuzz.NewGenerator(c.d), fuzz.NewMutator(c.d)
		for n := range uint64(2) {
			if packet, err := g.Random(seed, n); err == nil {
				c.mutations(m, packet.Data, packet.From, 200)
			} else {
				break
			}
		}
		if c.failed {
			t.Fatalf("seed %d:\n%s", seed, src)
		}
	}
	t.Logf("%d schemas, %d proofs", compiled, proved)
	if compiled < int(schemas/20) || proved < 3*compiled {
		t.Errorf("%d schemas, %d proofs", compiled, proved)
	}
}
