package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// A secret can follow a step on any of its ways: through if, else, an arm, the default, a list that goes round again.
// `a` is refused before all of it; `last` is after, where nothing secret comes any more.
func TestSecretFrom(t *testing.T) {
	for _, items := range []string{
		"key uint8 @secret",
		"if a > 1 { key uint8 @secret }",
		"if a > 1 { b uint8 } else { key uint8 @secret }",
		"if a > 1 { b uint8 } else if a > 0 { c uint8 } else { key uint8 @secret }",
		"body switch a { 1: { key uint8 @secret }, 2: uint8, default: empty }",
		"body switch a { 1: uint8, 2: { key uint8 @secret } }",
		"body switch a { 1: uint8, default: { key uint8 @secret } }",
		"list [a]{ key uint8 @secret }",
		"list [while rest > 1, max 3]{ b uint8, key uint8 @secret }",
		"list [a]{ if a > 1 { b uint8 } else { key uint8 @secret } }",
		"some optional { key uint8 @secret }",
		"set subset(bitmap) [3]{ key uint8 @secret }",
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder lsb\npacket {\na uint8\nalign\n"+items+"\nalign\nlast uint8\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", items, diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatalf("%s: %v", items, diags)
		}
		if !p.SecretFrom(0, -1) || !p.SecretFrom(-1, -1) {
			t.Errorf("%s: no secret follows the first field", items)
		}
		for _, s := range p.Steps {
			if run, ok := s.(*plan.Run); ok && p.Nodes[p.Info[run.First].Node].Name == "last" && p.SecretFrom(run.Point, -1) {
				t.Errorf("%s: a secret follows the last field", items)
			}
		}
	}
}

// In a list, a secret after this field is also before the next element's.
func TestSecretFromGoesRound(t *testing.T) {
	s, diags := schema.Load("t.pks", []byte("protocol t\norder lsb\npacket { a uint8, list [a]{ key uint8 @secret, align, b varint(7) } }\n"), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, _ := plan.Compile(s)
	for _, s := range p.Steps {
		if n, ok := s.(*plan.Number); ok && !p.SecretFrom(n.Point, -1) {
			t.Error("no secret follows the end of an element")
		}
	}
}

// A field that a relation makes equal to what is computed from a secret is one, also where the relation is a chain of
// `let`s with more ways through it than there is time for.
func TestEqualToSecret(t *testing.T) {
	text := "protocol t\norder lsb\npacket {\nkey uint8 @secret\nsum uint8\nfree uint8\nlet _a0 = sum + 1 == (key & 15) && free > 3\n"
	const chain = 60
	for i := range chain {
		text += fmt.Sprintf("let _a%d = _a%d && _a%d\n", i+1, i, i)
	}
	text += "between uint8 in key - 1..key + 1\nbelow uint8 in 0..key\n"
	s, diags := schema.Load("t.pks", fmt.Appendf(nil, "%srequire _a%d\n}\n", text, chain), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if want := n.Name == "key" || n.Name == "sum" || n.Name == "between"; n.Secret != want {
			t.Errorf("%s: secret is %t", n.Name, n.Secret)
		}
	}
}

// What is carried to the next element is equal to a secret of this one where a relation says so, and so is a name that
// is a `let` in one branch and a field in the other.
func TestCarriedSecrets(t *testing.T) {
	for _, row := range []struct {
		items string
		want  string // the fields that are secret
	}{
		{"list [n]{ a uint8, b uint8 @secret, let c = prev(a, 0) }", "b"},
		{"list [n]{ a uint8, b uint8 @secret, let c = prev(b, 0), let d = c }", "b c d"},
		{"list [n]{ a uint8, let c in 0..300 = prev(c, 0) + a, if c > 3 { b uint8 @secret, let e = b } }", "b e"},
		{"list [n]{ let c = prev(b, 0), a bits(c % 9), b uint8 @secret }", "a b c"},
		{"list [n]{ a uint8, b uint8 @secret, require prev(a, 0) + 1 == b & 15 }", "a b"},
		{"list [n]{ a uint8, let sum in 0..99 = prev(sum, 0) + a, b uint8 @secret, let _ok = sum == b % 16, require _ok }", "a b sum"},
		{"list [n]{ a uint8, b uint8 @secret, within(prev(a, 1) zeros) { x uint8 } }", "b"},
		{"list [n]{ a uint8, within(prev(a, 1) zeros) { b uint8 @secret } }", "a b"},
		{"a uint8, let c = a, within(c zeros) { b uint8 @secret }", "a b c"},
		{"a uint8, if a > 3 { let c = a } else { c bits(5) }, b uint8 @secret, require c == b & 15", "a b c"},
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\npacket {\nn uint8\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Errorf("%s: %v", row.items, diags)
			continue
		}
		p, _ := plan.Compile(s)
		secret := map[string]bool{}
		for i := range p.Nodes {
			if n := &p.Nodes[i]; n.Secret && n.Kind == plan.NodeLeaf {
				secret[n.Name] = true
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(secret)), " "); got != row.want {
			t.Errorf("%s: secret are %s, want %s", row.items, got, row.want)
		}
	}
}

// A secret moves what follows where it says how large something is, how often it comes or whether it does, up to the
// end of a window of known size; what it moves at the end of an element has moved at the beginning of the next.
func TestWhatSecretsMove(t *testing.T) {
	for _, row := range []struct {
		items       string
		place, left bool // at the end of the packet
		inside      bool // the place of the last step of all
	}{
		{"b uint8", false, false, false},
		{"b bytes(key)", true, true, false},
		{"b varint(20) @secret", true, true, false},
		{"b cstring(9) @secret", true, true, false},
		{"b cstring(1) @secret", false, false, false},
		{"b dnsname", false, false, false},
		{"b dnsname @secret", true, true, false},
		{"if key > 3 { b uint8 }", true, true, false},
		{"if key > 3 { let k = key + 1\nrequire k > 4 }", false, false, false},
		{"if n > 3 { b bytes(key) } else { c uint8 }", true, true, false},
		{"s switch key { 1: uint8, default: empty }", true, true, false},
		{"list [key]uint8", true, true, false},
		{"list [n]{ b varint(20) @secret\nc uint8 }", true, true, true},
		{"list [n]{ c uint8\nb varint(20) @secret }", true, true, true},
		{"list [until list == key, max 9]uint8", true, true, false},
		{"within(key) { b uint8 }", true, true, false},
		{"within(9) { b bytes(key % 8)\nc uint8 }", false, false, true},
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder lsb\npacket {\nkey uint8 @secret\nn uint8\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Errorf("%s: %v", row.items, diags)
			continue
		}
		p, _ := plan.Compile(s)
		last := p.Steps[len(p.Steps)-1].At().Point
		if place, left, inside := p.PlaceSecret(p.End()), p.LeftSecret(p.End()), p.PlaceSecret(last); place != row.place || left != row.left || inside != row.inside {
			t.Errorf("%s: at the end place %t, left %t; the last step %t", row.items, place, left, inside)
		}
	}
}

// A checksum that begins or ends with a secret tells it, where it covers none as well.
func TestSumValuesOfSecrets(t *testing.T) {
	for _, row := range []struct {
		items string
		want  bool
	}{
		{"k uint16 @secret\nn uint16\nsum crc32(over rest, prefix n : uint16)\na uint8", false},
		{"k uint16 @secret\nsum crc32(over rest, prefix k : uint16)\na uint8", true},
		{"k uint16 @secret\nlet twice = k * 2\nsum crc32(over rest, prefix 5 : uint8, suffix twice + 1 : uint32 be)\na uint8", true},
		{"n uint16\nsum crc32(over rest, suffix n : uint16)\na uint8 @secret", true},
	} {
		src := "protocol x\norder lsb\npacket {\n" + row.items + "\n}\n"
		s, diags := schema.Load("x.pks", []byte(src), nil)
		if s == nil {
			t.Errorf("%s: %s", row.items, diags[0].AppendText(nil, "x.pks", []byte(src)))
			continue
		}
		p, _ := plan.Compile(s)
		if got := p.Nodes[p.Checksums[0].Node].Secret; got != row.want {
			t.Errorf("%s: the checksum is a secret: want %t, got %t", row.items, row.want, got)
		}
	}
}

// A name can point at any byte before it, so it shows each secret that can be there, but not one after it.
func TestNamesPointAtSecrets(t *testing.T) {
	for _, row := range []struct{ items, secret string }{
		{"a dnsname\nkey uint8 @secret", "key"},
		{"key uint8 @secret\na dnsname", "key a"},
		{"a dnsname\nkey uint8 @secret\nn uint8\nlist [n]{ b dnsname }", "key b"},
		{"n uint8\na dnsname\nlist [n]{ b dnsname\nkey uint8 @secret }\nc dnsname", "b key c"},
		{"n uint8\nlist [n]{ a dnsname\ninner [n]{ key uint8 @secret } }", "a key"},
		{"a uint8\ns switch a { 1: { key uint8 @secret }, default: { b dnsname } }", "key b"},
		{"a dnsname\nb dnsname", ""},
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder lsb\npacket {\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Fatal(diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatal(diags)
		}
		var secret []string
		for i := range p.Nodes {
			if n := &p.Nodes[i]; n.Secret && n.Kind != plan.NodeItem {
				secret = append(secret, n.Name)
				if n.Name != "key" && n.Unsized {
					t.Errorf("%s: the size of %s is masked", row.items, n.Name)
				}
			}
		}
		if got := strings.Join(secret, " "); got != row.secret {
			t.Errorf("%s: want the secrets %q, got %q", row.items, row.secret, got)
		}
	}
}

// What a look decides is a secret where one can be among what it sees, and only there.
func TestLooksAtSecrets(t *testing.T) {
	for items, secret := range map[string]bool{
		"if peek(8) > 1 { b uint8 }\nkey uint8 @secret":                     true,
		"if tail(8) > 1 { b uint8 }\nkey uint8 @secret":                     true,
		"let n = peek(8)\nif n > 1 { b uint8 }\nkey uint8 @secret":          true,
		"key uint8 @secret\nif peek(8) > 1 { b uint8 }":                     false,
		"n uint8 @secret\nc bytes(n)\nif tail(8) > 1 { b uint8 }":           true,
		"key uint8 @secret\nif tail(8) > 1 { b uint8 } else { empty bool }": false,
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\npacket {\n"+items+"\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", items, diags)
		}
		p, _ := plan.Compile(s)
		for i := range p.Nodes {
			if n := &p.Nodes[i]; n.Name == "b" && n.Decided != secret {
				t.Errorf("%s: decided by a secret: want %v, got %v", items, secret, n.Decided)
			}
		}
	}
}
