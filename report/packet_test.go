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
	"github.com/pktscope/pktscope/report/scan"
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
func packet(t testing.TB, p *plan.Plan, payload string) *scan.Packet {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(payload, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return decoded(p, data)
}

func decoded(p *plan.Plan, data []byte) *scan.Packet {
	pkt := &scan.Packet{Envelope: decode.Envelope{N: 3, File: "a.pcap", Time: 1767362841503000000, Src: netip.MustParseAddrPort("10.0.0.3:53471"), Dst: netip.MustParseAddrPort("10.0.0.1:4124")}, Trace: &decode.Trace{}}
	_ = decode.New(p).Decode(data, decode.Client, pkt.Trace) // the trace has its error
	return pkt
}

const countSchema = "protocol t\norder msb\npacket { n uint8 in 0..3\n list [n]uint8 in 0..9 }\n"
