package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

// chain is a datagram of pointers, each at the one before, with the root before them.
func chain(hops int) []byte {
	data := []byte{0}
	for at := 0; len(data) < 1+2*hops; {
		next := len(data)
		data = append(data, 0xc0|byte(at>>8), byte(at))
		at = next
	}
	return data
}

func TestReadName(t *testing.T) {
	long := strings.Repeat("\x3f"+strings.Repeat("a", 63), 3)
	for _, row := range []struct {
		what, data   string
		at, end      int // end 0: all
		want         string
		size         int
		cut          bool
		rule         wire.TextRule
		faultAt, got int
	}{
		{"a plain one", "\x03www\x07example\x00x", 0, 0, "www.example.", 13, false, 0, 0, 0},
		{"the root", "\x00", 0, 0, ".", 1, false, 0, 0, 0},
		{"escapes", "\x06a.\\ \x7f\xc3\x00", 0, 0, `a\.\\\032\127\195.`, 8, false, 0, 0, 0},
		{"a pointer", "\x01a\x01b\x00\x01c\xc0\x02", 5, 0, "c.b.", 4, false, 0, 0, 0},
		{"a pointer alone", "\x01a\x01b\x00\xc0\x00", 5, 0, "a.b.", 2, false, 0, 0, 0},
		{"a pointer at the root", "\x00\xc0\x00", 1, 0, ".", 2, false, 0, 0, 0},
		{"63 in a label", "\x3f" + strings.Repeat("a", 63) + "\x00", 0, 0, strings.Repeat("a", 63) + ".", 65, false, 0, 0, 0},
		{"255 bytes", long + "\x3d" + strings.Repeat("b", 61) + "\x00", 0, 0, strings.Repeat(strings.Repeat("a", 63)+".", 3) + strings.Repeat("b", 61) + ".", 255, false, 0, 0, 0},
		{"256 bytes", long + "\x3e" + strings.Repeat("b", 62) + "\x00", 0, 0, "", 193, false, wire.TextNameSize, 192, 0x3e},
		{"256 bytes by a pointer", "\x3e" + strings.Repeat("b", 62) + "\x00" + long + "\xc0\x00", 64, 0, "", 194, false, wire.TextNameSize, 0, 0x3e},
		{"254 bytes and a pointer at the root", "\x00" + long + "\x3d" + strings.Repeat("b", 61) + "\xc0\x00", 1, 0, strings.Repeat(strings.Repeat("a", 63)+".", 3) + strings.Repeat("b", 61) + ".", 256, false, 0, 0, 0},
		{"nothing", "", 0, 0, "", 1, true, 0, 0, 0},
		{"no root", "\x01a", 0, 0, "", 3, true, 0, 0, 0},
		{"half a label", "\x05ab", 0, 0, "", 6, true, 0, 0, 0},
		{"half a pointer", "\x00\xc0", 1, 0, "", 2, true, 0, 0, 0},
		{"the window's end", "\x01a\x00", 0, 2, "", 3, true, 0, 0, 0},
		{"at itself", "\x00\xc0\x01", 1, 0, "", 2, false, wire.TextNamePointer, 1, 0xc0},
		{"forward", "\x00\xc0\x03\x00", 1, 0, "", 2, false, wire.TextNamePointer, 1, 0xc0},
		{"at its own labels", "\x01a\xc0\x00", 0, 0, "", 4, false, wire.TextNamePointer, 2, 0xc0},
		{"two that point at each other", "\xc0\x02\xc0\x00", 2, 0, "", 2, false, wire.TextNamePointer, 0, 0xc0},
		{"0x40", "\x01a\x40", 0, 0, "", 3, false, wire.TextNameLabel, 2, 0x40},
		{"0x80", "\x80", 0, 0, "", 1, false, wire.TextNameLabel, 0, 0x80},
		{"0xbf after a pointer", "\xbf\x01a\xc0\x00", 1, 0, "", 4, false, wire.TextNameLabel, 0, 0xbf},
		{"labels that run into the name", "\x03\xc0\x00\x00\x00", 1, 0, "", 2, false, wire.TextNameEnd, 0, 3},
		{"labels that end where the name begins", "\x01a\xc0\x00", 2, 0, "", 2, false, wire.TextNameEnd, 2, 0},
		{"a pointer cut by the name", "\x00\xc0\xc0\x01", 2, 0, "", 2, false, wire.TextNameEnd, 1, 0xc0},
		{"64 pointers", string(chain(64)), 127, 0, ".", 2, false, 0, 0, 0},
		{"65 pointers", string(chain(65)), 129, 0, "", 2, false, wire.TextNameHops, 1, 0xc0},
	} {
		end := row.end
		if end == 0 {
			end = len(row.data)
		}
		text, n := wire.ReadName([]byte("x"), []byte(row.data), row.at, end)
		want := wire.TextFault{}
		if row.rule != 0 {
			want = wire.TextFault{Rule: row.rule, At: row.faultAt, Got: uint64(row.got)}
		}
		if n.Size != row.size || n.Cut != row.cut || n.Fault != want {
			t.Errorf("%s: want size %d, cut %t, %+v; got %+v", row.what, row.size, row.cut, want, n)
		} else if !n.Cut && n.Fault.Rule == 0 && string(text) != "x"+row.want {
			t.Errorf("%s: want %q, got %q", row.what, row.want, text[1:])
		}
		if n.Labels+n.Pointers > wire.MaxNameSteps {
			t.Errorf("%s: %d labels and %d pointers", row.what, n.Labels, n.Pointers)
		}
	}
}

func TestAppendName(t *testing.T) {
	label := strings.Repeat("a", 63)
	for _, row := range []struct {
		text, want, wrong string
		at                int
	}{
		{".", "\x00", "", 0},
		{"www.example.", "\x03www\x07example\x00", "", 0},
		{"www.example", "\x03www\x07example\x00", "", 0},
		{`a\.b\\c\032\255\x.d`, "\x08a.b\\c \xffx\x01d\x00", "", 0},
		{label + ".", "\x3f" + label + "\x00", "", 0},
		{"", "", "an empty label", 0},
		{"..", "", "an empty label", 0},
		{"a..b", "", "an empty label", 2},
		{".a", "", "an empty label", 0},
		{"b." + label + "a.c", "", "a label of more than 63 bytes", 2},
		{strings.Repeat(label+".", 3) + label[:61], "\x3f" + label + "\x3f" + label + "\x3f" + label + "\x3d" + label[:61] + "\x00", "", 0},
		{strings.Repeat(label+".", 3) + label[:62], "", "a name of more than 255 bytes", 192},
		{`a\`, "", `a \ that begins no escape`, 1},
		{`a\12`, "", `a \ that begins no escape`, 1},
		{`a\1b2`, "", `a \ that begins no escape`, 1},
		{`a\256`, "", `a \ that begins no escape`, 1},
	} {
		got, wrong, at := wire.AppendName([]byte("x"), []byte(row.text))
		if wrong != row.wrong || at != row.at || wrong == "" && string(got) != "x"+row.want {
			t.Errorf("%q: want %q, %q at %d; got %q, %q at %d", row.text, row.want, row.wrong, row.at, got, wrong, at)
		}
	}
}

// A name that was read is written as it stood, but for pointers; what was written reads as the same.
func FuzzName(f *testing.F) {
	f.Add([]byte("\x01a\x01b\x00\x01c\xc0\x02"), 5)
	f.Add(chain(64), 127)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		if at < 0 || at > len(data) {
			return
		}
		text, n := wire.ReadName(nil, data, at, len(data))
		if n.Size < 1 || n.Size > wire.MaxNameSize+maxOver || n.Labels+n.Pointers > wire.MaxNameSteps {
			t.Fatalf("%+v", n)
		}
		if n.Cut || n.Fault.Rule != 0 {
			return
		}
		own, wrong, _ := wire.AppendName(nil, text)
		if wrong != "" || n.Pointers == 0 && !bytes.Equal(own, data[at:at+n.Size]) {
			t.Fatalf("%q: %q %s", text, own, wrong)
		}
		if again, n := wire.ReadName(nil, own, 0, len(own)); string(again) != string(text) || n.Size != len(own) {
			t.Fatalf("%q: %q", text, again)
		}
	})
}

// maxOver is how far the label goes that does not fit.
const maxOver = 64
