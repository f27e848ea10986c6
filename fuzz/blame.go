package fuzz

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Which field of a valid packet a reader refuses it for. Nothing is wrong with the packet, so no rule tells; what tells is a
// change of one field with which the reader accepts. While the packet is made simple, that change must go on to decide:
// a packet may come close to another mistake on the way, which it would become an example of.

// blame is the field that decides, and what makes the reader accept.
type blame struct {
	name    string // of the declaration; every field of it that is equal is changed
	what    blamed
	was, to uint64 // codes, sizes in bytes, or numbers of elements
}

type blamed uint8

const (
	blameSize    blamed = iota // of bytes or a text
	blameContent               // of bytes or a text of one size: how many are not NUL
	blameCount                 // of a list
	blameCode                  // of a number
	blameTag                   // of a number that chooses what follows: to be blamed last, it changes everything
)

// probe writes packets with changes; it has nothing of the packet that is being made simple.
type probe struct {
	breed *breeder
	donor donor
	trace decode.Trace
}

// changed is a packet with a change; nil where there is nothing to change, or what comes of it is not valid.
func (z *minimiser) changed(packet []byte, from decode.Direction, c *blame) []byte {
	p := &z.probe
	if z.m.decoder.Decode(packet, from, &p.trace) != nil {
		return nil
	}
	p.donor.use(&p.trace)
	some := false
	for ev := range p.trace.Walk() {
		what, value, ok := z.blamable(ev)
		if !ok || what != c.what || value != c.was || declarationOf(z.m.plan, ev.Node) != c.name {
			continue
		}
		some = true
		span := int32(ev.Span)
		switch what {
		case blameSize:
			p.donor.texts[span] = bytes.Repeat([]byte("a"), int(c.to))
			if z.m.plan.StepAt(p.trace.Spans[span].Point).(*plan.Blob).Size >= 0 && !p.donor.resize(z.m.sizings, span, c.to) {
				return nil
			}
		case blameContent:
			p.donor.texts[span] = append(bytes.Repeat([]byte("a"), int(c.to)), make([]byte, value-c.to)...)
		case blameCount:
			elems := make([]int32, c.to)
			for i := range elems {
				elems[i] = int32(i) % max(int32(c.was), 1)
			}
			if !p.donor.reshape(z.m.sizings, span, elems) {
				return nil
			}
		case blameCode, blameTag:
			p.donor.codes[int32(rawOf(z.m.plan, &p.trace.Spans[span], ev.Leaf))] = c.to
		}
	}
	if !some {
		return nil
	}
	b := p.breed
	b.source.begin(b.g, b.random, nil, &p.donor)
	b.source.least = true
	out, err := b.encoder.Append(b.out[:0], &b.source, from)
	b.out = out
	if err != nil || bytes.Equal(out, packet) || z.m.decoder.Decode(out, from, &p.trace) != nil {
		return nil
	}
	return bytes.Clone(out)
}

// blamable is what of a packet's parts can be changed by itself.
func (z *minimiser) blamable(ev *decode.Event) (what blamed, value uint64, ok bool) {
	p := z.m.plan
	switch ev.Kind {
	case decode.Open:
		if p.Nodes[ev.Node].Kind != plan.NodeArray || ev.Span < 0 {
			return 0, 0, false
		}
		return blameCount, uint64(ev.Count), p.ListAt(z.probe.trace.Spans[ev.Span].Point)
	case decode.Blob:
		if z.fixed(int32(ev.Span)) {
			return blameContent, uint64(len(ev.Data)), true
		}
		return blameSize, uint64(len(ev.Data)), true
	case decode.Leaf:
		if p.Info[ev.Leaf].Form() == plan.FormHex {
			return 0, 0, false
		}
		if _, n := numbersOf(p, &z.probe.trace.Spans[ev.Span]); n == 0 || z.m.sizes[ev.Leaf] {
			return 0, 0, false
		}
		if z.tags[ev.Leaf] {
			return blameTag, ev.Code, true
		}
		return blameCode, ev.Code, true
	}
	return 0, 0, false
}

// tagsOf are the leaves that switches and conditions read.
func tagsOf(p *plan.Plan) map[int]bool {
	tags := map[int]bool{}
	for _, s := range p.Steps {
		if s.Flow() != plan.Choose {
			continue
		}
		operand, _ := s.Expr()
		if o := &p.Operands[operand]; o.Kind == plan.OperandLeaf {
			tags[p.LeafOf(o, s.At().ID)] = true
		}
	}
	return tags
}

// How many changes are tried with one packet, and of how many other findings the cause is.
const (
	maxBlamed = 400
	maxCauses = 32
)

// blames finds the change with which the reader accepts a valid packet that it refuses; false where no single one does.
func (z *minimiser) blames(packet []byte, from decode.Direction) (c blame, ok bool) {
	for i := range min(len(z.causes), maxCauses) {
		if z.flips(&z.causes[i], packet, from) {
			return z.causes[i], true
		}
	}
	var all []blame
	if z.m.decoder.Decode(packet, from, &z.probe.trace) != nil {
		return c, false
	}
	add := func(c blame, values ...uint64) {
		for _, to := range values {
			if c.to = to; to != c.was && !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	for ev := range z.probe.trace.Walk() {
		what, was, ok := z.blamable(ev)
		if !ok {
			continue
		}
		c := blame{name: declarationOf(z.m.plan, ev.Node), what: what, was: was}
		switch what {
		case blameSize, blameCount:
			add(c, 0, 1, max(was, 1)-1, was+1)
		case blameContent:
			add(c, 0, was/2)
		default:
			codes := z.breed.g.leaves[ev.Leaf].all
			add(c, z.simplest(ev.Leaf))
			if n := len(codes); n > 0 {
				add(c, codes[0], codes[n/2], codes[n-1])
			}
			add(c, was+1, max(was, 1)-1)
			if what == blameTag {
				add(c, codes[:min(len(codes), 16)]...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b blame) int { return cmp.Compare(a.what/blameTag, b.what/blameTag) })
	for _, c := range all[:min(len(all), maxBlamed)] {
		if z.flips(&c, packet, from) {
			return c, true
		}
	}
	return c, false
}

// flips reports whether the reader accepts a packet with a change.
func (z *minimiser) flips(c *blame, packet []byte, from decode.Direction) bool {
	out := z.changed(packet, from, c)
	return out != nil && z.accepts(out, from)
}

// accepts reports whether a fresh target accepts a packet, behind those that the finding takes; or lives on, where that is what
// the finding is about.
func (z *minimiser) accepts(packet []byte, from decode.Direction) bool {
	if z.failed != nil || z.late() {
		return false
	}
	z.trials++
	t, done, err := z.open()
	if err != nil {
		return z.fail(err)
	}
	var reply Reply
	defer func() { done(reply) }()
	for _, b := range z.least.Before {
		if _, err := t.Send(b.Data, b.From); err != nil {
			return z.fail(err)
		}
	}
	if reply, err = t.Send(packet, from); err != nil {
		return z.fail(err)
	}
	if !z.f.lethal() {
		return reply.Outcome == Accepted
	}
	if !reply.Outcome.answered() {
		return false
	}
	found, err := z.after.found(t)
	if err != nil {
		return z.fail(err)
	}
	return len(found) == 0
}

// narrow brings what is blamed as close to what the reader accepts as it is still refused: between both lies the check that is
// wrong.
func (z *minimiser) narrow(c blame) blame {
	if c.what == blameTag || c.what == blameContent {
		return c
	}
	for lo, hi := c.to, c.was; lo+1 < hi; {
		mid := lo + (hi-lo)/2
		try := c
		try.to = mid
		out := z.changed(z.least.Packet, z.f.From, &try)
		if out == nil {
			break // not every value between is one
		}
		if z.accepts(out, z.f.From) {
			lo = mid
			continue
		}
		was := z.least
		if !z.shows(z.least.Before, out) {
			z.least = was
			break
		}
		c.was, hi = mid, mid
	}
	return c
}

// fixed reports whether bytes or a text, or a list, have one size in all packets: what decides is then what is in them.
func (z *minimiser) fixed(span int32) bool {
	p := z.m.plan
	s := p.StepAt(z.probe.trace.Spans[span].Point)
	if b, ok := s.(*plan.Blob); ok {
		return !b.Rest && b.Text != schema.TextCString && (b.Size < 0 || p.Operands[b.Size].Kind == plan.OperandConst)
	}
	count, _ := s.Expr()
	return plan.Counted(s) && p.Operands[count].Kind == plan.OperandConst
}

// cause is what a blame says of the reader, "" where it says nothing. The values of secrets are not shown.
func (z *minimiser) cause(c *blame, packet []byte, from decode.Direction) (text string, ev *decode.Event) {
	_ = z.m.decoder.Decode(packet, from, &z.probe.trace) // it is valid
	does := "the reader " + deaths[z.f.Kind]
	for ev := range z.probe.trace.Walk() {
		what, value, ok := z.blamable(ev)
		if !ok || what != c.what || value != c.was || declarationOf(z.m.plan, ev.Node) != c.name {
			continue
		}
		node := &z.m.plan.Nodes[ev.Node]
		found := *ev
		switch {
		case node.Secret:
			return does + " a value of " + c.name + ", which is a secret", &found
		case what == blameContent:
			return does + " what is in " + c.name, &found
		case what == blameCount && z.fixed(int32(ev.Span)):
			return "", &found
		case what == blameSize:
			return fmt.Sprintf("%s %s of %s", does, c.name, counted(value, "byte")), &found
		case what == blameCount:
			return fmt.Sprintf("%s %s of %s", does, c.name, counted(value, "element")), &found
		}
		return fmt.Sprintf("%s %s = %s", does, c.name, z.shownValue(ev)), &found
	}
	return "", nil
}

func counted(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shownValue is a leaf's value in a few words.
func (z *minimiser) shownValue(ev *decode.Event) string {
	info := &z.m.plan.Info[ev.Leaf]
	if info.Form() == plan.FormFloat {
		return strconv.FormatFloat(info.Float(ev.Code, ev.Width), 'g', -1, 32)
	}
	value := new(big.Int).SetUint64(info.Value(ev.Code, ev.Width))
	if info.IsSigned() {
		value.SetInt64(int64(info.Value(ev.Code, ev.Width)))
	}
	if info.Enum != nil {
		for i := range info.Enum.Cases {
			if c := &info.Enum.Cases[i]; c.Value.Cmp(value) == 0 {
				return c.Name
			}
		}
	}
	return value.String()
}
