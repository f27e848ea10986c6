package infer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/message"
)

// made are n packets of a form, a schema's lines with a checksum, of which some are forged: a byte of theirs is changed. The
// encoder makes them, so that it is the judge of where a checksum is and what it covers.
func made(t *testing.T, form string, n int, forged float64, r *rand.Rand) [][]byte {
	t.Helper()
	d, err := decode.Load("sum.pks", []byte("protocol sum\norder lsb\nmax datagram 128\npacket {\n"+form+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var packets [][]byte
	for i := range n {
		noise := make([]byte, 24+4*(i%3))
		for j := range noise {
			noise[j] = byte(r.Uint32())
		}
		fields := map[string]any{"number": i, "noise": fmt.Sprintf("%x", noise)}
		if _, n, ok := strings.Cut(form, "key bytes("); ok {
			size := 0
			if _, err := fmt.Sscanf(n, "%d", &size); err != nil {
				t.Fatal(err)
			}
			fields["key"] = fmt.Sprintf("%x", noise[len(noise)-size:])
		}
		p := encoded(t, d, fields)
		if r.Float64() < forged {
			p[len(p)-1-r.IntN(8)] ^= byte(1 + r.IntN(255))
		}
		packets = append(packets, p)
	}
	return packets
}

// encoded is a packet with some fields.
func encoded(t *testing.T, d *decode.Decoder, fields map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"fields": fields})
	if err != nil {
		t.Fatal(err)
	}
	m := message.New(d.Plan())
	if err := m.FromJSON(text); err != nil {
		t.Fatal(err)
	}
	p, err := m.Encode(decode.NewEncoder(d), nil)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return p
}

// Forged packets do not hide it: they are listed, and no others.
func TestChecksumForged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 32))
	for _, form := range []string{"sum crc32(prefix 0x12345678 : uint32)", "sum crc16_modbus"}[:need.Rounds(2, 1)] {
		packets := made(t, form+"\nnumber uint16\nnoise bytes(rest, max 64)", 200, 0.2, r)
		res := proved(t, packets, infer.Options{})
		if res.Checksum == nil || res.Refused < 20 || res.Refused > 60 {
			t.Errorf("%s: %v, %d refused", form, res.Checksum, res.Refused)
		}
		for _, o := range res.Outliers {
			if !strings.Contains(o.Reason, "crc") {
				t.Errorf("%s: packet %d: %s", form, o.N, o.Reason)
			}
		}
	}
}
