package scan_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/scan"
)

func load(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("test.pks", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// packet decodes a payload, in hex with spaces.
func packet(t testing.TB, d *decode.Decoder, payload string) *scan.Packet {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(payload, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	p := &scan.Packet{Trace: new(decode.Trace)}
	d.Read(&decode.Packet{Data: data, Size: len(data), From: decode.Client}, p.Trace)
	return p
}

const countSchema = "protocol t\norder msb\npacket { n uint8 in 0..3\n list [n]uint8 in 0..9 }\n"

func TestVerdict(t *testing.T) {
	counted := load(t, countSchema)
	summed := load(t, "protocol t\norder msb\npacket { crc crc32\n n uint8 }\n")
	rows := []struct {
		name    string
		plan    *decode.Decoder
		payload string
		cut     bool
		want    decode.Verdict
	}{
		{"past-end", counted, "02 01", false, decode.Refused},
		{"past-end, cut", counted, "02 01", true, decode.Cut},
		{"crc", summed, "00000000 01", false, decode.Refused},
		{"crc, cut", summed, "00000000 01", true, decode.Cut},
		{"out-of-range, cut: no missing byte can mend it", counted, "04", true, decode.Refused},
		{"trailing, cut: more bytes make it worse", counted, "00 01", true, decode.Refused},
		{"whole", counted, "01 01", false, decode.Accepted},
		{"whole, cut: the missing bytes would be left over", counted, "01 01", true, decode.Cut},
	}
	for _, row := range rows {
		p := packet(t, row.plan, row.payload)
		p.Cut = row.cut
		if got := p.Verdict(); got != row.want {
			t.Errorf("%s: verdict %s, want %s", row.name, got, row.want)
		}
	}
}

// A refused packet has no notes, not even one from outside the decoder.
func TestNotes(t *testing.T) {
	p := load(t, countSchema)
	for _, row := range []struct {
		payload string
		want    int
	}{{"04", 0}, {"01 01", 1}} {
		pkt := packet(t, p, row.payload)
		pkt.LengthMismatch = true
		if got := pkt.Notes(); got != row.want {
			t.Errorf("%s: %d notes, want %d", row.payload, got, row.want)
		}
	}
}
