package infer

import "slices"

// behindSum is how many items of the packet a checksum needs that does not end it: itself, and what is before it.
func (b *block) behindSum() int {
	for i := len(b.items) - 1; i >= 0; i-- {
		if it := b.items[i]; it.kind == kindSum && it.sum.At >= 0 {
			return i + 1
		}
	}
	return 0
}

// foot is where the check and the checksum begin that a block ends with, after its first items.
func (b *block) foot(first int) int {
	end := len(b.items)
	for end > first && (b.items[end-1].kind == kindCheck || b.items[end-1].kind == kindSum) {
		end--
	}
	return end
}

// giveUp makes bytes of what is least certain of a draft that does not check, or refuses what it should not: of all after
// the numbers that the packet begins with; then of these too; and what was found by algebra, a checksum, only where that
// is not enough either. A kept schema becomes what it was. It reports whether there was something to give up.
func (d *draft) giveUp() bool {
	d.sealed = false
	if d.keep != nil {
		if d.reset {
			return false
		}
		d.reset = true
		_, layout := d.keep.Kept.layout()
		d.root = filled(layout, (*hole).before, func(*hole) []newArm { return nil })
		return true
	}
	from := d.root.behindSum()
	end, at := d.root.foot(from), from
	for at < end && d.root.items[at].kind == kindNumber {
		at++
	}
	opened := func(at int) bool { return end-at == 1 && d.root.items[at].kind == kindRest }
	switch {
	case at > from && !opened(at):
	case !opened(from):
		at = from
	case len(d.root.items) > 1:
		at, end, d.tail = 0, len(d.root.items), 0
	default:
		return false
	}
	d.root = &block{items: slices.Concat(d.root.items[:at], []*item{{kind: kindRest}}, d.root.items[end:])}
	d.names()
	return true
}

// giveUpAround makes bytes of the innermost choice in which a packet was refused, and of what is after it in its block: less
// than giveUp does. It reports whether there was one.
func (d *draft) giveUpAround(f failure) bool {
	it := d.named(f.name)
	if it == nil || d.keep != nil {
		return false
	}
	var in *block
	at := 0
	var look func(*block)
	look = func(b *block) {
		for i, c := range b.items {
			for _, a := range c.arms {
				found := false
				a.body.each(func(one *item) { found = found || one == it })
				if found {
					in, at = b, i
					look(a.body)
				}
			}
			if c.body != nil {
				look(c.body)
			}
		}
	}
	look(d.root)
	if in == nil {
		return false
	}
	d.sealed = false
	return d.open(in, at)
}
