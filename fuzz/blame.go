package fuzz

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Which field of a valid packet a reader refuses it for. Nothing is wrong with the packet, so no rule tells; what tells
// is a change of one field with which the reader accepts. While the packet is made simple, that change must go on to
// decide: a packet may come close to another mistake on the way, which it would become an example of.

// blame is the field that decides, and what makes the reader accept.
type blame struct {
	name    string // of the declaration; every field of it that is equal is changed
	what    blamed
	was, to uint64 // codes, sizes in bytes, or numbers of elements
	only    bool   // all other codes than to are refused, as far as was tried
	cause   string // of a finding that has it; "" as long as there is none
}

// same reports whether two are about the same change.
func (b *blame) same(o *blame) bool {
	return b.name == o.name && b.what == o.what && b.was == o.was && b.to == o.to
}

// has reports whether it is about a part with a value: the one that is blamed, or one beyond it, where what the reader
// accepts is below.
func (b *blame) has(what blamed, value uint64) bool {
	return what == b.what && (value == b.was || b.only && value != b.to || value > b.was && b.was > b.to && what != blameTag && what != blameContent)
}

type blamed uint8

const (
	blameSize    blamed = iota // of bytes or a text
	blameContent               // of bytes or a text: how many are not NUL
	blameCount                 // of a list
	blameCode                  // of a number
	blameTag                   // of a number that chooses what follows: to be blamed last, it changes everything
)

// blameOrders is how many orders there are.
const blameOrders = 4

// order is 0 for what is tried first. The more of a packet a change takes along, the less it says: a list that has one
// element less is without all that is wrong in that, and another tag is another packet; in an element it is at least that
// one's alone.
func (b blamed) order(inList bool) int {
	switch {
	case b == blameTag && !inList:
		return 3
	case b == blameTag:
		return 1
	case b == blameCount:
		return 2
	}
	return 0
}

// probe writes packets with changes; it has nothing of the packet that is being made simple.
type probe struct {
	havoc *havoc
	base  spliceSource
	trace decode.Trace
}

// changed is a packet with a change, or without one as a writer of its values makes it; nil where there is nothing to
// change, or what comes of it is not valid.
func (m *Minimizer) changed(packet []byte, from decode.Direction, c *blame) []byte {
	p := &m.probe
	if m.mutator.decoder.Decode(packet, from, &p.trace) != nil {
		return nil
	}
	p.base.use(&p.trace)
	some := c == nil
	for ev := range p.trace.Walk() {
		if c == nil {
			break
		}
		what, value, ok := m.blamed(c, ev)
		if !ok {
			continue
		}
		some = true
		span := int32(ev.Record)
		switch what {
		case blameSize:
			p.base.texts[span] = bytes.Repeat([]byte("a"), int(c.to))
			if m.mutator.plan.StepAt(p.trace.Records[span].Point).(*plan.Blob).Size >= 0 && !p.base.resize(m.mutator.sizings, span, c.to) {
				return nil
			}
		case blameContent:
			p.base.texts[span] = append(bytes.Repeat([]byte("a"), int(c.to)), make([]byte, value-c.to)...)
		case blameCount:
			elems := make([]int32, c.to)
			for i := range elems {
				elems[i] = int32(i) % max(int32(value), 1)
			}
			if !p.base.reshape(m.mutator.sizings, span, elems) {
				return nil
			}
		case blameCode, blameTag:
			p.base.codes[int32(rawOf(m.mutator.plan, &p.trace.Records[span], ev.Leaf))] = c.to
		}
	}
	if !some {
		return nil
	}
	b := p.havoc
	b.source.begin(b.g, b.random, nil, &p.base)
	b.source.least = true
	out, err := b.encoder.Append(b.out[:0], &b.source, from)
	b.out = out
	if err != nil || bytes.Equal(out, packet) || m.mutator.decoder.Decode(out, from, &p.trace) != nil {
		return nil
	}
	return bytes.Clone(out)
}

// blamable is what of a packet's parts can be changed by itself.
func (m *Minimizer) blamable(ev *decode.Event) (what blamed, value uint64, ok bool) {
	p := m.mutator.plan
	switch ev.Kind {
	case decode.Open:
		if p.Nodes[ev.Node].Kind != plan.NodeArray || ev.Record < 0 {
			return 0, 0, false
		}
		return blameCount, uint64(ev.Count), p.ListAt(m.probe.trace.Records[ev.Record].Point)
	case decode.Blob:
		if m.fixed(int32(ev.Record)) {
			return blameContent, uint64(len(ev.Data)), true
		}
		return blameSize, uint64(len(ev.Data)), true
	case decode.Leaf:
		if p.Info[ev.Leaf].Writes() != plan.Given {
			return 0, 0, false
		}
		if _, n := numbersOf(p, &m.probe.trace.Records[ev.Record]); n == 0 || m.mutator.sizes[ev.Leaf] {
			return 0, 0, false
		}
		if m.tags[ev.Leaf] {
			return blameTag, ev.Raw, true
		}
		return blameCode, ev.Raw, true
	}
	return 0, 0, false
}

// blamed is blamable of a part that a change is about. What is in a text that has a size of its own can be changed, too.
func (m *Minimizer) blamed(c *blame, ev *decode.Event) (what blamed, value uint64, ok bool) {
	what, value, ok = m.blamable(ev)
	if ok && what == blameSize && c.what == blameContent {
		what = blameContent
	}
	return what, value, ok && c.has(what, value) && declarationOf(m.mutator.plan, ev.Node) == c.name
}

// tagsOf are the leaves that switches and conditions read: by themselves, as a struct's parameter, or through `let`s.
func (m *Mutator) tagsOf() map[int]bool {
	tags := map[int]bool{}
	for leaf, steps := range m.decided {
		if slices.ContainsFunc(steps, func(id plan.StepID) bool { return m.plan.Steps[id].Flow() == plan.Choose }) {
			tags[leaf] = true
		}
	}
	return tags
}

// How many changes are tried with one packet, and of how many other findings the cause is.
const (
	maxBlamed = 400
	maxCauses = 32
)

// blamesKnown finds the change among those that other findings have.
func (m *Minimizer) blamesKnown(packet []byte, from decode.Direction) (c blame, ok bool) {
	for i := range min(len(m.causes), maxCauses) {
		if m.flips(&m.causes[i], packet, from) {
			return m.causes[i], true
		}
	}
	return c, false
}

// hasCause is the cause of other findings that a valid packet has, without a trial; "" for none.
func (m *Minimizer) hasCause(packet []byte, from decode.Direction) string {
	if len(m.causes) == 0 || m.mutator.decoder.Decode(packet, from, &m.probe.trace) != nil {
		return ""
	}
	for ev := range m.probe.trace.Walk() {
		what, value, ok := m.blamable(ev)
		if !ok {
			continue
		}
		name := declarationOf(m.mutator.plan, ev.Node)
		for i := range min(len(m.causes), maxCauses) {
			if c := &m.causes[i]; c.has(what, value) && c.name == name {
				return c.cause
			}
		}
	}
	return ""
}

// knows reports whether another finding has a change.
func (m *Minimizer) knows(c *blame) bool {
	return slices.ContainsFunc(m.causes, func(o blame) bool { return c.same(&o) })
}

// blames finds the change with which the reader accepts a valid packet that it refuses; false where no single one does,
// as with two values that are each refused.
func (m *Minimizer) blames(packet []byte, from decode.Direction) (c blame, ok bool) {
	if c, ok = m.blamesKnown(packet, from); ok {
		return c, true
	}
	var orders [blameOrders][]blame
	if m.mutator.decoder.Decode(packet, from, &m.probe.trace) != nil {
		return c, false
	}
	inList := false
	add := func(c blame, values ...uint64) {
		all := &orders[c.what.order(inList)]
		for _, to := range values {
			if c.to = to; to != c.was && !slices.Contains(*all, c) {
				*all = append(*all, c)
			}
		}
	}
	for ev := range m.probe.trace.Walk() {
		what, was, ok := m.blamable(ev)
		if !ok {
			continue
		}
		c := blame{name: declarationOf(m.mutator.plan, ev.Node), what: what, was: was}
		_, _, inList = m.probe.trace.Element(ev)
		switch what {
		case blameSize:
			content := c
			content.what = blameContent
			if content.to = was; was > 0 {
				orders[0] = append(orders[0], content)
			}
			fallthrough
		case blameCount:
			add(c, 0, 1, max(was, 1)-1, was+1)
		case blameContent:
			add(c, 0, was/2)
		default:
			codes := m.havoc.g.leaves[ev.Leaf].all
			add(c, m.simplest(ev.Leaf))
			if n := len(codes); n > 0 {
				add(c, codes[0], codes[n/2], codes[n-1])
			}
			add(c, was+1, max(was, 1)-1)
			if what == blameTag {
				add(c, codes[:min(len(codes), 16)]...)
			}
		}
	}
	others := 0
	for _, all := range orders[1:] {
		others += len(all)
	}
	if most := max(maxBlamed-others, maxBlamed/2); len(orders[0]) > most {
		orders[0] = orders[0][:most]
	}
	all := slices.Concat(orders[:]...)
	for _, c := range all[:min(len(all), maxBlamed)] {
		if m.flips(&c, packet, from) {
			return c, true
		}
	}
	return c, false
}

// flips reports whether the reader accepts a packet with a change.
func (m *Minimizer) flips(c *blame, packet []byte, from decode.Direction) bool {
	out := m.changed(packet, from, c)
	return out != nil && m.accepts(out, from)
}

// accepts reports whether a fresh target accepts a packet, after those that the finding takes; or lives on, where that
// is what the finding is about.
func (m *Minimizer) accepts(packet []byte, from decode.Direction) bool {
	if m.failed != nil || m.late() {
		return false
	}
	m.trials++
	t, done, err := m.open()
	if err != nil {
		return m.fail(err)
	}
	var reply oracle.Reply
	defer func() { done(reply) }()
	for _, b := range m.least.Before {
		if _, err := t.Send(b.Data, b.From); err != nil {
			return m.fail(err)
		}
	}
	if reply, err = t.Send(packet, from); err != nil {
		return m.fail(err)
	}
	if !m.f.lethal() {
		return reply.Outcome == oracle.Accepted
	}
	if !reply.Outcome.Answered() {
		return false
	}
	found, err := m.after.found(t)
	if err != nil {
		return m.fail(err)
	}
	return len(found) == 0
}

// narrow brings what is blamed as close to what the reader accepts as it is still refused: between both lies the check
// that is wrong.
func (m *Minimizer) narrow(c blame) blame {
	if c.what == blameTag || c.what == blameContent {
		return c
	}
	for lo, hi := c.to, c.was; lo+1 < hi; {
		mid := lo + (hi-lo)/2
		try := c
		try.to = mid
		out := m.changed(m.least.Packet, m.f.From, &try)
		if out == nil {
			break // not every value between is one
		}
		if m.accepts(out, m.f.From) {
			lo = mid
			continue
		}
		was := m.least
		if !m.shows(m.least.Before, out) {
			m.least = was
			break
		}
		c.was, hi = mid, mid
	}
	return c
}

// widen finds out whether all other codes of what is blamed are refused than the one that is accepted.
func (m *Minimizer) widen(c *blame, packet []byte) {
	if c.what != blameCode || m.mutator.decoder.Decode(packet, m.f.From, &m.probe.trace) != nil {
		return
	}
	var others []uint64
	for ev := range m.probe.trace.Walk() {
		if _, _, ok := m.blamed(c, ev); ok {
			if codes := m.havoc.g.leaves[ev.Leaf].all; len(codes) > 0 {
				i, _ := slices.BinarySearch(codes, c.to)
				others = []uint64{codes[0], codes[max(i, 1)-1], codes[min(i+1, len(codes)-1)], codes[len(codes)/2], codes[len(codes)-1]}
			}
			break
		}
	}
	refused := 0
	for _, to := range others {
		try := *c
		if try.to = to; to == c.was || to == c.to {
			continue
		}
		if out := m.changed(packet, m.f.From, &try); out != nil {
			if m.accepts(out, m.f.From) || m.failed != nil || m.late() {
				return
			}
			refused++
		}
	}
	c.only = refused > 0
}

// askedOfValue is how many other packets with a value the reader is asked about before the value is blamed.
const askedOfValue = 16

// contradicted reports whether the reader accepts another valid packet with the value, at that path, that it is said to
// refuse.
func (m *Minimizer) contradicted(c *blame, path string) bool {
	if c.what != blameCode {
		return false
	}
	of := m.asks(askedOfValue)
	defer of.close()
	var whole decode.Trace
	for data, from := range m.bases(askRandom, &whole) {
		for ev := range whole.Walk() {
			if ev.Kind != decode.Leaf || declarationOf(m.mutator.plan, ev.Node) != c.name || string(whole.AppendEventPath(nil, ev)) != path {
				continue
			}
			with := blame{name: c.name, what: c.what, was: ev.Raw, to: c.was}
			if ev.Raw != c.was {
				data = m.changed(data, from, &with)
			}
			if data != nil {
				if accepted, _ := of.accepts(data, from); accepted {
					return true
				}
			}
			break
		}
	}
	return false
}

// fixed reports whether bytes or a text, or a list, have one size in all packets: what decides is then what is in them.
func (m *Minimizer) fixed(span int32) bool {
	p := m.mutator.plan
	s := p.StepAt(m.probe.trace.Records[span].Point)
	if b, ok := s.(*plan.Blob); ok {
		return !b.Rest && !b.Text.Ends() && (b.Size < 0 || p.Operands[b.Size].Kind == plan.OperandConst)
	}
	count, _ := s.Expr()
	return plan.Counted(s) && p.Operands[count].Kind == plan.OperandConst
}

// cause is what a blame says of the reader, "" where it says nothing. The values of secrets are not shown.
func (m *Minimizer) cause(c *blame, packet []byte, from decode.Direction) (text string, ev *decode.Event) {
	_ = m.mutator.decoder.Decode(packet, from, &m.probe.trace) // it is valid
	does := "the reader " + deaths[m.f.Kind]
	for ev := range m.probe.trace.Walk() {
		what, value, ok := m.blamed(c, ev)
		if !ok {
			continue
		}
		node := &m.mutator.plan.Nodes[ev.Node]
		found := *ev
		switch {
		case c.cause != "":
			return c.cause, &found
		case node.Secret:
			return does + " a value of " + c.name + ", which is a secret", &found
		case what == blameContent:
			return does + " what is in " + c.name, &found
		case what == blameCount && m.fixed(int32(ev.Record)):
			return "", &found
		case what == blameSize:
			return fmt.Sprintf("%s %s of %s", does, c.name, syntax.Count(value, "byte")), &found
		case what == blameCount:
			return fmt.Sprintf("%s %s of %s", does, c.name, syntax.Count(value, "element")), &found
		}
		if c.only {
			other := found
			other.Raw = c.to
			return fmt.Sprintf("%s %s other than %s", does, c.name, m.shownValue(&other)), &found
		}
		return fmt.Sprintf("%s %s = %s", does, c.name, m.shownValue(ev)), &found
	}
	return "", nil
}

// shownValue is a leaf's value in a few words.
func (m *Minimizer) shownValue(ev *decode.Event) string {
	info := &m.mutator.plan.Info[ev.Leaf]
	if info.Form() == plan.FormFloat {
		return strconv.FormatFloat(info.Float(ev.Raw, ev.CodeWidth), 'g', -1, 32)
	}
	value := new(big.Int).SetUint64(info.Value(ev.Raw, ev.CodeWidth))
	if info.IsSigned() {
		value.SetInt64(int64(info.Value(ev.Raw, ev.CodeWidth)))
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
