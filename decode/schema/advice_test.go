package schema

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// An advice cures: the schema that has what it says to write has no error. Each mistake is told once.
func TestAdviceCures(t *testing.T) {
	const varint = "struct Varint {\n if peek(1) == 0 { value uint8 } else if peek(2) == 2 { prefix bits(2), wide uint64, pad bits(6), let value = wide } " +
		"else { low uint8, let value = -low - 1 }\n}\n"
	for _, row := range []struct {
		name, src, says, old, new string
	}{
		{"a checksum that is none, of a field called crc", "packet {\n a uint8\n crc crc16_ccitt(over before)\n}",
			"5:6: unknown type `crc16_ccitt`; crc16_modbus, crc16_ibm_3740 (CCITT-FALSE),", "crc16_ccitt", "crc16_ibm_3740"},
		{"elif on the line of the brace", "packet { a uint8, if a == 1 { b uint8 } elif a == 2 { c uint8 } }", "3:41: unknown word `elif`; write `else if`", "elif", "else if"},
		{"hex after bytes", "packet { a bytes(8) @hex }", "3:21: `@hex` comes after an integer; leave it out", " @hex", ""},
		{"hex64 after bytes", "packet { a bytes(8) @hex64 }", "3:22: unknown annotation `@hex64`; leave it out", " @hex64", ""},
		{"hex64 after an integer", "packet { a uint64 @hex64 }", "3:20: unknown annotation `@hex64`; did you mean `hex`?", "hex64", "hex"},
		{"byte order of a varint", "packet { a varint(32) be }", "3:23: `be` comes after values of a fixed multiple of 8 bits only, which `varint(32)` is not; leave it out: the first byte", " be", ""},
		{"a width that is a product", "packet { n uint8, a bits(n * 8) }", "3:26: a width is at most 64 bits, but `n * 8` is 0..2040; write `require n * 8 in 0..64` before it",
			"n uint8, ", "n uint8, require n * 8 in 0..64, "},
		{"a width of two fields", "packet { n uint8, m uint8, a bits(n * m) }", "3:35: a width is at most 64 bits, but `n * m` is 0..65025; write `let size in 0..64 = n * m` before it, and `size` here",
			"a bits(n * m)", "let size in 0..64 = n * m, a bits(size)"},
		{"a limit that may be 0", "packet { n uint8, a below(n + 0) }", "3:27: nothing is below 0, and `n + 0` is 0..255; write `require n + 0 in 1..255` before it", "n uint8, ", "n uint8, require n + 0 in 1..255, "},
		{"a name in three branches that fits no register", varint + "packet {\n n Varint\n require n.value in 0..99\n a bytes(n.value)\n}",
			"8:10: `n.value` is -256..18446744073709551615, which fits neither int64 nor uint64; give the `value` at 4:103 a range, `in 0..9223372036854775807`", "let value = wide", "let value in 0..9223372036854775807 = wide"},
		{"until by the list's name", "struct P { id uint8 }\npacket { l [until l.id == 1, max 9]P }", "4:19: the fields of the element just read are called as in it; write `id`", "l.id", "id"},
		{"an element of no bits", "struct S(k in 0..2) {\n x switch k {\n 0: empty\n 1: uint8\n }\n}\npacket { k uint8 in 0..2, n uint8, l [n]S(k) }", "9:38: an element may take no bits: without a constant count an element takes at least one; its arm at 5:2 takes none: take it out",
			" 0: empty\n", ""},
		{"a flag in lower case, where it is tested, too", "flags F : uint8 { temperature = 0x80 }\npacket { f F, if f.temperature { t int16 } }", "3:19: a case's name is in UpperCamel; write `Temperature`", "temperature", "Temperature"},
		{"a scale with an exponent", "packet { a int32 @scale(1e-7) }", "3:25: a number has no exponent; write `0.0000001`", "1e-7", "0.0000001"},
	} {
		t.Run(row.name, func(t *testing.T) {
			errors := func(src string) (list []string) {
				_, diags := Load("t.pks", []byte("protocol t\norder msb\n"+src+"\n"), nil)
				for _, d := range diags {
					if d.Severity == syntax.Error {
						list = append(list, d.Pos.String()+": "+d.Message+"; "+d.Fix)
					}
				}
				return list
			}
			if list := errors(row.src); len(list) != 1 || !strings.HasPrefix(list[0], row.says) {
				t.Errorf("want one error %q, got %q", row.says, list)
			}
			if list := errors(strings.ReplaceAll(row.src, row.old, row.new)); len(list) > 0 {
				t.Errorf("cured it has %q", list)
			}
		})
	}
}
