package fuzz

import (
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a finding says of where it is. A reader's mistake is at a field, and where that field is, or that it is there at
// all, can be computed from a secret: so every place comes from decode.Trace.Show.

// shownPlace is a field of a packet as far as findings may say it.
type shownPlace struct {
	node       plan.NodeID // NoNode where the packet has no such field, or a secret decides whether it has
	path       string
	bit, width int // decode.Hidden where it tells a secret
}

// noPlace is no field's place.
var noPlace = shownPlace{node: plan.NoNode}

// rule is the field's name without the numbers of elements.
func (s *shownPlace) rule() string {
	if s.path == "" {
		return reject.Packet
	}
	return oracle.PathRule(s.path)
}

// shownAt is the place of the field of a path, which is its own unless it is in a secret: then it is the secret's. It
// is the last of that path: the value, and not the flag that says that there is one. A path that the packet does not
// have stays, without a place, unless it can be one of a secret.
func shownAt(t *decode.Trace, path string) shownPlace {
	found := noPlace
	var b []byte
	t.Show(func(ev *decode.Event) bool {
		if ev.Kind == decode.Close || ev.Kind == decode.Stretch {
			return true
		}
		b = t.AppendEventPath(b[:0], ev)
		if inside, in := strings.CutPrefix(path, string(b)); in && (inside == "" || ev.Kind == decode.Masked && strings.ContainsAny(inside[:1], ".[")) {
			found = placeShown(t, ev)
		}
		return true
	})
	if found.node == plan.NoNode {
		if secret, _ := t.Plan.SecretPath(oracle.PathRule(path)); !secret {
			found.path = path
		}
	}
	return found
}

// lastShown is the place of the last named field of a packet.
func lastShown(t *decode.Trace) shownPlace {
	last := noPlace
	t.Show(func(ev *decode.Event) bool {
		switch ev.Kind {
		case decode.Leaf, decode.Blob, decode.Masked:
			last = placeShown(t, ev)
		case decode.Item:
			if t.Plan.Nodes[ev.Node].Named {
				last = placeShown(t, ev)
			}
		}
		return true
	})
	return last
}

// placeShown is the place of what is shown. Which side of an `if` it is in tells what a secret decided, so that it is
// the place of what the `if` is in.
func placeShown(t *decode.Trace, ev *decode.Event) shownPlace {
	path := string(t.AppendEventPath(nil, ev))
	if base, decided := t.Plan.IfAround(ev.Node); decided {
		return shownPlace{node: base, path: path[:max(strings.LastIndexByte(path, '.'), 0)]}
	}
	return shownPlace{ev.Node, path, ev.Bit, ev.Width}
}

// withoutTwins leaves out what is said twice: of several fields in one secret the same is said.
func withoutTwins(found []Finding) []Finding {
	kept := found[:0]
	for i := range found {
		f := &found[i]
		if !slices.ContainsFunc(kept, func(k Finding) bool { return k.Key() == f.Key() && k.Path == f.Path && k.Got == f.Got }) {
			kept = append(kept, *f)
		}
	}
	return kept
}
