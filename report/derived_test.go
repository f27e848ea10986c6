package report

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/filter"
)

// A 16-bit secret under a checksum, which 65,536 tries find; a secret count, length and tag, of which what they lead to
// tells.
const derivedSchema = `protocol derived
order msb
enum Kind : uint8 { A = 1, B = 77 }
packet {
    id   uint8
    key  uint16 @secret
    sum  crc32
    n    uint8 in 0..90 @secret
    list [n]uint16
    len  uint8 @secret
    name bytes(len, max 100)
    size uint8 @secret
    within(size) { inside bytes(rest, max 90) }
    wide uint8 in 1..60 @secret
    odd  bits(wide)
    align
    kind Kind @secret
    body switch kind { A: { x uint8 }, B: { y uint16 } }
    tail uint16 in 0..9
}
`

// derivedPacket claims other lengths than it has where they are above 0; of its sum one bit is wrong when broken is
// set.
func derivedPacket(count, length, size, wide, kind int, broken bool) []byte {
	or := func(claim, is int) byte {
		if claim > 0 {
			return byte(claim)
		}
		return byte(is)
	}
	head, rest := []byte{5, 0xbe, 0xad}, []byte{or(count, 23)}
	for i := range 23 {
		rest = append(rest, 0x11, byte(i))
	}
	rest = append(append(rest, or(length, 19)), "abcdefghijklmnopqrs"...)
	rest = append(append(rest, or(size, 17)), "ABCDEFGHIJKLMNOPQ"...)
	rest = append(rest, or(wide, 41), 1, 2, 3, 4, 5, 0, or(kind, 77), 0x12, 0x34, 0, 7)
	packet := append(append(head, 0, 0, 0, 0), rest...)
	sum := crc32.ChecksumIEEE(packet)
	if broken {
		sum ^= 1
	}
	binary.BigEndian.PutUint32(packet[3:], sum)
	return packet
}

// derivedShown finds what tells a secret in a view: the checksum in any of its shapes, the numbers themselves, and the
// bits that they make a field wider.
func derivedShown(packet, view []byte) string {
	sum := binary.BigEndian.Uint32(packet[3:])
	text := strings.ToLower(string(view))
	for _, want := range []uint32{sum, sum ^ 1} {
		for _, shape := range []string{fmt.Sprint(want), fmt.Sprintf("%08x", want), fmt.Sprintf("% x", binary.BigEndian.AppendUint32(nil, want))} {
			if strings.Contains(text, shape) {
				return shape
			}
		}
	}
	return derivedNumbers.FindString(text)
}

// derivedNumbers are counts, lengths, sizes, widths and tags that the packets have or claim, in elements, bytes and bits.
var derivedNumbers = regexp.MustCompile(`(^|[^0-9.+])(23|19|17|41|77|89|87|86|59|55|152|136|696|688)([^0-9]|$)`)

// derivedSizes is what views say of how much a datagram has, which is no secret: its length, where it was refused, and what
// is left of it there.
var derivedSizes = regexp.MustCompile(`"bit":\d+|at bit \d+ \(byte [\d+]+\)|"bits":\d+|‹secret \d+ b›|‹secret \d+ B›|list\[\d+\]|got \d+ left|"got":"\d+"|,\d+\n|\t\d+\n`)

// What is computed from a secret is in no view of any packet, at no truncation.
func TestDerivedSecretsInNoView(t *testing.T) {
	need.OneGoroutine(t)
	p := compile(t, derivedSchema)
	var paths []string
	for _, known := range filter.Paths(p) {
		paths = append(paths, known.Path)
	}
	for _, name := range []string{"pkt.reject.kind", "pkt.reject.path", "pkt.reject.width", "pkt.reject.want", "pkt.reject.got"} {
		for _, known := range filter.EnvelopePaths() {
			if known.Path == name {
				paths = append(paths, name)
			}
		}
	}
	kinds := map[string]int{}
	for _, whole := range [][]byte{
		derivedPacket(0, 0, 0, 0, 0, false), derivedPacket(0, 0, 0, 0, 0, true), derivedPacket(89, 0, 0, 0, 0, false), derivedPacket(0, 87, 0, 0, 0, false),
		derivedPacket(0, 0, 86, 0, 0, false), derivedPacket(0, 0, 0, 59, 0, false), derivedPacket(0, 0, 0, 0, 55, false),
	} {
		for n := 7; n <= len(whole); n++ {
			packet := whole[:n:n]
			if sum := append([]byte(nil), packet...); n < len(whole) {
				binary.BigEndian.PutUint32(sum[3:], 0)
				packet = binary.BigEndian.AppendUint32(sum[:3:3], crc32.ChecksumIEEE(sum))
				packet = append(packet, sum[7:]...)
			}
			pkt := decoded(p, packet)
			content := map[string][]byte{"line": NewText(p, TextOptions{}).AppendLine(nil, pkt), "json": NewJSON(p).Append(nil, pkt)}
			for i, format := range []ColumnFormat{CSV, Fields} {
				c, _ := NewColumns(p, paths, format)
				content[[]string{"csv", "fields"}[i]] = c.Append(nil, pkt)
			}
			if r := pkt.Trace.Reject(); r != nil {
				kinds[r.Kind.String()+" "+r.ShownPath()]++
				content["reject"] = fmt.Appendf(nil, "%s: %s, %s, %d", r.ShownPath(), r.Message(), r.Want(), r.ShownWidth())
				content["clone"] = fmt.Appendf(nil, "%s, %d", r.Clone().Message(), r.Clone().ShownWidth())
			}
			size := fmt.Sprint(len(packet))
			for view, b := range content {
				b = derivedSizes.ReplaceAll(b, nil)
				b = bytes.Replace(b, []byte(" "+size+" B "), nil, 1)
				b = bytes.ReplaceAll(b, []byte("1, 77"), nil) // the cases of the schema
				if shown := derivedShown(packet, b); shown != "" {
					t.Errorf("%d bytes, %s: %q shows in\n%s", n, view, shown, b)
				}
			}
			for view, b := range map[string][]byte{
				"-V": NewText(p, TextOptions{}).AppendTree(nil, pkt), "-x": NewDump(p, TextOptions{}).Append(nil, pkt),
				"explain": NewExplain(p, ExplainOptions{Last: -1}).Append(nil, pkt),
			} {
				sum := binary.BigEndian.Uint32(packet[3:])
				for _, shape := range []string{fmt.Sprintf("%08x", sum), fmt.Sprintf("% x", packet[3:7]), "want 152 bits", "want 696 bits", "want 136 bits", "want 688 bits"} {
					if bytes.Contains(b, []byte(shape)) {
						t.Errorf("%d bytes, %s: %q shows in\n%s", n, view, shape, b)
					}
				}
			}
		}
	}
	for _, want := range []string{"crc-mismatch sum", "past-end ", "unknown-case kind"} {
		if kinds[want] == 0 {
			t.Errorf("no packet is refused as %s: %v", want, kinds)
		}
	}
}

// A checksum shows where it covers no secret, and what has a size that is none.
func TestWhatCoversNoSecretShows(t *testing.T) {
	for _, row := range []struct{ body, payload, want string }{
		{"k uint16 @secret\n sum crc32(over rest)\n a uint8", "bead d202ef8d 00", `"sum":3523407757`},
		{"a uint8\n sum crc32\n", "00 " + fmt.Sprintf("%08x", crc32.ChecksumIEEE(make([]byte, 5))), `"sum":`},
		{"k uint8 @secret\n n uint8\n list [n]uint8", "be 02 01 02", `"list":[1,2]`},
	} {
		p := compile(t, "protocol t\norder msb\npacket {\n"+row.body+"\n}\n")
		pkt := packet(t, p, row.payload)
		got := string(NewJSON(p).Append(nil, pkt))
		if !strings.Contains(got, row.want) || strings.Contains(got, `"sum":"‹`) {
			t.Errorf("%s: want %s in %s", row.body, row.want, got)
		}
	}
}
