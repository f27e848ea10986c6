package oracle_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// compileAny compiles a schema that was drawn; nil where a limit refuses it.
func compileAny(src string) *plan.Plan {
	s, _ := schema.Load("any.pks", []byte(src), nil)
	if s == nil {
		return nil
	}
	p, _ := plan.Compile(s)
	return p
}

// formatKeeps: the plan of a formatted schema is the plan of the schema, and formatting again changes nothing.
func formatKeeps(src string, p *plan.Plan) error {
	out, diags := syntax.Format("any.pks", []byte(src))
	if out == nil {
		return fmt.Errorf("format: %v", diags)
	}
	again, _ := syntax.Format("any.pks", out)
	if !bytes.Equal(again, out) {
		return fmt.Errorf("formatted twice:\n%s\nand once:\n%s", again, out)
	}
	q := compileAny(string(out))
	if q == nil {
		return fmt.Errorf("refused when formatted:\n%s", out)
	}
	if a, b := listing(p), listing(q); a != b {
		return fmt.Errorf("its plan:\n%s\nformatted:\n%s", a, b)
	}
	return nil
}

// listing is the disassembly without the numbers of source lines.
func listing(p *plan.Plan) string {
	var out strings.Builder
	if err := decode.New(p).Disassemble(&out); err != nil {
		panic(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		if len(line) > 5 && i > 6 {
			lines[i] = line[5:]
		}
	}
	return strings.Join(lines, "\n")
}

// holdAny holds one schema against everything: its format, its plan's proof, and decoder against reference on packets
// that get far, their cuts and their flips. flips bounds those. It counts the packets, and says whether one was accepted.
func holdAny(src string, p *plan.Plan, seed uint64, flips int) (packets int, found bool, err error) {
	if err := formatKeeps(src, p); err != nil {
		return 0, false, err
	}
	packets, found, err = holdPlan(p, seed, flips)
	for _, section := range p.Sections { // whole messages
		if err != nil {
			break
		}
		var n int
		n, _, err = holdPlan(section, seed, flips)
		packets += n
	}
	return packets, found, err
}

// holdPlan tries packets, or messages, under one plan.
func holdPlan(p *plan.Plan, seed uint64, flips int) (packets int, found bool, err error) {
	if err := decode.New(p).Verify(); err != nil {
		return 0, false, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	o := oracle.NewOracle(decode.New(p))
	for _, from := range sides() {
		c := &climber{Rand: rng, d: decode.New(p), from: from}
		data, ok := c.climb(30 + 10*flips)
		found = found || ok
		try := func(what string, data []byte) error {
			packets++
			if _, err := o.Decode(data, from); err != nil {
				return fmt.Errorf("%s: from %v: %x: %w", what, from, data, err)
			}
			return nil
		}
		noise := make([]byte, rng.IntN(len(data)+2))
		c.roll(noise, 0, 8*len(noise))
		err = errors.Join(try("climbed", data), try("noise", noise))
		step := max(1, len(data)/flips)
		for n := rng.IntN(step); n < len(data) && err == nil; n += step {
			err = try("cut", data[:n:n])
		}
		step = max(1, 8*len(data)/(4*flips))
		for bit := rng.IntN(step); bit < 8*len(data) && err == nil; bit += step {
			data[bit/8] ^= 1 << (bit % 8)
			err = try("flipped", data)
			data[bit/8] ^= 1 << (bit % 8)
		}
		if err != nil {
			return packets, found, err
		}
	}
	return packets, found, nil
}

// found are schemas under which two things here disagreed once, cut down to what it took, with packets in hex.
var found = []struct {
	name, decls, packet string
	packets             string
}{
	{"the padding behind a packet of another order", "order lsb", "packet order msb { a bits(3) }", "01 04 20 80"},
	{"the padding behind a packet of another order, bousk", "order bousk", "packet order lsb { a bits(3) }", "01 04 20 80"},
	{"closed flags over a varint that is outside", "order lsb\nflags F : varint(5) { A = 1, B = 2 }", "packet { f F }", "7f 60 20 8001 8100 82 ff03"},
	{"closed flags over a varint past all words", "order lsb\nflags F : varint(64) { A = 1, B = 0x8000000000000000 }", "packet { f F }",
		"80808080808080808002 8180808080808080807e ffffffffffffffffff01 ffffffffffffffffffff"},
	{"align behind a bitmap of aligned elements", "order lsb", "packet { v subset(bitmap) [2]char(1), align, a uint8 }", "01000005 02000005 00050000 0305"},
	{"align behind a sentinel of aligned elements", "order msb", "packet { v subset(sentinel) [2]char(1), align, b bytes(1) }", "80ff 80000000 00418041 0041804100"},
	{"align behind a relative of aligned elements", "order msb", "packet { v subset(relative) [2]char(1), align, a uint8 }", "8041c041 8041604100 80418041 6005"},
	{"a checksum over trailing bits, which no encoder writes", "order lsb", "packet { c crc32, a bits(3) }", "338d4475f8"},
	{"the steps of a bitmap whose elements are large", "order lsb\nmax datagram 100", "packet { v subset(bitmap) [300][3]float64, u bytes(rest, max 70) }",
		strings.Repeat("00", 38) + " " + strings.Repeat("00", 60)},
	{"the steps of an element that is refused before its end", "order bousk\nmax datagram 100", "packet { v [rest, max 25][3]char(189) }", "00 0000"},
	{"a first value computed of a computed argument", "order lsb\nstruct Part(n in 0..28, m in 0..99) { g bool, over { let f in 8..192 = prev(f, n % 5 + m % 7 + 8) + 1 } }",
		"packet { a uint8 in 0..9, v [..9]Part(a + 1, a * 2), w [a]{ b uint8, p Part(a % 3, a << 1) } }", "00f0 0100 0309 04020103"},
	{"a switch of integers, carried, and a tag that refuses", "order msb", "packet { v [..9]{ k bool, let was in 0..4095 = prev(s, 7), s switch k { true: uint8, false: bits(12) }, if was > 3 { x switch s { 0..9: uint8, 10..99: bits(3) } } } }",
		"1c0405 28050610 1c640000 3ffff00100"},
	{"what the last element of a list had", "order msb\nstruct Part(q in 0..15) { l subset(index) [4]{ v bits(4) }, w bits(1 + prev(l.v, q)) }",
		"packet { n bits(4) in 0..9, m bits(4), list [n]{ a uint8, k bool, b bits(7), let c in 0..900 = prev(c, 3) + a }, require prev(list.c, 0) < 400, x [prev(list.b, 1), max 3]{ p Part(m), e bool }, if prev(x.e, true) { y bits(3) } }",
		"03ff00 0f00ffffff 12ff02ffff0ff0 230181050200ffffffff 23ff81ff02"},
	{"a float that is cut", "order msb", "packet { n uint8, within(n zeros) { a float32 != 0.0, b float64 == 3 } }", "00 01ff 01 023fc0 043fc00000 053fc000007f"},
	{"a let behind the end of a window that is filled", "order msb", "packet { n uint8, within(n zeros) { a uint8, b uint16, let c = a < b } }", "00 0101 0201aa 03010002"},
}

func TestFoundAgree(t *testing.T) {
	for _, row := range found {
		src := "protocol found\n" + row.decls + "\n" + row.packet + "\n"
		o := newOracle(t, rows.Load(t, src))
		for _, word := range strings.Fields(row.packets) {
			data, err := hex.DecodeString(word)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := o.Decode(data, schema.FromUnknown); err != nil {
				t.Errorf("%s: %s: %v", row.name, word, err)
			}
		}
	}
}

// TestAnySchema holds schemas that were drawn. ANYSCHEMA=5000+100000 draws 100,000 from seed 5000 on, for a soak.
func TestAnySchema(t *testing.T) {
	first, n := 0, need.Rounds(300, 60)
	if soak := os.Getenv("ANYSCHEMA"); soak != "" {
		a, b, _ := strings.Cut(soak, "+")
		first, _ = strconv.Atoi(a)
		n, _ = strconv.Atoi(b)
	}
	schemas, packets, accepts, failed := 0, 0, 0, 0
	have, wrong := map[string]int{}, map[string]int{} // schemas of each form, and those that failed
	for seed := first; seed < first+n; seed++ {
		src := anyschema.Source(anyschema.Seeded(uint64(seed)), 3+seed%40)
		p := compileAny(src)
		if p == nil {
			continue
		}
		schemas++
		held, ok, err := holdAny(src, p, uint64(seed), 10)
		packets += held
		if err != nil {
			if failed++; failed < 8 {
				t.Errorf("seed %d: %v\n%s", seed, err, src)
			}
		}
		if ok {
			accepts++
		}
		once := map[string]bool{}
		forms(p.Schema, func(_ string, name ...any) { once[name[0].(string)] = true })
		for name := range once {
			have[name]++
			if err != nil {
				wrong[name]++
			}
		}
	}
	t.Logf("%d packets under %d of %d schemas, %d with an accepted packet, %d failed", packets, schemas, n, accepts, failed)
	for _, name := range formNames() {
		t.Logf("%7d schemas, %d failed: %s", have[name], wrong[name], name)
	}
}

// FuzzAnySchema does the same for schemas that are made of the fuzzer's bytes.
func FuzzAnySchema(f *testing.F) {
	for seed := range uint64(20) {
		r := anyschema.Seeded(seed)
		choices := make([]byte, 40+10*seed)
		for i := range choices {
			choices[i], _ = r.ReadByte()
		}
		f.Add(choices, seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte, seed uint64) {
		src := anyschema.Source(bytes.NewReader(choices), 40)
		if p := compileAny(src); p != nil {
			if _, _, err := holdAny(src, p, seed, 5); err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
		}
	})
}
