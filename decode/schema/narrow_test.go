package schema

import (
	"fmt"
	"math/big"
	"testing"
)

// Each row is a condition over n (0..255), m (-8..7) and the bool b; the probe reads n, or what the row names, where
// the condition holds and where it does not.
func TestNarrowing(t *testing.T) {
	for _, tt := range []struct{ cond, name, then, els string }{
		{"n > 3", "n", "4..255", "0..3"},
		{"n >= 3", "n", "3..255", "0..2"},
		{"n < 3", "n", "0..2", "3..255"},
		{"n <= 3", "n", "0..3", "4..255"},
		{"3 < n", "n", "4..255", "0..3"},
		{"3 >= n", "n", "0..3", "4..255"},
		{"n == 7", "n", "7", "0..255"},
		{"n != 0", "n", "1..255", "0"},
		{"0 == n", "n", "0", "1..255"},
		{"n == 255", "n", "255", "0..254"},
		{"n in 3..5", "n", "3..5", "0..255"},
		{"n in {0..2, 9}", "n", "0..9", "3..255"},
		{"n in {0, 1, 200..255}", "n", "0..255", "2..199"},
		{"n > 3 && n < 9", "n", "4..8", "0..255"},
		{"n < 3 || n > 9", "n", "0..255", "3..9"},
		{"n < 3 || n == 9", "n", "0..9", "3..255"},
		{"n < 3 || b", "n", "0..255", "3..255"},
		{"!(n < 3)", "n", "3..255", "0..2"},
		{"!(n < 3 || n > 9)", "n", "3..9", "0..255"},
		{"!!(n < 3)", "n", "0..2", "3..255"},
		{"b", "b", "1", "0"},
		{"!b", "b", "0", "1"},
		{"b == true", "b", "1", "0"},
		{"b && n > 3", "n", "4..255", "0..255"},
		{"n < m", "n", "0..6", "0..255"},
		{"n < m", "m", "1..7", "-8..7"},
		{"n == m", "m", "0..7", "-8..7"},
		{"m >= 0", "m", "0..7", "-8..-1"},
		{"n > 300", "n", "0..255", "0..255"}, // dead: nothing is learnt
		{"n < 300", "n", "0..255", "0..255"},
		{"n + 1 > 3", "n", "3..255", "0..2"},
		{"1 + n > 3", "n", "3..255", "0..2"},
		{"n - 3 >= 0", "n", "3..255", "0..2"},
		{"n * 8 in 0..64", "n", "0..8", "9..255"},
		{"8 * n <= 20", "n", "0..2", "3..255"},
		{"n * 8 in {16, 32}", "n", "2..4", "0..255"},
		{"n / 4 == 2", "n", "8..11", "0..255"},
		{"n << 2 > 9", "n", "3..255", "0..2"},
		{"n >> 4 == 15", "n", "240..255", "0..239"},
		{"m * 2 > 5", "m", "3..7", "-8..2"},
		{"(n + 1) * 4 < 20", "n", "0..3", "4..255"},
		{"(m + 8) / 2 < 3", "m", "-8..-3", "-2..7"},
		{"m / 2 < 3", "m", "-8..7", "-8..7"},   // m can be negative
		{"n * n < 9", "n", "0..255", "0..255"}, // only what is linear
		{"n % 8 < 3", "n", "0..255", "0..255"},
		{"3 - n > 0", "n", "0..255", "0..255"},
		{"true", "n", "0..255", "0..255"},
		{"from(client)", "n", "0..255", "0..255"},
		{"h.n < 3 && s.n > 9", "h.n", "0..2", "0..255"}, // two fields of one struct are apart
		{"h.n < 3 && s.n > 9", "s.n", "10..255", "0..255"},
	} {
		src := fmt.Sprintf(`protocol t
order lsb
struct H { n uint8 }
packet {
    n uint8
    m sbits(4)
    b bool
    h H
    s H
    if %s { let yes = %s } else { let no = %s }
    let after = %s
}
`, tt.cond, tt.name, tt.name, tt.name)
		s, diags := Load("t", []byte(src), nil)
		if s == nil {
			t.Errorf("%s: %v", tt.cond, diags)
			continue
		}
		items := s.Packet.Items
		branch := items[5].(*If)
		show := func(it Item) string { return it.(*Let).Value.interval().String() }
		whole := map[string]string{"n": "0..255", "m": "-8..7", "b": "0..1", "h.n": "0..255", "s.n": "0..255"}[tt.name]
		if then, els, after := show(branch.Then[0]), show(branch.Else[0]), show(items[6]); then != tt.then || els != tt.els || after != whole {
			t.Errorf("%s: %s is %s, else %s, after %s, want %s, else %s, after %s", tt.cond, tt.name, then, els, after, tt.then, tt.els, whole)
		}
	}
}

// A rule narrows the field itself; exclusive branches share one Var with the union of their ranges.
func TestVarIntervals(t *testing.T) {
	const src = `protocol t
order lsb
enum Mode : uint8 { Low = 3, High = 9 }
open enum Any : uint8 { One = 1 }
flags Keys : uint8 { Up = 1, Down = 4 }
packet {
    a uint8 in {5, 1..2}
    b uint8 == 7
    c uint8 != 0
    d Mode
    e Any
    f Keys
    g bool
    h sbits(4)
    i int(-3..9)
    j varint(9)
    k zigzag(9)
    i2 uint8 in 0..6
    l bits(i2)
    if g { u uint8 in 3..4 } else { u int(-2..1) }
    m [u]uint8
    n relative(a)
    o Mode == High
    p int(2..a)
    q bool == false
}
`
	want := map[string]string{"a": "1..5", "b": "7", "c": "1..255", "d": "3..9", "e": "0..255", "f": "0..5", "g": "0..1",
		"h": "-8..7", "i": "-3..9", "j": "0..511", "k": "-256..255", "l": "0..63", "u": "-2..4", "n": "2..2147483647",
		"o": "9", "p": "2..5", "q": "0"}
	s, diags := Load("t", []byte(src), nil)
	if s == nil {
		t.Fatal(diags)
	}
	got := map[string]string{}
	vars := map[string]*Var{}
	var walk func([]Item)
	walk = func(items []Item) {
		for _, it := range items {
			switch it := it.(type) {
			case *Align, *Check, *Let, *Require, *Reserved, *Within:
			case *Field:
				if it.Var.Lo != nil {
					got[it.Name] = interval{it.Var.Lo, it.Var.Hi}.String()
				}
				if old := vars[it.Name]; old != nil && old != it.Var {
					t.Errorf("%s has two Vars", it.Name)
				}
				vars[it.Name] = it.Var
			case *If:
				walk(it.Then)
				walk(it.Else)
			}
		}
	}
	walk(s.Packet.Items)
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s is %s, want %s", name, got[name], w)
		}
	}
	for name, used := range map[string]bool{"a": true, "b": false, "u": true, "i2": true, "g": true, "h": false} {
		if vars[name].Used != used {
			t.Errorf("%s is used: %v, want %v", name, !used, used)
		}
	}
}

func TestParams(t *testing.T) {
	const src = `protocol t
order lsb
param Most = 4 in 1..8
const Other = 3
const Half = 0.5
enum Kind : uint8 { A = 1 }
packet {
    n uint8 in 0..Most
    a [n]uint8
    k Kind
}
`
	max := func(given map[string]*big.Int) string {
		s, diags := Load("t", []byte(src), given)
		if s == nil {
			return fmt.Sprintf("%s: %s; %s", diags[0].Pos, diags[0].Message, diags[0].Fix)
		}
		if p := s.Params[0]; p.Value.Uint64() != s.Packet.Items[1].(*Field).Value.Type.(*ArrayType).Max {
			t.Errorf("the param is %s, the array's most %v", p.Value, s.Packet.Items[1])
		}
		return s.Params[0].Value.String()
	}
	huge := new(big.Int).Lsh(bigOne, 4000)
	for _, tt := range []struct {
		given map[string]*big.Int
		want  string
	}{
		{nil, "4"},
		{map[string]*big.Int{"Most": big.NewInt(8)}, "8"},
		{map[string]*big.Int{"Most": big.NewInt(9)}, "3:7: the value given for `Most` is 9, want 1..8; "},
		{map[string]*big.Int{"Most": huge}, "3:7: the value given for `Most` is far above any 64-bit number, want 1..8; "},
		{map[string]*big.Int{"Mots": bigOne}, "0:0: a value is given for `Mots`, but the file has no `param` of that name; did you mean `Most`?"},
		{map[string]*big.Int{"Other": bigOne}, "4:7: a value is given for `Other`, but it is a `const`; make it a `param Other = 3 in a..b` to set it"},
		{map[string]*big.Int{"Half": bigOne}, "5:7: a value is given for `Half`, but it is a `const`; only a `param` is set from outside"},
		{map[string]*big.Int{"Kind": bigOne}, "0:0: a value is given for `Kind`, but the file has no `param` of that name; the params are `Most`"},
	} {
		if got := max(tt.given); got != tt.want {
			t.Errorf("%v:\ngot  %s\nwant %s", tt.given, got, tt.want)
		}
	}
}
