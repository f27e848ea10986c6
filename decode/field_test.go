package decode_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

const everyForm = `enum E : int(-4..3) {
  Low = -4
  Up = 2
}
open flags F : bits(5) {
  A = 1
  B = 2
  High = 16
}
enum T : uint16 {
  One = 1
}
`

// What a value is as text, as JSON and to a program.
func TestValues(t *testing.T) {
	for _, row := range []struct {
		order, typ, packet string
		form               decode.Form
		text, json         string
		value              any // nil: not asked
	}{
		{"msb", "uint8", "07", decode.FormUint, "7", "7", uint64(7)},
		{"msb", "int8", "f9", decode.FormInt, "-7", "-7", int64(-7)},
		{"msb", "int(-3..12)", "f0", decode.FormInt, "12", "12", int64(12)},
		{"msb", "int(1000..1015)", "10", decode.FormUint, "1001", "1001", uint64(1001)},
		{"msb", "uint64", "ffffffffffffffff", decode.FormUint, "18446744073709551615", `"18446744073709551615"`, uint64(math.MaxUint64)},
		{"lsb", "zigzag(64)", "ffffffffffffffffff01", decode.FormInt, "-9223372036854775808", `"-9223372036854775808"`, int64(math.MinInt64)},
		{"msb", "bool", "80", decode.FormBool, "true", "true", true},
		{"msb", "float32", "3e800000", decode.FormFloat, "0.25", "0.25", 0.25},
		{"msb", "float32", "ff800000", decode.FormFloat, "-Infinity", `"-Infinity"`, math.Inf(-1)},
		{"msb", "float32", "7fc00001", decode.FormFloat, "NaN", `{"value":"NaN","raw":"2143289345"}`, nil},
		{"msb", "float(0..10, 0.01)", "4e80", decode.FormFloat, "3.14", "3.14", float64(float32(3.14))},
		{"msb", "E", "00", decode.FormCase, "Low", `"Low"`, int64(-4)},
		{"msb", "T", "0001", decode.FormCase, "One", `"One"`, uint64(1)},
		{"msb", "F", "90", decode.FormFlags, "B|High", `["B","High"]`, uint64(18)},
		{"msb", "F", "00", decode.FormFlags, "none", "[]", uint64(0)},
		{"msb", "F", "40", decode.FormFlags, "0x8", `{"value":[],"raw":"8"}`, uint64(8)},
		{"msb", "crc32", "00000000", decode.FormHex, "", "", nil},
		{"msb", "bytes(2)", "00ff", decode.FormBytes, "00ff", `"00ff"`, "\x00\xff"},
		{"msb", "char(4)", "61220000", decode.FormText, `"a\""`, `"a\""`, "a\""},
		{"msb", "char(4)", "ff1b0000", decode.FormText, `"\xff\x1b"`, "{\"value\":\"\ufffd\\u001b\",\"raw\":\"ff1b0000\"}", "\xff\x1b"},
		{"msb", "char(4) latin1", "e9220000", decode.FormText, `"é\""`, `"é\""`, "é\""},
		{"msb", "bytes(3) utf8", "610000", decode.FormText, `"a\x00\x00"`, `"a\u0000\u0000"`, "a\x00\x00"},
		{"msb", "bytes(4) utf16", "00e920ac", decode.FormText, `"é€"`, `"é€"`, "é€"},
		{"lsb", "bytes(4) utf16", "e900ac20", decode.FormText, `"é€"`, `"é€"`, "é€"},
		{"msb", "uint32 @ipv4", "c0000201", decode.FormUint, "192.0.2.1", `"192.0.2.1"`, uint64(0xc0000201)},
		{"msb", "bytes(4) @ipv4", "c0000201", decode.FormBytes, "192.0.2.1", `"192.0.2.1"`, "\xc0\x00\x02\x01"},
		{"msb", "int8 @hex", "ff", decode.FormInt, "-0x1", `"-0x1"`, int64(-1)},
		{"lsb", "wstring(4)", "86010000f003000000", decode.FormText, `"aü"`, `"aü"`, "aü"},
	} {
		var tr decode.Trace
		_ = protocol(t, row.order, everyForm, "v "+row.typ).Decode(unhex(t, row.packet), decode.FromUnknown, &tr)
		n := 0
		for f := range tr.Fields() {
			v := f.Value()
			if f.Path() != "v" {
				continue
			}
			n++
			if v.Form() != row.form {
				t.Errorf("%s: want form %v, got %v", row.typ, row.form, v.Form())
			}
			if row.text != "" && (v.String() != row.text || string(v.AppendJSON(nil)) != row.json) {
				t.Errorf("%s of %s: want %s and %s, got %s and %s", row.typ, row.packet, row.text, row.json, v, v.AppendJSON(nil))
			}
			var got any
			switch row.value.(type) {
			case nil:
				continue
			case uint64:
				got = v.Uint()
			case int64:
				got = v.Int()
			case float64:
				got = v.Float()
			case bool:
				got = v.Bool()
			case string:
				got = string(v.Bytes())
			}
			if got != row.value {
				t.Errorf("%s of %s: want %v, got %v", row.typ, row.packet, row.value, got)
			}
		}
		if n != 1 && row.form != decode.FormHex {
			t.Errorf("%s of %s: %d fields, %v", row.typ, row.packet, n, tr.Reject())
		}
	}
}

// A method that a value's form has no answer to panics as the caller's mistake.
func TestValueOfAnotherForm(t *testing.T) {
	var tr decode.Trace
	if err := protocol(t, "msb", "", "f float32\ni int8\nb bytes(1)\nu uint64").Decode(unhex(t, "00000000 ff 00 8000000000000000"), decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	ask := map[string]func(decode.Value){
		"Uint": func(v decode.Value) { v.Uint() }, "Int": func(v decode.Value) { v.Int() }, "Float": func(v decode.Value) { v.Float() },
		"Bool": func(v decode.Value) { v.Bool() }, "Bytes": func(v decode.Value) { v.Bytes() },
	}
	mistakes := map[string]string{
		"f": "Uint of a float, Int of a float, Bool of a float, Bytes of a float",
		"i": "Uint of a signed integer, Bool of a signed integer, Bytes of a signed integer",
		"b": "Uint of bytes, Int of bytes, Float of bytes, Bool of bytes",
		"u": "Int of 9223372036854775808, Bool of an unsigned integer, Bytes of an unsigned integer",
	}
	for f := range tr.Fields() {
		var got []string
		for _, name := range []string{"Uint", "Int", "Float", "Bool", "Bytes"} {
			func() {
				defer func() {
					if r := recover(); r != nil {
						got = append(got, strings.TrimPrefix(fmt.Sprint(r), "decode: "))
					}
				}()
				ask[name](f.Value())
			}()
		}
		if want := mistakes[f.Name()]; strings.Join(got, ", ") != want {
			t.Errorf("%s: want %s, got %s", f.Name(), want, strings.Join(got, ", "))
		}
	}
}

// The text of a secret is a mask in every form, also through fmt, and not where a program reveals it; what its size
// tells of another secret is not in the mask.
func TestSecretFields(t *testing.T) {
	var tr decode.Trace
	d := protocol(t, "msb", everyForm, "k uint8 @secret\ne E @secret\nalign\nf float32 @secret\ntext string(9) @secret\nb [k]uint8 @secret\nopen uint8")
	if err := d.Decode(unhex(t, "02 c0 3e800000 30616263 0102 09"), decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	var got, revealed []string
	for f := range tr.Fields() {
		v := f.Value()
		if v.Secret() != f.Secret() || v.Reveal().Secret() {
			t.Errorf("%s: %v and %v", f.Path(), v.Secret(), f.Secret())
		}
		shown := fmt.Sprintf("%s=%s", f.Name(), v)
		got = append(got, shown)
		if f.Secret() {
			text := "‹secret"
			for _, b := range []string{string(v.AppendText(nil)), strings.Trim(string(v.AppendJSON(nil)), `"`), v.String()} {
				if !strings.HasPrefix(b, text) || !strings.HasSuffix(b, "›") {
					t.Errorf("%s shows %s", f.Path(), b)
				}
			}
			if v.CaseName() != "" {
				t.Errorf("%s is called %s", f.Path(), v.CaseName())
			}
		}
		revealed = append(revealed, v.Reveal().String())
	}
	if want := "k=‹secret 1 B› e=‹secret 1 B› f=‹secret 4 B› text=‹secret› =‹secret› =‹secret› open=9"; strings.Join(got, " ") != want {
		t.Errorf("want %s\n got %s", want, strings.Join(got, " "))
	}
	if want := `2 Up 0.25 "abc" 1 2 9`; strings.Join(revealed, " ") != want {
		t.Errorf("revealed: want %s, got %s", want, strings.Join(revealed, " "))
	}
}

// What a Field says of itself, inside lists and vectors and after fields that have been left early.
func TestFields(t *testing.T) {
	var tr decode.Trace
	d := protocol(t, "msb", "struct R { at vec2(int8) @unit(\"m\") }", "n uint8\nrs [n]R\nls [2]uint8 @unit(\"ms\")\ncheck \"x\"")
	if err := d.Decode(unhex(t, "02 0102 0304 0506 d9d8acd8"), decode.FromUnknown, &tr); tr.Bits < 56 {
		t.Fatal(err)
	}
	for range tr.Fields() {
		break
	}
	var got []string
	for f := range tr.Fields() {
		inner := 0
		for range tr.Fields() { // fields inside fields
			inner++
		}
		index, of, _ := f.Element()
		got = append(got, fmt.Sprintf("%s %q %d+%d raw %d %d/%d %s %d", f.Path(), f.Name(), f.Bit(), f.Width(), f.Raw(), index, of, f.Unit(), inner))
		if tr.Plan.Nodes[f.Node()].Name != f.Name() {
			t.Errorf("%s is node %d", f.Path(), f.Node())
		}
	}
	want := `n "n" 0+8 raw 2 0/0  7
rs[0].at.x "x" 8+8 raw 1 0/2 m 7
rs[0].at.y "y" 16+8 raw 2 0/2 m 7
rs[1].at.x "x" 24+8 raw 3 1/2 m 7
rs[1].at.y "y" 32+8 raw 4 1/2 m 7
ls[0] "" 40+8 raw 5 0/2 ms 7
ls[1] "" 48+8 raw 6 1/2 ms 7`
	if strings.Join(got, "\n") != want {
		t.Errorf("want\n%s\ngot\n%s", want, strings.Join(got, "\n"))
	}
}

// Going over fields and showing them allocates nothing once the buffers have grown: text that lies on no byte, too.
func TestFieldsDoNotAllocate(t *testing.T) {
	var tr decode.Trace
	d := protocol(t, "bousk", everyForm, "b bool\nw wstring(4)\ntext string(9)\ne F\nf float32\nls [3]uint8")
	packet := make([]byte, 40)
	_ = d.Decode(packet, decode.FromUnknown, &tr)
	var out []byte
	fields := 0
	read := func() {
		out = out[:0]
		for f := range tr.Fields() {
			out = f.Value().AppendJSON(f.Value().AppendText(f.AppendPath(out)))
			fields++
		}
	}
	read()
	if fields != 8 {
		t.Fatalf("%d fields: %s", fields, out)
	}
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
	events := 0
	if n := testing.AllocsPerRun(100, func() {
		for range tr.Walk() {
			events++
		}
	}); n > 1 { // a wstring, which is the caller's to keep
		t.Errorf("%v allocations of a walk", n)
	}
}
