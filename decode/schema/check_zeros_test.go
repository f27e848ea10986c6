package schema

import "testing"

// A window that is filled takes its content's bits with the padding that they need, and no more, on its longest way.
func TestFilledBits(t *testing.T) {
	for _, row := range []struct {
		items string
		want  int // bytes
	}{
		{"a uint32, b uint16", 6},
		{"a bytes(4), b char(3), c uint8", 8},
		{"a bits(4), b bits(4), c bytes(2)", 3},
		{"a bits(1), b bytes(2)", 3},
		{"a bits(1), align, align, b uint8", 2},
		{"a uint16, rest_of bytes(rest, max 9)", 2},
		{"a bits(3), rest_of bytes(rest, max 9)", 1},
		{"rest_of bytes(rest, max 9)", 1},
		{"align", 1},
		{"a [3]{ x bits(4), y char(1) }", 6},
		{"a [3]{ x bits(4), y bits(4), z char(1) }", 6},
		{"a [2048]char(1)", 2048},
		{"a [4]bits(2), b char(1)", 2},
		{"t bits(4), if t == 1 { a bits(4) } else { a bits(1) }\nb char(1)", 2},
		{"t bits(4), if t == 1 { a bits(5) } else { a bits(4) }\nb char(1)", 3},
		{"t uint8\nv switch t { 1: { a bits(7), b char(2) }, 2: bytes(2), default: empty }", 4},
		{"t bits(7)\nv switch t { 1: { a bits(1) }, default: empty }\nw [2]bytes(1)", 3},
		{"s Named, r Named", 4},
		{"k bits(2), s Named, r Named", 4},
		{"k bits(7), s Named, r Named", 5},
		{"v vec3(bits(5)), c char(1)", 3},
		{"reserved(6), reserved(10), c char(1)", 3},
	} {
		src := "protocol t\norder lsb\nstruct Named { a bits(2), b char(1) }\npacket {\nn uint8\nwithin(n zeros) {\n" + row.items + "\n}\nlast uint8\n}\n"
		s, diags := Load("t", []byte(src), nil)
		if s == nil {
			t.Errorf("%s: %v", row.items, diags)
			continue
		}
		if got := s.Packet.Items[1].(*Within).Fill; got != 8*row.want {
			t.Errorf("%s: want %d bytes, got %d bits", row.items, row.want, got)
		}
	}
}
