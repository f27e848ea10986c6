package report

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// compile makes the plan of a schema, which is one without errors.
func compile(t testing.TB, src string) *plan.Plan {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("schema: %+v", diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("plan: %+v", diags)
	}
	return p
}

func builtin(t testing.TB, name string) *plan.Plan {
	t.Helper()
	src, ok := protocols.Source(name)
	if !ok {
		t.Fatalf("no built-in %s", name)
	}
	return compile(t, string(src))
}

// packet decodes a payload, in hex with spaces, as the third packet of a.pcap, from a client.
func packet(t testing.TB, p *plan.Plan, payload string) *Packet {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(payload, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return decoded(p, data)
}

func decoded(p *plan.Plan, data []byte) *Packet {
	pkt := &Packet{
		N: 3, File: "a.pcap", Time: 1767362841503000000,
		Src:   netip.MustParseAddrPort("10.0.0.3:53471"),
		Dst:   netip.MustParseAddrPort("10.0.0.1:4124"),
		Trace: &decode.Trace{},
	}
	_ = decode.New(p).Decode(data, decode.Client, pkt.Trace) // the trace has its error
	return pkt
}

const countSchema = "protocol t\norder msb\npacket { n uint8 in 0..3\n list [n]uint8 in 0..9 }\n"

func TestVerdict(t *testing.T) {
	counted := compile(t, countSchema)
	summed := compile(t, "protocol t\norder msb\npacket { crc crc32\n n uint8 }\n")
	rows := []struct {
		name    string
		plan    *plan.Plan
		payload string
		cut     bool
		want    Verdict
	}{
		{"past-end", counted, "02 01", false, Refused},
		{"past-end, cut", counted, "02 01", true, Cut},
		{"crc", summed, "00000000 01", false, Refused},
		{"crc, cut", summed, "00000000 01", true, Cut},
		{"out-of-range, cut: no missing byte can mend it", counted, "04", true, Refused},
		{"trailing, cut: more bytes make it worse", counted, "00 01", true, Refused},
		{"whole", counted, "01 01", false, Accepted},
		{"whole, cut: the missing bytes would be left over", counted, "01 01", true, Cut},
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
	p := compile(t, countSchema)
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
