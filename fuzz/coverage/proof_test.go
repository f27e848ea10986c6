package coverage_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
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

func (p *provable) name() string { p.n++; return fmt.Sprintf("v%d", p.n) }

func (p *provable) one(of ...string) string { return of[p.IntN(len(of))] }

func (p *provable) small() int { return p.IntN(7) }

// number is an expression.
func (p *provable) number(depth int) string {
	if depth == 0 || p.IntN(3) == 0 {
		switch n := p.IntN(6); {
		case n < 3 && len(p.names) > 0:
			return p.one(p.names...)
		case n < 5 && p.IntN(4) == 0:
			return fmt.Sprintf("%s(%d)", p.one("peek", "tail"), 1+p.IntN(4))
		case n < 5:
			return "rest"
		}
		return fmt.Sprint(p.small())
	}
	x := p.number(depth - 1)
	switch p.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("(%s - %s)", x, p.number(depth-1))
	case 2:
		return fmt.Sprintf("(%s + %s)", x, p.number(depth-1))
	case 3:
		return fmt.Sprintf("%s * %d", x, p.small())
	case 4:
		return fmt.Sprintf("(%s / %d)", x, 1+p.small())
	case 5:
		return fmt.Sprintf("(%s %% %d)", x, 1+p.small())
	case 6:
		return fmt.Sprintf("(%s %s %d)", x, p.one("&", "|", "^"), p.small())
	case 7:
		return fmt.Sprintf("(%s %s %d)", x, p.one(">>", "<<"), p.IntN(4))
	}
	return fmt.Sprintf("(rest - %d)", p.small())
}

func (p *provable) condition(depth int) string {
	if depth > 0 && p.IntN(3) == 0 {
		switch p.IntN(3) {
		case 0:
			return fmt.Sprintf("!(%s)", p.condition(depth-1))
		default:
			return fmt.Sprintf("(%s %s %s)", p.condition(depth-1), p.one("&&", "||"), p.condition(depth-1))
		}
	}
	switch p.IntN(5) {
	case 0:
		return fmt.Sprintf("%s %% %d == %d", p.number(1), 2+p.IntN(4), p.IntN(2))
	case 1:
		lo := p.small()
		return fmt.Sprintf("%s in {%d..%d, %d}", p.number(1), lo, lo+p.IntN(3), lo+5)
	case 2:
		return fmt.Sprintf("%s & %d == %d", p.number(1), 1+2*p.IntN(4), p.IntN(2))
	}
	return fmt.Sprintf("%s %s %s", p.number(2), p.one("==", "!=", "<", "<=", ">", ">="), p.number(1))
}

func (p *provable) items(n, depth int) string {
	names := len(p.names)
	var lines []string
	for range n {
		lines = append(lines, p.item(depth))
	}
	p.names = p.names[:names]
	return "{\n" + strings.Join(lines, "\n") + "\n}"
}

func (p *provable) item(depth int) string {
	name := p.name()
	most := p.IntN(12)
	switch n := p.IntN(16); {
	case n < 4:
		typ := p.one("uint8 in 0..7", "uint8", "uint8 in {2, 4, 6}", "bits(3)", "bits(8)", "uint16 in 0..9", "int8 in -2..5",
			"bits(1)", "int(3..9)")
		p.names = append(p.names, name)
		return name + " " + typ
	case n == 4:
		line := fmt.Sprintf("let %s = %s", name, p.number(2))
		p.names = append(p.names, name)
		return line
	case n < 7:
		return "require " + p.condition(1)
	case n == 7 && depth > 0:
		if p.IntN(2) == 0 {
			return fmt.Sprintf("if %s %s", p.condition(1), p.items(1+p.IntN(2), depth-1))
		}
		return fmt.Sprintf("if %s %s else %s", p.condition(1), p.items(1+p.IntN(2), depth-1), p.items(1, depth-1))
	case n == 8 && depth > 0:
		return fmt.Sprintf("within(%s%s) %s", p.number(2), p.one("", "", " bits"), p.items(1+p.IntN(2), depth-1))
	case n == 9 && depth > 0:
		return fmt.Sprintf("%s switch %s { %d: uint8, %d..%d: %s, %s }", name, p.number(1), p.IntN(2), 2+p.IntN(2), 4+p.IntN(3),
			p.items(1, depth-1), p.one("8: empty", "default: uint16", "9: bits(3)"))
	case n < 12:
		return fmt.Sprintf("%s bytes(%s, max %d)", name, p.number(2), most)
	case n < 14:
		elem := p.one("uint8", "uint16", "bits(3)", "{\na uint8\nb uint16\n}", "{\na uint8 in 0..2\nb bytes(a)\n}")
		if depth > 0 && p.IntN(2) == 0 {
			elem = p.items(1+p.IntN(3), depth-1)
		}
		return fmt.Sprintf("%s [%s, max %d]%s", name, p.one("rest", p.number(2)), most, elem)
	case n == 14:
		return p.one("align(8)", "align(16)", "align(8) any", "reserved(5) any", "q bits(5)")
	}
	return fmt.Sprintf("w%s bits(%s)", name, p.number(1))
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

// What is after a number whose bits are found on the way is not proved to be out of reach: its range, where fields
// give that, and the name that it shares with a `let`.
func TestBehindNumbers(t *testing.T) {
	for _, items := range []string{
		"x below(15) in 0..n + 7",
		"x varint(20) in 0..n + 7",
		"x relative(n) in 0..n + 7",
		"x bits(1 + n & 7) in 0..n + 7",
		"x int(3..n) in 0..n + 7",
		"if n > 3 { x below(15) } else { let x = n }\nrequire x < 14",
	} {
		d, err := decode.Load("behind.pks", []byte("protocol behind\norder lsb\npacket {\n  n uint16 in 0..300\n"+items+"\n}"))
		if err != nil {
			t.Fatal(err)
		}
		c := &covering{t: t, d: d, c: coverage.New(d.Plan())}
		g, made := fuzz.NewGenerator(d), 0
		for i := range uint64(100) {
			if p, err := g.Random(1, i); err == nil {
				c.add(p.Data, p.From)
				made++
			}
		}
		if made < 20 {
			t.Errorf("%s: %d packets", items, made)
		}
	}
}

// A constant that a look has seen is proved, as long as nothing is read in between.
func TestSeenConstants(t *testing.T) {
	for _, row := range []struct {
		items  string
		proved bool
	}{
		{"if peek(8) == 3 { a uint8 == 3 }", true},
		{"if peek(8) == 3 { a uint8 == 4 }", false},
		{"if peek(8) != 3 { b uint8 } else { a uint8 == 3 }", true},
		{"if peek(8) == 3 { b bool, a uint8 == 3 }", false},
		{"if peek(8) == 3 { b empty_, a uint8 == 3 }", false},
		{"if peek(16) == 0x304 { a uint16 le == 0x403 }", true},
		{"if peek(16) == 0x304 { a uint16 le == 0x304 }", false},
		{"if peek(8) == 3 { a uint16 == 3 }", false},
		{"if tail(8) == 3 { a uint8 == 3 }", false},
		{"if peek(8) == 3 || peek(8) == 4 { a uint8 == 3 }", false},
		{"l [while rest > 0 && peek(8) != 3, max 4]uint8\na uint8 == 3", true},
		{"l [while rest > 1 && peek(8) != 3, max 4]uint8\na uint8 == 3", false},
		{"l [while rest > 0 && peek(4) != 3, max 4]uint8\na bits(4) == 3", false},
		{"v switch peek(8) { 3: { a uint8 == 3 }, default: uint8 }", true},
		{"v switch peek(8) { 3..4: { a uint8 == 3 }, default: uint8 }", false},
		{"require peek(8) == 3\nif true { a uint8 == 3 }", true},
		{"if peek(8) == 3 { within(1) { a uint8 == 3 } }", false},
	} {
		src := "protocol seen\norder msb\npacket {\n" + strings.ReplaceAll(row.items, "b empty_", "within(1) { b uint8 }") + "\n}\n"
		d, err := decode.Load("seen.pks", []byte(src))
		if err != nil {
			t.Fatalf("%s: %v", row.items, err)
		}
		found := false
		c := coverage.New(d.Plan())
		for _, r := range c.Rules() {
			if r.Kind == reject.ConstMismatch {
				found = true
				if proved := r.Unreachable != ""; proved != row.proved {
					t.Errorf("%s: %v: proved: %v (%s)", row.items, r, proved, r.Unreachable)
				}
			}
		}
		if !found {
			t.Errorf("%s: no constant", row.items)
		}
		var trace decode.Trace
		trace.RecordPath()
		see := func(packet ...byte) {
			_ = d.Decode(packet, decode.FromUnknown, &trace)
			c.Add(&trace)
		}
		see()
		for a := range 256 {
			see(byte(a))
			for b := range 16 {
				see(byte(a), byte(b))
			}
		}
		if wrong := c.Disproved(); len(wrong) > 0 {
			t.Errorf("%s: %q", row.items, wrong)
		}
	}
}
