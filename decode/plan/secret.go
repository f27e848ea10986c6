package plan

import (
	"slices"
	"sort"
)

// What may a view show? A field that is @secret is masked with all that is in it. So is what is computed from one, which
// secret_flow.go finds:
//
//   - a checksum that covers a secret, which 32 bits of secret can be searched for;
//   - what a secret gives its size, its number of elements or its kind, and what it decides about: bytes(n), [n]T, a switch,
//     both sides of an `if`. There even the size is masked (Node.Unsized), or whether it is there at all (Node.Decided).
//   - the place of all that is behind those, up to the end of a window whose place and size are known without the secret
//     (PlaceSecret), and how much is left there (LeftSecret): a `rest` is a secret, too.
//
// The size of other secrets is shown, because it is in the datagram's own length. A reject shows the rest of the datagram
// from the failing bit on, and in a packet that broke early that rest can be the session token. So the plan knows, for
// every op, whether a secret can follow it.

// markSecrets finds the secrets that Compile did not, once, when the plan is made.
func (p *Plan) markSecrets() {
	for _, set := range []*[]uint64{&p.after, &p.sums, &p.narrow, &p.lost} {
		*set = make([]uint64, (len(p.Ops)+63)/64)
	}
	for i := range p.Nodes {
		p.secret = p.secret || p.Nodes[i].Secret
	}
	if !p.secret {
		return
	}
	p.flows()
	p.follow(p.sums, func(pc int) bool { return p.Ops[pc].Code == OpCRC && p.Nodes[p.Ops[pc].Node].Secret })
}

// follow sets the ops from which on one can come that is asked for.
func (p *Plan) follow(set []uint64, asked func(pc int) bool) {
	for pc := len(p.Ops) - 1; pc >= 0; pc-- {
		if asked(pc) || p.successor(set, pc) {
			put(set, pc)
		}
	}
	// A loop leads back: if anything in its body is asked for, all of its body can be followed by that.
	for pc := range p.Ops {
		if op := &p.Ops[pc]; op.Code == OpArray || op.Code == OpRepeat {
			next := int(op.B) - 1
			if has(set, pc+1) && !has(set, next) {
				for i := pc + 1; i <= next; i++ {
					put(set, i)
				}
			}
		}
	}
}

// SizeSecret reports whether the size, the number or the kind that a step asks for is computed from a secret: what was wanted of
// a packet that is refused there tells it.
func (p *Plan) SizeSecret(at Point) bool {
	if !p.secret {
		return false
	}
	step := p.StepAt(at)
	if _, let := step.(*Let); step == nil || let || step.At().Point != at {
		return false
	}
	i, ok := step.Expr()
	return ok && p.Operands[i].Secret && !p.Operands[i].Bool
}

// WidthSecret reports whether how many bits were refused at a point tells a secret.
func (p *Plan) WidthSecret(at Point) bool {
	if !p.secret || at == NoPoint {
		return false
	}
	op := &p.Ops[p.points[at].op]
	return p.SizeSecret(at) && op.Code != OpSwitch || p.LeftSecret(at) || p.DecisionAt(at) != nil ||
		op.Code != OpSwitch && op.Node != NoNode && p.Nodes[op.Node].Unsized
}

// LeftSecret reports whether how many bits are left at a point is computed from a secret.
func (p *Plan) LeftSecret(at Point) bool { return p.secretAt(p.narrow, at) }

// PlaceSecret reports whether the position at a point is computed from a secret.
func (p *Plan) PlaceSecret(at Point) bool { return p.secretAt(p.lost, at) }

func (p *Plan) secretAt(set []uint64, at Point) bool {
	return p.secret && at != NoPoint && has(set, int(p.points[at].op))
}

// CaseLost reports whether a secret decides where the switch of the packet's case is.
func (p *Plan) CaseLost() bool { return p.Case != nil && p.PlaceSecret(p.CaseSwitch.Point) }

// DecisionAt is the Decision that a point is in, nil for none. Where it begins is not in it.
func (p *Plan) DecisionAt(at Point) *Decision {
	if at == NoPoint {
		return nil
	}
	pc := int(p.points[at].op)
	i := sort.Search(len(p.Decisions), func(i int) bool { return p.Decisions[i].End > pc })
	if i < len(p.Decisions) && p.Decisions[i].Op < pc {
		return &p.Decisions[i]
	}
	return nil
}

// DecisionOf is the Decision that begins at a point.
func (p *Plan) DecisionOf(at Point) *Decision {
	pc := int(p.points[at].op)
	i := sort.Search(len(p.Decisions), func(i int) bool { return p.Decisions[i].Op >= pc })
	return &p.Decisions[i]
}

// IfAround is the struct that an `if` is in where a secret decides which of its sides is there, and a node is what is shown of
// them.
func (p *Plan) IfAround(id NodeID) (base NodeID, decided bool) {
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Fold == d.Base && !d.List && slices.Contains(d.Shown, id) {
			return d.Base, true
		}
	}
	return NoNode, false
}

// FoldedRule is the node in whose name the refusals at a point are counted, where its own would tell a secret: it is in a Decision, or,
// with pastEnd, a secret says how much it needs or how much is left.
func (p *Plan) FoldedRule(at Point, pastEnd bool) (NodeID, bool) {
	if pastEnd && p.WidthSecret(at) {
		return 0, true
	}
	if d := p.DecisionAt(at); d != nil {
		return d.Fold, true
	}
	return 0, false
}

func put(set []uint64, pc int)      { set[pc/64] |= 1 << (pc % 64) }
func has(set []uint64, pc int) bool { return set[pc/64]>>(pc%64)&1 != 0 }

func (p *Plan) opSecret(pc int) bool {
	op := &p.Ops[pc]
	if op.Code == OpRun {
		for _, info := range p.Info[op.A : op.A+op.B] {
			if p.Nodes[info.Node].Secret {
				return true
			}
		}
		return false
	}
	return op.Node != NoNode && p.Nodes[op.Node].Secret
}

func (p *Plan) successor(set []uint64, pc int) bool {
	op := &p.Ops[pc]
	switch op.Code {
	case OpEnd:
		return false
	case OpJump:
		return has(set, int(op.A))
	case OpIf:
		return has(set, pc+1) || has(set, int(op.B))
	case OpSwitch:
		s := p.Switches[op.B]
		for _, e := range s.Entries {
			if has(set, int(e.Target)) {
				return true
			}
		}
		return s.Default >= 0 && has(set, int(s.Default))
	case OpArray, OpRepeat:
		return has(set, pc+1) || has(set, int(op.B))
	}
	return has(set, pc+1)
}

// SecretFrom reports whether what fails at a point, or what could follow it, is a secret. leaf is the leaf of a run that failed, -1
// without one; NoPoint is the packet as a whole, before its first step.
func (p *Plan) SecretFrom(at Point, leaf int) bool {
	if !p.secret {
		return false
	}
	pc := int(p.points[max(at, 0)].op)
	op := &p.Ops[pc]
	if op.Code != OpRun || leaf < 0 {
		return has(p.after, pc)
	}
	for _, info := range p.Info[leaf : op.A+op.B] {
		if p.Nodes[info.Node].Secret {
			return true
		}
	}
	return has(p.after, pc+1) // in a loop that holds a secret, all of the body is marked
}

// HasSecret reports whether any field is @secret.
func (p *Plan) HasSecret() bool { return p.secret }

// SumFrom reports whether what fails at a point, or what could follow it, is a checksum that covers a secret.
func (p *Plan) SumFrom(at Point) bool { return p.secretAt(p.sums, max(at, 0)) }

// HidesPath reports whether what a reader gives for a path must not be shown: a secret's, or no field's that is known, which
// may be a secret's that is misspelt. The path is without the numbers of elements: `players[].token`.
func (p *Plan) HidesPath(path string) bool {
	secret, known := p.SecretPath(path)
	return p.secret && (secret || !known)
}

// SecretPath reports whether a path is a secret's, and whether it is any field's.
func (p *Plan) SecretPath(path string) (secret, known bool) {
	var b []byte
	for i := range p.Nodes {
		b = p.appendPath(b[:0], NodeID(i), func() (uint64, bool) { return 0, false }, false)
		if string(b) == path {
			secret, known = secret || p.Nodes[i].Secret, true
		}
	}
	return secret, known
}
