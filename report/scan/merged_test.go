package scan_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// What offload has merged is no mistake of who sent it: of such datagrams each is accepted by itself, or none has room
// on Ethernet. What is left over behind one that is right, or is none of them, is refused as ever.
func TestMerged(t *testing.T) {
	d, err := decode.Load("m.pks", []byte("protocol m\nmax datagram 4000\norder msb\npacket {\ncheck 0x4d455247\nn uint16 in 2..9\nlist [n]uint8 in 0..9\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	one := func(n int) string { return fmt.Sprintf("MERG\x00%c%s", n, strings.Repeat("\x05", n)) }
	tiny, err := decode.Load("t.pks", []byte("protocol t\norder msb\npacket { a uint8 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name    string
		decoder *decode.Decoder
		payload string
		merged  int
		verdict decode.Verdict
	}{
		{"one", d, one(9), 0, decode.Accepted},
		{"two", d, one(9) + one(9), 15, decode.NeedsContext},
		{"many, the last shorter", d, strings.Repeat(one(9), 100) + one(3), 15, decode.NeedsContext},
		{"the last longer", d, one(3) + one(9), 0, decode.Refused},
		{"a byte left over", d, one(9) + "M", 0, decode.Refused},
		{"the last is wrong", d, one(9) + one(9) + "MERG\x00\x02\x05\x63", 0, decode.Refused},
		{"the first is wrong", d, "MERG\x00\x02\x05\x63" + one(2), 0, decode.Refused},
		{"more than Linux merges", d, strings.Repeat(one(2), 129), 0, decode.Refused},
		{"bytes of which each is a packet", tiny, "ab", 0, decode.Refused},
		{"wrong, and above the MTU", d, one(9) + strings.Repeat("x", 2000), -1, decode.NeedsContext},
		{"more than Linux merges, above the MTU", d, strings.Repeat(one(9), 129), -1, decode.NeedsContext},
	} {
		var file bytes.Buffer
		w := pcap.NewWriter(&file, pcap.Section{})
		if err := w.WriteUDP(1, netip.MustParseAddrPort("10.0.0.1:1"), netip.MustParseAddrPort("10.0.0.2:2"), []byte(row.payload)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		stage := scan.Stage[int]{
			New: func() func(*int, *scan.Packet) {
				return func(_ *int, p *scan.Packet) {
					if p.Merged != row.merged || p.Verdict() != row.verdict {
						t.Errorf("%s: want %d %v, got %d %v", row.name, row.merged, row.verdict, p.Merged, p.Verdict())
					}
				}
			},
			Drain: func(*int) error { return nil },
		}
		o := scan.Options{Decoders: scan.Always(row.decoder), Workers: 1}
		counts, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(file.Bytes()))), o, stage)
		if want := int64(min(1, row.merged*row.merged)); err != nil || counts.Packets != 1 || counts.Merged != want || counts.NeedsContext != want {
			t.Errorf("%s: %v, %+v", row.name, err, counts.Tally)
		}
	}
}
