package plan

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
)

// Expressions over the largest and smallest values, against big.Int: the stack machine computes mathematical integers
// although it holds 64 bits.
func TestExpressions(t *testing.T) {
	const fields = "u uint64 in 0..0x7fffffffffffffff\ni int32\nb bool\nf F\nw uint64\n"
	rows := []struct {
		expr string
		u    uint64
		i    int32
		w    uint64
		want string
	}{
		{"u + 1", 1<<63 - 1, 0, 0, "9223372036854775808"},
		{"i - 1", 0, -1 << 31, 0, "-2147483649"},
		{"-i", 0, -1 << 31, 0, "2147483648"},
		{"i * i", 0, -1 << 31, 0, "4611686018427387904"},
		{"i / 7", 0, -15, 0, "-2"},
		{"i % 7", 0, -15, 0, "-1"},
		{"i >> 3", 0, -1, 0, "-1"},
		{"w >> 63", 0, 0, 1 << 63, "1"},
		{"w / 3", 0, 0, 1<<64 - 1, "6148914691236517205"},
		{"w % 10", 0, 0, 1<<64 - 1, "5"},
		{"u & 0xff", 0x1234, 0, 0, "52"},
		{"(i & 0xff) << 2", 0, -1, 0, "1020"},
		{"u ^ 1", 6, 0, 0, "7"},
		{"u | 8", 6, 0, 0, "14"},
		{"w > 5 && i < 0", 0, -1, 1 << 63, "true"},
		{"w == 18446744073709551615", 0, 0, 1<<64 - 1, "true"},
		{"i < w", 0, -1, 0, "true"},
		{"w < i", 0, -1, 0, "false"},
		{"w <= i", 0, 5, 5, "true"},
		{"i == w", 0, -1, 1<<64 - 1, "false"},
		{"i != w", 0, -1, 1<<64 - 1, "true"},
		{"i in {-3..-1, 5}", 0, -2, 0, "true"},
		{"i in {-3..-1, 5}", 0, 4, 0, "false"},
		{"w in {0, 0xffffffffffffffff}", 0, 0, 1<<64 - 1, "true"},
		{"f.A || b", 0, 0, 0, "true"},
		{"!b && f.B", 0, 0, 0, "false"},
		{"i > 0 && 10 / i > 2", 0, 0, 0, "false"},
		{"from(client)", 0, 0, 0, "true"},
		{"from(server)", 0, 0, 0, "false"},
		{"rest", 0, 0, 0, "7"},
		{"peek(12)", 0, 0, 0, "1000"},
		{"tail(20)", 0, 0, 0, "4680"},
	}
	for _, row := range rows {
		t.Run(row.expr, func(t *testing.T) {
			src := "protocol t\norder msb\nflags F : uint8 { A = 1, B = 2 }\npacket {\n" + fields + "let x = " + row.expr + "\n"
			use := "require x >= 0 || x < 0"
			if row.want == "true" || row.want == "false" {
				use = "require x || !x"
			}
			s, diags := schema.Load("t.pks", []byte(src+use+"\n}\n"), nil)
			if s == nil {
				t.Fatalf("%v", diags)
			}
			p, diags := Compile(s)
			if p == nil {
				t.Fatalf("%v", diags)
			}
			env := Env{Registers: make([]uint64, p.Registers), Data: []byte{9, 0x3e, 0x80, 1, 2, 0x30, 0x12, 0x48}, Bit: 8, End: 64, From: schema.Client}
			for register, leaves := range p.RegisterLeaves {
				if len(leaves) == 0 {
					continue
				}
				switch p.Nodes[p.Info[leaves[0]].Node].Name {
				case "u":
					env.Registers[register] = row.u
				case "i":
					env.Registers[register] = uint64(int64(row.i))
				case "w":
					env.Registers[register] = row.w
				case "f":
					env.Registers[register] = 1
				}
			}
			got := ""
			for _, s := range p.Steps {
				if let, ok := s.(*Let); ok {
					o, v := &p.Operands[let.Value], p.Eval(let.Value, &env)
					switch {
					case o.Bool:
						got = fmt.Sprint(v == 1)
					case o.Signed:
						got = fmt.Sprint(int64(v))
					default:
						got = fmt.Sprint(v)
					}
				}
			}
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// Keys order values of either domain, and sets cut off what lies outside it.
func TestMakeSet(t *testing.T) {
	r := func(lo, hi string) schema.Range {
		a, _ := new(big.Int).SetString(lo, 10)
		b, _ := new(big.Int).SetString(hi, 10)
		return schema.Range{Lo: a, Hi: b}
	}
	set := makeSet([]schema.Range{r("10", "20"), r("-5", "3"), r("99999999999999999999", "99999999999999999999"), r("-99999999999999999999", "-7")}, false)
	if len(set) != 2 || !set.has(0) || !set.has(3) || set.has(4) || !set.has(10) || set.has(21) {
		t.Errorf("unsigned: %v", set)
	}
	set = makeSet([]schema.Range{r("-5", "3"), r("-99999999999999999999", "-7")}, true)
	key := func(v int64) uint64 { return uint64(v) ^ signBit }
	if len(set) != 2 || !set.has(key(-5)) || !set.has(key(-1<<63)) || set.has(key(-6)) || set.has(key(4)) {
		t.Errorf("signed: %v", set)
	}
}
