package budget

import (
	"fmt"
	"slices"
	"testing"
)

func brokenText(b *Budget) []string {
	var out []string
	for _, o := range b.Broken() {
		out = append(out, fmt.Sprintf("%s|%s|%d: %d times, worst %d, first %d in %s:%d", o.Path, o.Case, o.Limit, o.Times, o.Worst, o.First, o.File, o.N))
	}
	return out
}

func TestBudgets(t *testing.T) {
	const cases = `protocol a
order msb
packet {
    type uint8
    body switch type {
        1: { n uint8, list [n]uint8 @budget(16 bits) } @budget(4 bytes)
        2: { n uint8, list [n]{ k uint8, inner [k]uint8 @budget(1 bytes) } }
        3: { flag optional { m uint8, tail bytes(m) } @budget(24 bits) }
        4: { a uint8, name cstring(9) @budget(3 bytes) }
    }
}
`
	for _, row := range []struct {
		name      string
		packets   [][]byte
		maxPacket int
		want      []string
	}{
		{"exactly", [][]byte{{1, 2, 7, 7}, {2, 2, 1, 9, 1, 9}, {4, 0, 'a', 'b', 0}}, 6, nil},
		{"none of it there", [][]byte{{1, 0}, {2, 1, 0}, {3, 0}}, 3, nil},
		{"an array and what is around it", [][]byte{{1, 3, 7, 7, 7}, {1, 4, 7, 7, 7, 7}, {1, 2, 7, 7}}, 0, []string{
			"body<1>|1|32: 1 times, worst 40, first 40 in a.pcap:2", // 8+4*8
			"body<1>.list|1|16: 2 times, worst 32, first 24 in a.pcap:1",
		}},
		{"each element by itself", [][]byte{{2, 3, 1, 9, 2, 9, 9, 3, 9, 9, 9}, {2, 2, 2, 9, 9, 2, 9, 9}}, 0, []string{
			"body<2>.list[].inner|2|8: 4 times, worst 24, first 16 in a.pcap:1",
		}},
		{"text with its end", [][]byte{{4, 0, 'a', 'b', 'c', 0}}, 0, []string{"body<4>.name|4|24: 1 times, worst 32, first 32 in a.pcap:1"}},
		{"refused packets do not count", [][]byte{{1, 9, 7, 7, 7}, {1, 3, 7, 7, 7, 7}}, 2, nil},
		{"packets", [][]byte{{1, 0}, {2, 1, 0}, {1, 1, 1}, {1, 0}}, 2, []string{
			"|1|2: 1 times, worst 3, first 3 in a.pcap:3", "|2|2: 1 times, worst 3, first 3 in a.pcap:2",
		}},
	} {
		p := compile(t, "a.pks", cases)
		b := counted(p, packetsOf(row.packets...), row.maxPacket)
		if got := brokenText(b); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
		// Whatever worker has the later packets, the first is the first.
		late := counted(p, packetsOf(row.packets...)[len(row.packets)/2:], row.maxPacket)
		if err := late.Merge(counted(p, packetsOf(row.packets...)[:len(row.packets)/2], row.maxPacket)); err != nil {
			t.Fatal(err)
		}
		if got := brokenText(late); !slices.Equal(got, row.want) {
			t.Errorf("%s: merged the other way round: got %q, want %q", row.name, got, row.want)
		}
	}
}

// An optional's flag is not in its budget, its value is, with the length and what pads it.
func TestBudgetOfAnOptional(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x optional { m uint8, data bytes(m) } @budget(16 bits)\n}\n")
	ok := []byte{0x80, 0x00}             // m is 0: 8 bits
	long := []byte{0x81, 0x00, 'a', 'b'} // m is 2: 8+7+16 bits
	b := counted(p, packetsOf(ok, long), 0)
	if b.Packets() != 2 {
		t.Fatalf("%d accepted", b.Packets())
	}
	if got, want := brokenText(b), []string{"x||16: 1 times, worst 31, first 31 in a.pcap:2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A budget that the type keeps costs nothing.
func TestBudgetsThatCannotBreak(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket { x [4]uint8 @budget(32 bits) }\n")
	if n := len(newShape(p).gates); n != 0 {
		t.Errorf("%d are looked at", n)
	}
}
