package plan_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// A checksum after what has many sizes has no place of its own, so nothing is written there.
func TestRepairChecksumBehindUnknownSizes(t *testing.T) {
	for _, items := range []string{
		"a varint(32)", "a bits(5), b bits(a), align", "a cstring(9)", "a string(9)", "n uint8 in 4..5, within(n) { a uint16, b bytes(n - 2) }",
		"a uint8, b relative(a), align", "a [while rest > 9, max 30]uint8", "a optional uint8, align", "a subset(bitmap) [8]uint8",
	} {
		src := "protocol x\norder lsb\npacket {\n" + items + "\nc crc32\n}\n"
		s, diags := schema.Load("x.pks", []byte(src), nil)
		if s == nil {
			t.Errorf("%s: %s", items, diags[0].AppendText(nil, "x.pks", []byte(src)))
			continue
		}
		p, _ := plan.Compile(s)
		for n := range 40 {
			data := make([]byte, n)
			if p.RepairChecksum(data) || string(data) != string(make([]byte, n)) {
				t.Errorf("%s: %d bytes: repaired", items, n)
			}
		}
	}
}
