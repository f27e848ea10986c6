package fuzz

import (
	"bytes"
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// heartbeatWords are what a packet is called that asks for an answer and does nothing else.
var heartbeatWords = []string{"heartbeat", "keepalive", "ping", "probe", "hello", "bindingrequest"}

// Heartbeat makes the packet that a client asks a server with whether it is there: of the protocol's cases the first that
// is called so. ok is false when there is none.
func Heartbeat(d *decode.Decoder) (packet []byte, name string, ok bool) {
	names := caseNames(d.Plan())
	if names == nil {
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
		word := strings.ToLower(strings.ReplaceAll(names[trace.Tag], "_", ""))
		for i, want := range heartbeatWords[:best] {
			if word == want || word == want+"request" {
				packet, name, best = bytes.Clone(p.Data), names[trace.Tag], i
				break
			}
		}
		if best == 0 {
			break
		}
	}
	return packet, name, packet != nil
}

// caseNames are the names of a packet's cases by their tags, nil when they have none.
func caseNames(p *plan.Plan) map[uint64]string {
	for pc := range p.Ops {
		if p.Ops[pc].Code != plan.OpSwitch {
			continue
		}
		e := p.Switches[p.Ops[pc].B].Item.Enum
		if e == nil {
			return nil
		}
		return enumNames(e)
	}
	return nil
}

func enumNames(e *schema.Enum) map[uint64]string {
	names := map[uint64]string{}
	for i := range e.Cases {
		low := new(big.Int).And(e.Cases[i].Value, new(big.Int).SetUint64(^uint64(0)))
		names[low.Uint64()] = e.Cases[i].Name
	}
	return names
}
