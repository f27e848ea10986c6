package filter

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// planOf compiles a schema's source.
func planOf(tb testing.TB, src string) *plan.Plan {
	tb.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		tb.Fatalf("schema: %v\n%s", diags, src)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("plan: %v\n%s", diags, src)
	}
	return p
}

func rtype(tb testing.TB) *plan.Plan {
	tb.Helper()
	src, ok := protocols.Source("rtype")
	if !ok {
		tb.Fatal("no rtype")
	}
	return planOf(tb, string(src))
}

// body makes a protocol of some declarations and the packet's items.
func body(order, decls, items string) string {
	return "protocol test\norder " + order + "\n" + decls + "\npacket {\n" + items + "\n}\n"
}

func bytesFrom(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// packet is one test packet with its envelope.
type packet struct {
	name string
	data []byte
	from decode.Direction
	env  decode.Envelope
}

var (
	player = netip.MustParseAddrPort("10.0.0.7:50001")
	server = netip.MustParseAddrPort("[2001:db8::1]:4124")
)

// rtypePackets is the corpus of R-Type, and what is refused, cut or odd of it.
func rtypePackets(tb testing.TB) []packet {
	tb.Helper()
	var all []packet
	byName := map[string][]byte{}
	add := func(name string, data []byte, from decode.Direction, change func(*decode.Envelope)) {
		e := decode.Envelope{N: int64(len(all) + 1), File: "session.pcap", Time: 1_700_000_000_000_000_000 + int64(len(all)), Src: player, Dst: server}
		if from == decode.Server {
			e.Src, e.Dst = server, player
		}
		if change != nil {
			change(&e)
		}
		all = append(all, packet{name, data, from, e})
	}
	for _, s := range corpus.Seeds("rtype") {
		byName[s.Name] = s.Data
		from := decode.Client
		if s.From == corpus.Server {
			from = decode.Server
		}
		add(s.Name, s.Data, from, nil)
	}
	one := byName["snapshot_one"]
	if one == nil || byName["snapshot_most"] == nil {
		tb.Fatal("the corpus has lost its snapshots")
	}
	sick := append([]byte(nil), byName["snapshot_most"]...)
	sick[12+1+2*10+5] = 101 // the third player's health
	add("x_sick", sick, decode.Server, nil)
	add("x_short", one[:12+1+4], decode.Server, nil)
	add("x_snapped", one[:12+1+4], decode.Server, func(e *decode.Envelope) { e.Cut = true })
	add("x_backwards", byName["input_all"], decode.Server, func(e *decode.Envelope) { e.LengthMismatch = true })
	add("x_nobody", nil, decode.FromUnknown, func(e *decode.Envelope) { *e = decode.Envelope{N: e.N} })
	add("x_tail", append(append([]byte(nil), byName["player_died"]...), 1, 2), decode.Server, nil)
	return all
}

// ask compiles a filter and gives what it says of each packet.
func ask(tb testing.TB, p *plan.Plan, src string, packets []packet) []ternary {
	tb.Helper()
	prog, err := Compile(p, src)
	if err != nil {
		tb.Fatalf("%s\n%s", src, err.(*Error).AppendText(nil))
	}
	return run(prog, packets)
}

func run(prog *Program, packets []packet) []ternary {
	m := prog.NewMatcher()
	d := decode.New(prog.plan)
	var t decode.Trace
	var all []ternary
	for i := range packets {
		_ = d.Decode(packets[i].data, packets[i].from, &t)
		all = append(all, m.judgePacket(&t, &packets[i].env))
		if m.Match(&t, &packets[i].env); m.steps > prog.Work() {
			panic(fmt.Sprintf("%s: %d steps, promised %d", prog.Source(), m.steps, prog.Work()))
		}
	}
	return all
}

// judgePacket is Match, but tells unknown from false.
func (m *Matcher) judgePacket(t *decode.Trace, e *decode.Envelope) ternary {
	if m.Match(t, e) {
		return yes
	}
	m.Match(t, e) // a second look finds nothing left over from the first
	m.trace, m.pkt = t, e
	m.filled = false
	clear(m.memos)
	m.built = [len(m.built)]bool{}
	m.fillEnvelope()
	return m.eval(m.prog.root)
}

func (t ternary) String() string { return [...]string{"false", "unknown", "true"}[t] }

func names(packets []packet, answers []ternary, want ternary) string {
	var list []string
	for i, a := range answers {
		if a == want {
			list = append(list, packets[i].name)
		}
	}
	return strings.Join(list, " ")
}

func describe(packets []packet, answers []ternary) string {
	return fmt.Sprintf("true: %s\nfalse: %s\nunknown: %s", names(packets, answers, yes), names(packets, answers, no), names(packets, answers, unknown))
}
