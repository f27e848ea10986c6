package fuzz

import (
	"iter"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Scope is the part of a protocol that is attacked: a server that has let a client in is sent what clients send, and of
// that what somebody wants to know about.
type Scope interface {
	// Attacks reports whether a packet is one to send.
	Attacks(packet []byte, from decode.Direction) bool
	// Holds reports whether a node is in it: what no packet reached outside it is not untested.
	Holds(node plan.NodeID) bool
}

func attacks(s Scope, a *attack) bool { return s == nil || s.Attacks(a.Data, a.from) }

// within leaves out what is outside a scope.
func within(s Scope, all iter.Seq[attack]) iter.Seq[attack] {
	return func(yield func(attack) bool) {
		for a := range all {
			if attacks(s, &a) && !yield(a) {
				return
			}
		}
	}
}
