package gogen_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/gogen"
)

// What a Packet can be made to hold is bounded by the schema's maxima where they are smaller than a datagram, and by
// the datagram where they are not. A slice is 24 bytes, and what is after it counts twice.
func TestMemory(t *testing.T) {
	const datagram = "protocol memory\norder lsb\nmax datagram 1000\n"
	for _, row := range []struct {
		name, src string
		want      int64
	}{
		{"a number", "packet { a uint8 }", 8},
		{"a short text", "packet { a string(30) }", 24 + 64},
		{"a text in 8 bytes", "packet { a string(1) }", 24 + 8},
		{"a text that the datagram bounds", "packet { a string(60000) }", 24 + 2*1000},
		{"the rest", "packet { a bytes(rest, max 100) }", 24 + 200},
		{"a list", "packet { a [..5]uint16 }", 24 + 2*5*2},
		{"a list that the datagram bounds", "packet { a [..60000]uint16 }", 24 + 2*2*(500+1)},
		{"an array of texts", "packet { a [3]string(30) }", 3*24 + 3*64},
		{"a list of texts", "packet { a [..5]string(30) }", 24 + 2*5*24 + 5*64},
		{"lists of lists", "packet { a [..10][..3]uint64 }", 24 + 2*10*24 + 2*30*8},
	} {
		out, err := gogen.Generate(compile(t, row.name, []byte(datagram+row.src)), gogen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out.Memory != row.want {
			t.Errorf("%s: about %d bytes, want %d", row.name, out.Memory, row.want)
		}
	}
}
