package plan

import (
	"slices"
	"sort"
)

// What may a view show? A field that is @secret is masked with all that is in it. So is what is computed from one,
// which secret_flow.go finds:
//
//   - a checksum that covers a secret, which 32 bits of secret can be searched for;
//   - what a secret gives its size, its number of elements or its kind, and what it decides about: bytes(n), [n]T, a
//     switch, both sides of an `if`. There even the size is masked (Node.Unsized), or whether it is there at all
//     (Node.Decided).
//   - the place of all that is after those, up to the end of a window whose place and size are known without the
//     secret (PlaceSecret), and how much is left there (LeftSecret): a `rest` is a secret, too.
//
// The size of other secrets is shown, because it is in the datagram's own length. A reject shows the rest of the
// datagram from the failing bit on, and in a packet that broke early that rest can be the session token. So the plan
// knows, for every point, whether a secret can follow it.

// markSecrets finds the secrets that Compile did not, once, when the plan is made.
func (p *Plan) markSecrets() {
	for _, set := range []*[]uint64{&p.after, &p.sums, &p.narrow, &p.lost} {
		*set = make([]uint64, (len(p.points)+63)/64)
	}
	for i := range p.Nodes {
		p.secret = p.secret || p.Nodes[i].Secret
	}
	if !p.secret {
		return
	}
	p.flows()
	p.ahead(p.sums, func(s Step) bool {
		sum, ok := s.(*Checksum)
		return ok && p.Nodes[sum.Node].Secret
	})
}

// ahead sets the points from which on a step can come that is asked for.
func (p *Plan) ahead(set []uint64, asked func(Step) bool) {
	a := ahead{set, asked}
	a.block(p.Root, false)
}

type ahead struct {
	set   []uint64
	asked func(Step) bool
}

func (a *ahead) mark(at Point, asked bool) {
	if asked {
		put(a.set, at)
	}
}

// block looks at a block from after: whether what is asked for can come after it, and from its beginning on.
func (a *ahead) block(steps []Step, behind bool) bool {
	for _, s := range slices.Backward(steps) {
		b := s.At()
		asked := a.asked(s)
		in, blocks := asked, s.Blocks()
		behind = behind || asked
		for _, inner := range blocks {
			in = a.block(inner.Steps, behind) || in
		}
		if len(blocks) == 0 || s.Flow() == Repeat {
			in = in || behind
		}
		a.mark(b.Point, in)
		a.mark(b.Last, behind)
		if s.Flow() == Repeat { // it leads back: each step in it can come again
			for at := b.Each; at <= b.Last; at++ {
				a.mark(at, in)
			}
		}
		behind = in
	}
	return behind
}

// SizeSecret reports whether the size, the number or the kind that a step asks for is computed from a secret: what was
// wanted of a packet that is refused there tells it.
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
	if p.LeftSecret(at) || p.DecisionAt(at) != nil {
		return true
	}
	step := p.StepAt(at)
	_, tag := step.(*Switch)
	return p.secret && step != nil && !tag && (p.SizeSecret(at) || p.Nodes[step.At().Node].Unsized)
}

// LeftSecret reports whether how many bits are left at a point is computed from a secret.
func (p *Plan) LeftSecret(at Point) bool { return p.secretAt(p.narrow, at) }

// PlaceSecret reports whether the position at a point is computed from a secret.
func (p *Plan) PlaceSecret(at Point) bool { return p.secretAt(p.lost, at) }

func (p *Plan) secretAt(set []uint64, at Point) bool {
	return p.secret && at != NoPoint && has(set, at)
}

// CaseLost reports whether a secret decides where the switch of the packet's case is.
func (p *Plan) CaseLost() bool { return p.Case != nil && p.PlaceSecret(p.CaseSwitch.Point) }

// DecisionAt is the Decision that a point is in, nil for none. Where it begins is not in it.
func (p *Plan) DecisionAt(at Point) *Decision {
	i := sort.Search(len(p.Decisions), func(i int) bool { return p.Decisions[i].Last >= at })
	if i < len(p.Decisions) && p.Decisions[i].At < at {
		return &p.Decisions[i]
	}
	return nil
}

// DecisionOf is the Decision that begins at a point.
func (p *Plan) DecisionOf(at Point) *Decision {
	i := sort.Search(len(p.Decisions), func(i int) bool { return p.Decisions[i].At >= at })
	return &p.Decisions[i]
}

// IfAround is the struct that an `if` is in where a secret decides which of its sides is there, and a node is what is
// shown of them.
func (p *Plan) IfAround(id NodeID) (base NodeID, decided bool) {
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Fold == d.Base && !d.List && slices.Contains(d.Shown, id) {
			return d.Base, true
		}
	}
	return NoNode, false
}

// FoldedRule is the node in whose name the refusals at a point are counted, where its own would tell a secret: it is in
// a Decision, or, with pastEnd, a secret says how much it needs or how much is left.
func (p *Plan) FoldedRule(at Point, pastEnd bool) (NodeID, bool) {
	if pastEnd && p.WidthSecret(at) {
		return 0, true
	}
	if d := p.DecisionAt(at); d != nil {
		return d.Fold, true
	}
	return 0, false
}

func put(set []uint64, at Point)      { set[at/64] |= 1 << (at % 64) }
func has(set []uint64, at Point) bool { return set[at/64]>>(at%64)&1 != 0 }

// stepSecret reports whether a step reads a secret.
func (p *Plan) stepSecret(s Step) bool {
	if run, ok := s.(*Run); ok {
		return p.leafSecret(run.First, run)
	}
	return p.Nodes[s.At().Node].Secret
}

// leafSecret reports whether a leaf of a run, or one after it there, is secret.
func (p *Plan) leafSecret(leaf int, run *Run) bool {
	return slices.ContainsFunc(p.Info[leaf:run.First+run.N], func(l LeafInfo) bool { return p.Nodes[l.Node].Secret })
}

// SecretFrom reports whether what fails at a point, or what could follow it, is a secret. leaf is the leaf of a run
// that failed, -1 without one; NoPoint is the packet as a whole, before its first step.
func (p *Plan) SecretFrom(at Point, leaf int) bool {
	if run, ok := p.StepAt(at).(*Run); ok && p.secret && leaf >= 0 {
		return p.leafSecret(leaf, run) || has(p.after, p.behind(run)) // in a list that holds a secret, all of the body is marked
	}
	return p.secret && has(p.after, max(at, 0))
}

// HasSecret reports whether any field is @secret.
func (p *Plan) HasSecret() bool { return p.secret }

// SumFrom reports whether what fails at a point, or what could follow it, is a checksum that covers a secret.
func (p *Plan) SumFrom(at Point) bool { return p.secretAt(p.sums, max(at, 0)) }

// HidesPath reports whether what a reader gives for a path must not be shown: a secret's, or no field's that is known,
// which may be a secret's that is misspelt. The path is without the numbers of elements: `players[].token`.
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
