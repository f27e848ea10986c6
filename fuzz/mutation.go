package fuzz

import (
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Mutation is a packet with one thing wrong, or nearly wrong, and all else right.
type Mutation struct {
	// Data is the packet, its checksum made right unless that is what was broken. Valid until the next Mutation.
	Data  []byte
	Class Class
	Node  plan.NodeID // what was changed; NoNode for the packet as a whole
	Path  string      // of the field that was changed, or of its owner where it has no name; "" for the packet
	Done  string      // what was done to it: "max+1", "cut", "a bit flipped"
	Bit   int         // where it was changed
	Width int         // bits that were changed, where they are a field's
	Code  uint64      // what is there now, of a field that was set; else 0
	// Sampled: not every code of the kind was tried, because there are too many.
	Sampled bool
	LeftOut uint64 // packets like it that a sample left out, counted once for all of them
	Expect  oracle.Expectation
}

// What says in one line what was done: "body.players[0].health at bit 144: max+1 (101)".
func (m *Mutation) What() string {
	b := append([]byte(nil), m.Path...)
	if len(b) == 0 {
		b = append(b, "packet"...)
	}
	b = append(b, " at bit "...)
	b = reject.AppendBit(b, m.Bit)
	b = append(b, ": "...)
	b = append(b, m.Done...)
	if m.Code != 0 {
		b = append(b, " ("...)
		b = append(strconv.AppendUint(b, m.Code, 10), ')')
	}
	return string(b)
}
