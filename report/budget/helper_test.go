package budget

import (
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

func compile(t testing.TB, name, text string) *plan.Plan {
	t.Helper()
	checked, diags := schema.Load(name, []byte(text), nil)
	if checked == nil {
		t.Fatalf("%s: %v\n%s", name, diags, text)
	}
	p, diags := plan.Compile(checked)
	if p == nil {
		t.Fatalf("%s: %v\n%s", name, diags, text)
	}
	return p
}

func builtIn(t testing.TB, name string) *plan.Plan {
	t.Helper()
	text, ok := protocols.Source(name)
	if !ok {
		t.Fatal("no built-in " + name)
	}
	return compile(t, name+".pks", string(text))
}

const session = "../../cmd/pktscope/testdata/rtype-session.pcap"

// captured is a packet of a capture, with a payload of its own.
type captured struct {
	payload []byte
	from    decode.Direction
	decode.Envelope
}

func capture(t testing.TB, p *plan.Plan, file string) []captured {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []captured
	datagrams := pcap.NewDatagrams(pcap.NewReader(f))
	for {
		d, err := datagrams.Next()
		if err != nil {
			break
		}
		out = append(out, captured{append([]byte(nil), d.Payload...), decode.DirectionOf(p.Schema, d.Src.Port(), d.Dst.Port()),
			decode.Envelope{N: d.N, File: file, Time: d.Time, Src: d.Src, Dst: d.Dst, Cut: d.Cut}})
	}
	if len(out) == 0 {
		t.Fatal(file + ": no packets")
	}
	return out
}

func counted(p *plan.Plan, packets []captured, maxPacket int) *Budget {
	b := New(p, maxPacket)
	d := decode.New(p)
	var trace decode.Trace
	for i := range packets {
		_ = d.Decode(packets[i].payload, packets[i].from, &trace)
		b.Add(&scan.Packet{Envelope: packets[i].Envelope, Trace: &trace})
	}
	return b
}

// packetsOf is payloads as packets of one second each.
func packetsOf(payloads ...[]byte) []captured {
	var out []captured
	for i, payload := range payloads {
		out = append(out, captured{payload: payload, Envelope: decode.Envelope{N: int64(i + 1), File: "a.pcap", Time: int64(i) * 1e9}})
	}
	return out
}

func fieldOf(t testing.TB, b *Budget, path string) Field {
	t.Helper()
	for _, f := range b.Fields() {
		if f.Path == path {
			return f
		}
	}
	t.Fatalf("no field %s", path)
	return Field{}
}
