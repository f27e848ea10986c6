package flow_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// A protocol in the manner of QUIC: long headers say how long the ids of their sender are, short ones do not.
const quicish = `protocol quicish
order msb
port 4433

state {
    each cid_len int(0..20) once
    version      uint32 once
}

packet {
    long bool
    if long {
        kind     bits(7)
        version  uint32 in 1..2
        dcid_len uint8 in 0..20
        dcid     bytes(dcid_len)
        scid_len uint8 in 0..20
        scid     bytes(scid_len)
        if kind == 0x7f { let state = none }
        let state.cid_len = scid_len
        let state.version = version
    } else {
        reserved(7)
        to     bytes(state.cid_len.peer)
        marker uint8 == 0x5a
        if has state.version && state.version == 2 { phase uint8 in 0..3 }
        body   bytes(rest, max 1200) @message(Inner)
    }
}

message Inner max 1200 {
    tag  bytes(state.cid_len)
    mark uint8 == 0xa5
}
`

// sent is a datagram of the independent writer below, and what is in it.
type sent struct {
	src, dst netip.AddrPort
	data     []byte
	to       []byte // of a short one: the id that it is sent to
	tag      []byte
	alone    bool // nothing in the capture tells how long the id is
}

// talk is one connection as its two ends know it. It is written from the protocol, without the schema.
type talk struct {
	client, server netip.AddrPort
	cids           [2][]byte // the client's, the server's
	version        uint32
}

func (c *talk) long(from int, kind byte) sent {
	b := []byte{0x80 | kind}
	b = binary.BigEndian.AppendUint32(b, c.version)
	for _, cid := range [][]byte{c.cids[1-from], c.cids[from]} {
		b = append(append(b, byte(len(cid))), cid...)
	}
	return c.addressed(from, sent{data: b})
}

func (c *talk) short(from int) sent {
	s := sent{to: c.cids[1-from], tag: c.cids[from]}
	s.data = append([]byte{0}, s.to...)
	s.data = append(s.data, 0x5a)
	if c.version == 2 {
		s.data = append(s.data, 3)
	}
	s.data = append(append(s.data, s.tag...), 0xa5)
	return c.addressed(from, s)
}

func (c *talk) addressed(from int, s sent) sent {
	if s.src, s.dst = c.client, c.server; from == 1 {
		s.src, s.dst = s.dst, s.src
	}
	return s
}

// quicishCapture is connections that take turns: one begins again with other ids, one goes on from another port.
func quicishCapture(seed uint64) []sent {
	r := rand.New(rand.NewPCG(seed, 21))
	id := func() []byte {
		b := make([]byte, r.IntN(21))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	server := netip.MustParseAddrPort("10.0.0.1:4433")
	talks := make([]*talk, 3)
	var all []sent
	for i := range talks {
		client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}), uint16(50000+i))
		talks[i] = &talk{client: client, server: server, cids: [2][]byte{id(), id()}, version: 1 + uint32(i)%2}
		all = append(all, talks[i].long(0, 1), talks[i].long(1, 2))
	}
	speak := func() {
		for range 20 {
			all = append(all, talks[r.IntN(len(talks))].short(r.IntN(2)))
		}
	}
	speak()
	talks[1].cids, talks[1].version = [2][]byte{id(), id()}, 3-talks[1].version
	all = append(all, talks[1].long(0, 0x7f), talks[1].long(1, 2)) // again
	speak()
	moved := *talks[2]
	moved.client = netip.MustParseAddrPort("10.0.9.9:9")
	for from := range 2 {
		s := moved.short(from)
		s.alone = true
		all = append(all, s)
	}
	speak()
	return all
}

// judged is what a session made of a datagram.
type judged struct {
	verdict decode.Verdict
	to      []byte
	inner   decode.Verdict
	tag     []byte
	context string
	notes   int
}

// run reads the records of a capture but one; without is out of range for all.
func run(t *testing.T, d *decode.Decoder, all []sent, without int, trust bool) []judged {
	t.Helper()
	s := flow.New(d, flow.Limits{})
	if trust {
		s.Trust()
	}
	out := make([]judged, len(all))
	var trace decode.Trace
	for i, p := range all {
		if i == without {
			continue
		}
		e := decode.Envelope{N: int64(i + 1), Src: p.src, Dst: p.dst, Time: int64(i) * 1e6}
		from := decode.DirectionOf(d.Schema(), p.src.Port(), p.dst.Port())
		_ = s.Decode(&decode.Packet{Data: p.data, From: from}, &e, &trace)
		j := &out[i]
		j.verdict, j.context, j.notes = e.Verdict(&trace), string(trace.AppendContext(nil)), len(trace.Notes)
		j.to = bytesOf(&trace, "to")
		for _, m := range s.Messages() {
			j.inner, j.tag = m.Verdict(), bytesOf(m.Trace, "tag")
		}
	}
	return out
}

func bytesOf(t *decode.Trace, path string) []byte {
	for f := range t.Fields() {
		if f.Path() == path {
			return bytes.Clone(f.Value().Bytes())
		}
	}
	return nil
}

func loadQuicish(t testing.TB) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("quicish.pks", []byte(quicish))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The ids of both directions are the writer's, whatever lengths they have and whoever begins again.
func TestStateSteers(t *testing.T) {
	d := loadQuicish(t)
	for seed := range uint64(20) {
		all := quicishCapture(seed)
		for i, j := range run(t, d, all, -1, false) {
			p := all[i]
			switch {
			case p.alone:
				if j.verdict != decode.NeedsContext || j.context != "state.cid_len.peer is not set" {
					t.Errorf("seed %d, record %d: %v, %s", seed, i+1, j.verdict, j.context)
				}
			case j.verdict != decode.Accepted:
				t.Errorf("seed %d, record %d: %v, %s", seed, i+1, j.verdict, j.context)
			case !bytes.Equal(j.to, p.to) || !bytes.Equal(j.tag, p.tag) || j.inner != decode.Accepted:
				t.Errorf("seed %d, record %d: to %x, tag %x %v; want %x, %x", seed, i+1, j.to, j.tag, j.inner, p.to, p.tag)
			}
		}
	}
}

// Whatever record is missing, nothing is refused for it: neither a datagram nor a message. With the rule taken away some
// are, so the captures are such that it matters.
func TestStateDropped(t *testing.T) {
	d := loadQuicish(t)
	refused, needs := 0, 0
	for seed := range uint64(8) {
		all := quicishCapture(seed)
		for drop := range all {
			for i, j := range run(t, d, all, drop, false) {
				if j.verdict == decode.Refused || j.inner == decode.Refused {
					t.Fatalf("seed %d without record %d: record %d is refused", seed, drop+1, i+1)
				}
				if j.verdict == decode.NeedsContext && !all[i].alone {
					needs++
				}
			}
			for _, j := range run(t, d, all, drop, true) {
				if j.verdict == decode.Refused || j.inner == decode.Refused {
					refused++
				}
			}
		}
	}
	if needs < 100 || refused < 100 {
		t.Errorf("%d packets needed what was dropped, %d are refused with --trust-context: too few for a test", needs, refused)
	}
}

// A refusal tells which records it rests on, and is one where the context is trusted.
func TestStateContext(t *testing.T) {
	d := loadQuicish(t)
	c := &talk{client: netip.MustParseAddrPort("10.0.0.2:5"), server: netip.MustParseAddrPort("10.0.0.1:4433"), cids: [2][]byte{{1}, {2, 3}}, version: 1}
	bad := c.short(0)
	bad.data[3] = 0 // the marker
	other := *c
	other.cids[1] = []byte{2, 3, 4}
	all := []sent{c.long(0, 1), c.long(1, 2), bad, other.long(1, 2), c.short(0)}
	got := run(t, d, all, -1, false)
	if got[2].verdict != decode.NeedsContext || got[2].context != "state.cid_len.peer of record 2" {
		t.Errorf("%v, %s", got[2].verdict, got[2].context)
	}
	if got[3].notes != 1 || got[4].verdict != decode.Accepted || !bytes.Equal(got[4].to, []byte{2, 3}) {
		t.Errorf("what is set once was set again: %d notes, then %v to %x", got[3].notes, got[4].verdict, got[4].to)
	}
	if v := run(t, d, all, -1, true)[2].verdict; v != decode.Refused {
		t.Errorf("trusted, and %v", v)
	}
}

// Nothing that is refused keeps anything, and without a session nothing is kept.
func TestStateOfRefused(t *testing.T) {
	d := loadQuicish(t)
	c := &talk{client: netip.MustParseAddrPort("10.0.0.2:5"), server: netip.MustParseAddrPort("10.0.0.1:4433"), cids: [2][]byte{{1}, {2, 3}}, version: 1}
	bad := c.long(1, 2)
	bad.data = append(bad.data, 0)
	if got := run(t, d, []sent{bad, c.short(0)}, -1, false); got[0].verdict != decode.Refused || got[1].verdict != decode.NeedsContext {
		t.Errorf("%v, then %v", got[0].verdict, got[1].verdict)
	}
	var trace decode.Trace
	for range 2 { // a long one in between leaves nothing in the trace
		if err := d.Decode(c.short(0).data, decode.Client, &trace); err == nil || !trace.NeedsContext() || trace.Reject().Kind != reject.RuleBroken {
			t.Error("a packet that needs context was read without")
		}
		if err := d.Decode(c.long(1, 2).data, decode.Server, &trace); err != nil || trace.NeedsContext() {
			t.Error(err)
		}
	}
}

// Flows that set registers are held to the bounds of all flows.
func TestStateBounds(t *testing.T) {
	d := loadQuicish(t)
	limits := flow.Limits{Memory: 4 << 20, Flows: 4096}
	s := flow.New(d, limits)
	var trace decode.Trace
	c := talk{server: netip.MustParseAddrPort("10.0.0.1:4433"), cids: [2][]byte{{1}, {2, 3}}, version: 1}
	for i := range uint32(30000) {
		var a [4]byte
		binary.BigEndian.PutUint32(a[:], 0x0b000000+i)
		c.client = netip.AddrPortFrom(netip.AddrFrom4(a), 7)
		p := c.long(0, 1)
		e := decode.Envelope{N: int64(i + 1), Src: p.src, Dst: p.dst, Time: int64(i)}
		if err := s.Decode(&decode.Packet{Data: p.data, From: decode.Client}, &e, &trace); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 && flow.HeldOf(s) > limits.Memory {
			t.Fatalf("%d bytes are held", flow.HeldOf(s))
		}
	}
}

// What a flow holds given, each packet is read alone: as the session reads it that holds the same.
func TestWithState(t *testing.T) {
	d := loadQuicish(t)
	all := quicishCapture(3)
	var trace decode.Trace
	for i, j := range run(t, d, all, -1, false) {
		p := all[i]
		if p.to == nil || p.alone {
			continue
		}
		from, own, peer := decode.Client, "client", "server"
		if p.src.Port() == 4433 {
			from, own, peer = decode.Server, peer, own
		}
		version := 1
		if p.data[len(p.to)+2] == 3 && len(p.data) == 4+len(p.to)+len(p.tag) {
			version = 2
		}
		var state []decode.Param
		for _, text := range []string{fmt.Sprintf("cid_len.%s=%d", peer, len(p.to)), fmt.Sprintf("cid_len.%s=%d", own, len(p.tag)), fmt.Sprintf("version=%d", version)} {
			v, err := decode.ParseParam(text)
			if err != nil {
				t.Fatal(err)
			}
			state = append(state, v)
		}
		fixed, err := d.WithState(state...)
		if err != nil {
			t.Fatal(err)
		}
		if err := fixed.Decode(p.data, from, &trace); err != nil || !bytes.Equal(bytesOf(&trace, "to"), j.to) {
			t.Errorf("record %d: %v, to %x; want %x", i+1, err, bytesOf(&trace, "to"), j.to)
		}
		if fixed.Steers() || len(fixed.Plan().Kept) > 0 {
			t.Fatal("something depends on other packets")
		}
	}
	fixed, err := d.WithState()
	if err != nil {
		t.Fatal(err)
	}
	if err := fixed.Decode([]byte{0, 0x5a}, decode.Client, &trace); err == nil || trace.NeedsContext() || !strings.Contains(err.Error(), "want has state.cid_len.peer") {
		t.Error(err)
	}
	for _, bad := range []string{"cid_len=21", "cidlen=1", "version.client=1", "cid_len.peer=1"} {
		v, _ := decode.ParseParam(bad)
		if _, err := d.WithState(v); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// steeredScripts are captures as FuzzSession reads them.
func steeredScripts() (list [][]byte) {
	for seed := range uint64(4) {
		script := []byte{steeredScript}
		for _, p := range quicishCapture(seed) {
			who := byte(p.src.Port()&1) << 1
			if p.src.Port() == 4433 {
				who = byte(p.dst.Port()&1)<<1 | 1
			}
			script = append(append(script, who, byte(len(p.data))), p.data...)
		}
		list = append(list, script)
	}
	return list
}

// steeredScript is the first byte of one.
const steeredScript = 255

// What any packets make of flows is what a map of all that was ever kept makes of them, read by the reference.
func holdSteered(t *testing.T, d *decode.Decoder, script []byte) {
	server := netip.MustParseAddrPort("10.0.0.1:4433")
	s := flow.New(d, flow.Limits{})
	kept := map[string]*big.Int{} // by flow, register and side
	var trace decode.Trace
	for n := int64(1); len(script) >= 2; n++ {
		who, size := script[0]&3, min(int(script[1]), len(script)-2)
		packet := script[2 : 2+size]
		script = script[2+size:]
		e := decode.Envelope{N: n, Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 2}), 1000+uint16(who>>1)), Dst: server}
		from := decode.Client
		if who&1 == 1 {
			e.Src, e.Dst, from = e.Dst, e.Src, decode.Server
		}
		name := func(r *schema.Register, side schema.Side) string {
			if !r.Each {
				return fmt.Sprint(who>>1, r.Name)
			}
			return fmt.Sprint(who>>1, r.Name, side.Of(from))
		}
		held := func(r *schema.Register, side schema.Side) *big.Int { return kept[name(r, side)] }
		want := slow.DecodeHeld(d.Schema(), packet, from, held)
		_ = s.Decode(&decode.Packet{Data: packet, From: from}, &e, &trace)
		verdict := decode.Accepted
		if want.Reject != nil {
			verdict = decode.Refused
			if len(want.Named) > 0 {
				verdict = decode.NeedsContext
			}
		}
		if got := e.Verdict(&trace); got != verdict {
			t.Fatalf("packet %d, %x: %v, reference %v", n, packet, got, verdict)
		}
		for _, k := range want.Kept {
			switch {
			case k.Register == nil:
				for old := range kept {
					if strings.HasPrefix(old, fmt.Sprint(who>>1)) {
						delete(kept, old)
					}
				}
			case kept[name(k.Register, k.Side)] == nil:
				kept[name(k.Register, k.Side)] = k.Value
			}
		}
	}
}

// With bytes changed, dropped and doubled, too.
func TestStateReference(t *testing.T) {
	d := loadQuicish(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, script := range steeredScripts() {
		holdSteered(t, d, script[1:])
		for range 50 {
			b := bytes.Clone(script[1:])
			for range 1 + r.IntN(4) {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			holdSteered(t, d, b)
		}
	}
}
