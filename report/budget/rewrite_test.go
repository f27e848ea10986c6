package budget

import (
	"strings"
	"testing"
)

// A narrower field can split a run in two, which moves all points and spans after it. What only the packet's end
// decides is retold from the way that the packet went.
func TestRewriteBehindASplitRun(t *testing.T) {
	for _, row := range []struct {
		name, body, wide, narrow string
		packets                  []string
	}{
		{"an if", "a $\nb uint16\nif rest > 0 { c uint8 }", "uint16", "varint(14)", []string{"\x01\x00\x02\x00", "\x01\x00\x02\x00\x03"}},
		{"two ifs, of which one holds", "a $\nif a > 1 { x uint8 }\nif rest > 0 { c uint8 } else { align }", "uint16", "varint(14)",
			[]string{"\x01\x00", "\x01\x00\x03", "\x02\x00\x03", "\x02\x00\x03\x04"}},
		{"a list", "a $\nb uint16\nl [rest, max 9]uint8", "uint16", "varint(14)", []string{"\x01\x00\x02\x00", "\x01\x00\x02\x00\x03\x04"}},
		{"an if in a list", "n uint8\nl [n, max 3]{ a $\nb uint16\nif rest > 0 { c uint8 } }", "uint16", "varint(14)",
			[]string{"\x01\x01\x00\x02\x00", "\x02\x01\x00\x02\x00\x09\x03\x00\x04\x00", "\x02\x01\x00\x02\x00\x09\x03\x00\x04\x00\x08"}},
		{"a text", "a $\nb uint16\nx bytes(rest, max 9)", "uint16", "varint(14)", []string{"\x01\x00\x02\x00", "\x01\x00\x02\x00abc"}},
		{"a switch", "a $\nb uint16\nlet left = rest\ns switch left {\n0: empty\n1: uint8\ndefault: bytes(rest, max 9)\n}", "uint16", "varint(14)",
			[]string{"\x01\x00\x02\x00", "\x01\x00\x02\x00\x03", "\x01\x00\x02\x00\x03\x04"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			schema := func(width string) string {
				return "protocol a\norder lsb\npacket {\n" + strings.ReplaceAll(row.body, "$", width) + "\n}\n"
			}
			var payloads [][]byte
			for _, p := range row.packets {
				payloads = append(payloads, []byte(p))
			}
			from, to := compile(t, "a.pks", schema(row.wide)), compile(t, "a.pks", schema(row.narrow))
			if _, out := rewritten(t, from, to, packetsOf(payloads...)); len(out) != len(payloads) {
				t.Errorf("%d of %d packets were rewritten", len(out), len(payloads))
			}
		})
	}
}
