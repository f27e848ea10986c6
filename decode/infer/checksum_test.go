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

// sums are schemas with a checksum each; what is after it is a counter and noise. The encoder makes their packets, so
// that it is the judge of where a checksum is and what it covers.
func sums() (forms []string) {
	for _, name := range []string{"crc32", "crc32c", "crc32_bzip2", "crc32_mpeg_2", "crc16_modbus", "crc16_ibm_3740", "crc16_xmodem", "crc16_kermit", "crc16_arc", "crc24_openpgp", "crc64_xz"} {
		for _, option := range []string{"", "over rest"} {
			for _, order := range []string{"", " be"} {
				form := name
				if option != "" {
					form += "(" + option + ")"
				}
				forms = append(forms, "sum "+form+order+"\nnumber uint16\nnoise bytes(rest, max 64)")
				forms = append(forms, "magic uint32 == 0x1234567\nnumber uint16\nsum "+form+order+"\nnoise bytes(rest, max 64)")
			}
		}
		size := map[string]int{"crc3": 4, "crc1": 2, "crc2": 3, "crc6": 8}[name[:4]]
		forms = append(forms, fmt.Sprintf("number uint16\nnoise bytes(rest - %d, max 64)\nsum %s(over before)", size, name))
	}
	for _, option := range []string{"prefix 0x12345678 : uint32", "prefix 0xCAFEBABE1122 : uint64", "suffix 0x44551177 : uint32", "suffix 0x51 : uint8", "prefix 0x44551177 : uint32 be, over rest"} {
		forms = append(forms, "sum crc32("+option+")\nnumber uint16\nnoise bytes(rest, max 64)")
	}
	return append(forms, "sum crc16_modbus(prefix 0xBEEF : uint16)\nnumber uint16\nnoise bytes(rest, max 64)",
		"number uint16\nsum inet16\nnoise bytes(rest, max 64)", "sum adler32(over rest)\nnumber uint16\nnoise bytes(rest, max 64)")
}

// made are n packets of a form, of which some are forged: a byte of theirs is changed.
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
		p := encoded(t, d, map[string]any{"number": i, "noise": fmt.Sprintf("%x", noise)})
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

// Of each form twenty packets are enough.
func TestChecksum(t *testing.T) {
	found, tried := 0, 0
	for i, form := range sums() {
		if !need.OneIn(i, 8) {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 32))
		packets := made(t, form, 40, 0, r)
		k := infer.FindChecksum(sample(packets[:20]))
		right := 0
		for _, p := range packets { // also those that it was not found by
			if k != nil && k.Fits(p) {
				right++
				p[len(p)-9] ^= 1
				if k.Fits(p) {
					t.Errorf("%s: %v is of packets that are changed, too", form, k)
				}
			}
		}
		if tried++; right == len(packets) {
			found++
		} else {
			t.Logf("%s: found %v, right in %d", form, k, right)
		}
	}
	if found*100 < tried*99 {
		t.Errorf("%d of %d forms found", found, tried)
	}
	t.Logf("%d of %d forms found", found, tried)
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
