package schema

import (
	"strings"
	"testing"
)

// A switch all of whose arms are integers is one, of all that they can be; another is none.
func TestSwitchOfIntegers(t *testing.T) {
	for _, row := range []struct{ items, expr, want string }{
		{"s switch k { 0: uint8, 1: int(3..400), default: bits(3) }", "s", "0..400"},
		{"s switch k { 0: uint8 in 7..9, default: int(3..4) }", "s + 1", "4..10"},
		{"s switch k { 0: int8, default: uint8 == 200 }", "s", "-128..200"},
		{"s switch k { 0: E, default: E }", "s == E.B", "0..1"},
		{"if k == 1 { s switch k { 1: uint8 } } else { s uint16 in 1..300 }", "s", "0..300"},
		{"if k == 1 { s switch k { 1: uint8 } } else { let s = 900 }", "s", "0..900"},
		{"p Part(k)", "p.s", "0..65535"},
		{"s switch k { 0: uint8, default: empty }", "s", "`s` is a switch"},
		{"s switch k { 0: uint8, default: bool }", "s", "`s` is a switch"},
		{"s switch k { 0: uint8, default: [2]uint8 }", "s", "`s` is a switch"},
		{"s switch k { 0: uint64, default: int8 }", "s", "fits neither int64 nor uint64"},
		{"if k == 1 { s switch k { 1: uint8 } } else { s switch k { default: { a uint8 } } }", "s", "`s` is a switch"},
		{"if k == 1 { s switch k { 1: { a uint8 } } } else { s switch k { default: uint8 } }", "s", "`s` is a switch"},
		{"if k == 1 { s switch k { 1: uint8 }, x [s, max 2]uint8 } else { s switch k { default: { a uint8 } } }", "k", "0..3"},
	} {
		src := "protocol s\norder msb\nenum E : uint8 { A = 1, B = 2 }\nstruct Part(k in 0..3) { s switch k { 0: uint8, default: uint16 } }\n" +
			"packet {\nk bits(2)\n" + row.items + "\nlet v = " + row.expr + "\n}\n"
		s, diags := Load("s.pks", []byte(src), nil)
		got := ""
		if s == nil {
			for _, d := range diags {
				got += d.Message + "\n"
			}
		} else {
			let := s.Packet.Items[len(s.Packet.Items)-1].(*Let)
			got = (interval{let.Lo, let.Hi}).String()
		}
		if !strings.Contains(got, row.want) {
			t.Errorf("%s, %s: want %s, got %s", row.items, row.expr, row.want, got)
		}
	}
}

// A `prev` carries one, too.
func TestPrevOfASwitch(t *testing.T) {
	s := load(t, "protocol s\norder msb\npacket { list [9]{ k bool, let was = prev(s, 7), s switch k { true: uint8, false: bits(12) } } }\n")
	ref := find(t, s, "list").Value.Type.(*ArrayType).Elem.Type.(*StructRef)
	was := fieldOfLet(ref.Struct, "was")
	if was == nil || (interval{was.Lo, was.Hi}).String() != "0..4095" {
		t.Errorf("was is %v", was)
	}
}

// After a list `prev` has what its last element had, or a value that is known before every list.
func TestPrevBehindAList(t *testing.T) {
	for _, row := range []struct{ items, expr, want string }{
		{"l [k]{ a uint8 }", "prev(l.a, 3)", "0..255"},
		{"l [k]{ a uint8 in 5..9 }", "prev(l.a, 3)", "3..9"},
		{"l [k]{ a int8 }", "prev(l.a, 300)", "-128..300"},
		{"l subset(index) [4]{ let a in 3..7 = k + 3, b bits(2) }", "prev(l.a, 7)", "3..7"},
		{"l [2][..3]{ a bits(3) }", "prev(l.a, 0)", "0..7"},
		{"l [k]P", "prev(l.a, 0) + prev(l.a, 0)", "0..14"},
		{"l [k]P\nl2 [k]P", "prev(l2.a, 9)", "0..9"},
		{"l [k]{ a bool }", "prev(l.a, true)", "0..1"},
		{"l [k]{ a bool }", "prev(l.a, 1)", "`a` is a bool, but its first value `1` is not"},
		{"l [k]{ a uint8 }", "prev(l.b, 0)", "the elements of `l` have no `b`"},
		{"l [k]{ if k > 1 { a uint8 }, b bool }", "prev(l.a, 0)", "`a` is an integer that `prev` cannot carry"},
		{"l [k]{ a float32 }", "prev(l.a, 0)", "cannot carry"},
		{"l [k]uint8", "prev(l.a, 0)", "`l` is no list of structs"},
		{"l { a uint8 }", "prev(l.a, 0)", "`l` is no list of structs"},
		{"l optional { a uint8 }", "prev(l.a, 0)", "`l` is no list of structs"},
		{"l [k]{ a uint8 }", "prev(l.a, k)", "unknown name `k`"},
		{"l [k]{ a uint8 }", "prev(l.a, rest)", "looks at no bits"},
		{"if k > 1 { l [k]{ a uint8 } }", "prev(l.a, 0)", "`l` is not always there"},
		{"if k > 1 { l [k]{ a uint8 } } else { l [k]{ a uint8 } }", "prev(l.a, 0)", "`l` is no list of structs"},
		{"m bool", "prev(l.a, 0)", "unknown"},
	} {
		src := "protocol s\norder msb\nstruct P { a bits(3) }\npacket {\nk bits(2)\np P\n" + row.items + "\nlet v = " + row.expr + "\n}\n"
		s, diags := Load("s.pks", []byte(src), nil)
		got := ""
		if s == nil {
			for _, d := range diags {
				got += d.Message + "\n"
			}
		} else {
			let := s.Packet.Items[len(s.Packet.Items)-1].(*Let)
			got = (interval{let.Lo, let.Hi}).String()
		}
		if !strings.Contains(got, row.want) {
			t.Errorf("%s, %s: want %s, got %s", row.items, row.expr, row.want, got)
		}
	}
}

// fieldOfLet gives a `let` of a struct.
func fieldOfLet(s *Struct, name string) *Let {
	for _, it := range s.Items {
		if let, ok := it.(*Let); ok && let.Var.Name == name {
			return let
		}
	}
	return nil
}
