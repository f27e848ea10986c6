package infer

import (
	"fmt"
	"slices"
)

// spot is where something begins: so many bits after the beginning of a byte, with the terms that counts add to them, as
// in " + 46 * count"; or nobody knows, and then it is lost.
type spot struct {
	bits  int
	terms string
	lost  bool
}

// behind is the spot after an item.
func (s spot) behind(it *item) spot {
	switch it.kind {
	case kindNumber:
		s.bits += it.width
	case kindSum:
		s.bits += it.sum.Algorithm.Width
	case kindList:
		if bits := it.body.bits(); bits&7 != 0 {
			s.terms += fmt.Sprintf(" + %d * %s", bits, it.of.name)
		}
	case kindOption:
		s.lost = s.lost || it.body.bits()&7 != 0
	case kindChoice, kindGuard, kindKept:
		s.lost = true
	default: // whole bytes, on a byte
		return spot{}
	}
	return s
}

// holder is the block, of those that are no elements of lists, that an item is in, and the spot that it begins at.
func (d *draft) holder(b *block, at spot, want *item) (*block, spot) {
	start := at
	for _, it := range b.items {
		if it == want {
			return b, start
		}
		switch it.kind {
		case kindList, kindOption:
			if slices.Contains(it.body.items, want) {
				return b, start
			}
		case kindKept:
			for _, p := range it.pieces {
				if p.body == nil {
					continue
				}
				if found, at := d.holder(p.body, spot{lost: true}, want); found != nil {
					return found, at
				}
			}
		case kindGuard:
			if found, p := d.holder(it.body, at, want); found != nil {
				return found, p
			}
		case kindChoice:
			for _, a := range it.arms {
				if found, p := d.holder(a.body, at, want); found != nil {
					return found, p
				}
			}
		}
		at = at.behind(it)
	}
	return nil, spot{}
}

// guard puts what is left of a block, from an item on whose size is not its own, after a condition of its length: from
// the last such item that the one where packets were refused is after or in. Where that was done, or cannot be said, it
// becomes bytes.
func (d *draft) guard(b *block, start spot, failed *item) bool {
	from, at := 0, start
	if kept := b.lastKept(); kept >= 0 {
		from, at = kept+1, spot{lost: true}
	}
	// A checksum stays before: a packet without one is refused.
	for from < b.behindSum() {
		at = at.behind(b.items[from])
		from++
	}
	begin, first := at, from
	found := false
	for i := from; i < len(b.items); i++ {
		it := b.items[i]
		if k := it.kind; (k == kindList || k == kindBlob || k == kindOption) && (i > from || b.up == nil) {
			begin, first, found = at, i, true
		}
		if it == failed && found || it.body != nil && slices.Contains(it.body.items, failed) {
			break
		}
		at = at.behind(it)
	}
	if !found && from == len(b.items) { // a packet goes on after the last item
		b.items = append(b.items, &item{kind: kindRest})
		d.names()
		return true
	}
	if b.up != nil && !found { // it was, and that did not help
		return d.open(b.up, slices.IndexFunc(b.up.items, func(it *item) bool { return it.body == b }))
	}
	if slices.ContainsFunc(b.items, func(it *item) bool { return it.kind == kindGuard }) {
		return d.open(b, from)
	}
	end := b.foot(first)
	cond, ok := d.condition(b.items[first:end], begin)
	if !ok || end == first {
		return d.open(b, first)
	}
	g := &item{kind: kindGuard, cond: cond, body: &block{items: slices.Clone(b.items[first:end]), up: b}}
	b.items = slices.Concat(b.items[:first:first], []*item{g}, b.items[end:])
	d.names()
	return true
}

// open makes bytes of what is left of a block.
func (d *draft) open(b *block, at int) bool {
	end := b.foot(at)
	if end-at == 1 && b.items[at].kind == kindRest || end == at {
		if at == 0 || end == at {
			return false
		}
		// What is before the rest is not in all packets.
		if b.lastKept() >= 0 {
			return false
		}
		for at > 0 && b.items[at-1].kind != kindSum {
			at--
		}
	}
	b.items = slices.Concat(b.items[:at:at], []*item{{kind: kindRest}}, b.items[end:])
	d.names()
	return true
}

// condition is when what is left of a packet has the size of items, or where that is not known before they are read, at
// least that of the first ones: an expression over rest, whole bytes.
func (d *draft) condition(items []*item, at spot) (string, bool) {
	if at.lost {
		return "", false
	}
	fixed, terms, relation := 0, "", "=="
	for i, it := range items {
		if it.of != nil && slices.Contains(items[:i], it.of) || it.kind == kindRest || it.kind == kindChoice {
			relation = ">="
			break
		}
		switch it.kind {
		case kindNumber:
			fixed += it.width
		case kindList:
			terms += fmt.Sprintf(" + %d * %s", it.body.bits(), it.of.name)
		case kindBlob:
			terms += fmt.Sprintf(" + 8 * %s", it.of.name)
			fixed -= 8 * it.bias
		default: // an option: a bool is no number
			return "", false
		}
	}
	if relation == ">=" && fixed <= 0 && terms == "" {
		return "", false
	}
	// The bits that are left begin somewhere in a byte and end with one.
	bits := at.bits & 7
	text, more := fmt.Sprint((bits+fixed+7)/8), d.tail
	if at.terms+terms != "" {
		text = fmt.Sprintf("(%d%s%s) / 8", bits+fixed+7, at.terms, terms)
	}
	switch {
	case at.terms != "":
		text += fmt.Sprintf(" - (%d%s) / 8", bits+7, at.terms)
	case at.terms+terms == "":
		return fmt.Sprintf("rest %s %d", relation, (bits+fixed+7)/8+more-boolInt(bits > 0)), true
	default:
		more -= boolInt(bits > 0)
	}
	switch {
	case more > 0:
		text += fmt.Sprintf(" + %d", more)
	case more < 0:
		text += fmt.Sprintf(" - %d", -more)
	}
	return "rest " + relation + " " + text, true
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
