package fuzz

import (
	"bytes"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// heartbeatWords are what a packet is called that asks for an answer and does nothing else.
var heartbeatWords = []string{"heartbeat", "keepalive", "ping", "probe", "hello", "bindingrequest"}

// Heartbeat makes the packet that a client asks a server with whether it is there: of the protocol's cases the first
// that is called so. ok is false when there is none.
func Heartbeat(d *decode.Decoder) (packet []byte, name string, ok bool) {
	if c := d.Plan().Case; c == nil || c.Kind != plan.LeafEnum {
		return nil, "", false
	}
	const seed, tries = 1, 4000
	g := NewGenerator(d)
	var trace decode.Trace
	best := len(heartbeatWords)
	for n := range uint64(tries) {
		p, err := g.Random(seed, n)
		if err != nil || p.From == decode.Server || d.Decode(p.Data, decode.Client, &trace) != nil || !trace.HasTag {
			continue
		}
		called := decode.CaseOf(trace.Plan, trace.Tag).CaseName()
		word := strings.ToLower(strings.ReplaceAll(called, "_", ""))
		for i, want := range heartbeatWords[:best] {
			if word == want || word == want+"request" {
				packet, name, best = bytes.Clone(p.Data), called, i
				break
			}
		}
		if best == 0 {
			break
		}
	}
	return packet, name, packet != nil
}
