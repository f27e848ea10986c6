package plan

// Which bytes may a view show? A reject shows the rest of the datagram from the failing bit on, and in a packet that
// broke early that rest can be the session token. So the plan knows, for every op, whether a secret can follow it.

// markSecrets fills in after, once, when the plan is made.
func (p *Plan) markSecrets() {
	p.after = make([]uint64, (len(p.Ops)+63)/64)
	for i := range p.Nodes {
		p.secret = p.secret || p.Nodes[i].Secret
	}
	if !p.secret {
		return
	}
	for pc := len(p.Ops) - 1; pc >= 0; pc-- {
		if p.opSecret(pc) || p.successorSecret(pc) {
			p.setAfter(pc)
		}
	}
	// A loop leads back: if anything in its body is secret, all of its body can be followed by that.
	for pc := range p.Ops {
		if op := &p.Ops[pc]; op.Code == OpArray || op.Code == OpRepeat {
			next := int(op.B) - 1
			if p.hasAfter(pc+1) && !p.hasAfter(next) {
				for i := pc + 1; i <= next; i++ {
					p.setAfter(i)
				}
			}
		}
	}
}

func (p *Plan) setAfter(pc int)      { p.after[pc/64] |= 1 << (pc % 64) }
func (p *Plan) hasAfter(pc int) bool { return p.after[pc/64]>>(pc%64)&1 != 0 }

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

func (p *Plan) successorSecret(pc int) bool {
	op := &p.Ops[pc]
	switch op.Code {
	case OpEnd:
		return false
	case OpJump:
		return p.hasAfter(int(op.A))
	case OpIf:
		return p.hasAfter(pc+1) || p.hasAfter(int(op.B))
	case OpSwitch:
		s := &p.Switches[op.B]
		for _, e := range s.Entries {
			if p.hasAfter(int(e.Target)) {
				return true
			}
		}
		return s.Default >= 0 && p.hasAfter(int(s.Default))
	case OpArray, OpRepeat:
		return p.hasAfter(pc+1) || p.hasAfter(int(op.B))
	}
	return p.hasAfter(pc + 1)
}

// SecretFrom reports whether the failing op, or one that could follow it, reads a secret. leaf is the leaf of a run that
// failed, -1 when the op has none; pc -1 is the packet as a whole, before its first op.
func (p *Plan) SecretFrom(pc, leaf int) bool {
	if !p.secret {
		return false
	}
	if pc < 0 {
		return p.hasAfter(0)
	}
	op := &p.Ops[pc]
	if op.Code != OpRun || leaf < 0 {
		return p.hasAfter(pc)
	}
	for _, info := range p.Info[leaf : op.A+op.B] {
		if p.Nodes[info.Node].Secret {
			return true
		}
	}
	return p.hasAfter(pc + 1) // in a loop that holds a secret, all of the body is marked
}

// HasSecret reports whether any field is @secret.
func (p *Plan) HasSecret() bool { return p.secret }
