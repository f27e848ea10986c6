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

// fieldOfLet gives a `let` of a struct.
func fieldOfLet(s *Struct, name string) *Let {
	for _, it := range s.Items {
		if let, ok := it.(*Let); ok && let.Var.Name == name {
			return let
		}
	}
	return nil
}
