package dialogue

import (
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
)

// Scope is what a dialogue attacks: the cases of its attack line, or all that clients send. A packet whose case cannot
// be read is in it.
func (d *Dialogue) Scope() fuzz.Scope { return &scope{dialogue: d} }

type scope struct {
	dialogue *Dialogue
	mu       sync.Mutex
	trace    decode.Trace
}

// Attacks reports whether a packet's case is attacked.
func (s *scope) Attacks(packet []byte, _ decode.Direction) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.dialogue.decoder.Decode(packet, decode.Client, &s.trace) // the tag is known of a refused one, too
	tag, ok := s.dialogue.tree.tagOf(&s.trace)
	return !ok || s.dialogue.attacks(tag)
}

func (d *Dialogue) attacks(tag uint64) bool {
	if !d.tree.known(tag) {
		return true // no case: that is what is wrong with it
	}
	if d.attack == nil {
		return d.tree.from(tag) != decode.Server
	}
	_, ok := d.attack[tag]
	return ok
}

// Holds reports whether a node is in packets that are attacked.
func (s *scope) Holds(node plan.NodeID) bool {
	t := s.dialogue.tree
	for n := node; n != plan.NoNode && n >= 0; n = t.plan.Nodes[n].Parent {
		if !t.isArm(n) {
			continue
		}
		for _, tag := range t.tags {
			if t.arm(tag) == n && s.dialogue.attacks(tag) {
				return true
			}
		}
		return false
	}
	return true
}
