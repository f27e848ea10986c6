package wirediff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// block compares what follows each other; last says that a window, or the packet, ends after it.
func (c *comparer) block(a, b []item, last bool) {
	for {
		switch {
		case len(a) > 0 && a[0].isNothing(c.old) && (len(b) == 0 || !b[0].isNothing(c.new)):
			a = a[1:]
			continue
		case len(b) > 0 && b[0].isNothing(c.new) && (len(a) == 0 || !a[0].isNothing(c.old)):
			b = b[1:]
			continue
		case len(a) > 0 && a[0].isRequire() && (len(b) == 0 || !b[0].isRequire()):
			c.change("a relation is gone", a[0].node(c.old), plan.NoNode, false, true)
			a = a[1:]
			continue
		case len(b) > 0 && b[0].isRequire() && (len(a) == 0 || !a[0].isRequire()):
			c.change("a relation is new", plan.NoNode, b[0].node(c.new), true, false)
			b = b[1:]
			continue
		case len(a) == 0 && len(b) == 0:
			return
		case len(a) == 0:
			c.ends(c.new, b, "new", !last || !vanish(c.new, b), true)
			return
		case len(b) == 0:
			c.ends(c.old, a, "gone", true, !last || !vanish(c.old, a))
			return
		case last && c.skipped(c.new, b[0], a[0], c.old, a):
			c.change(are(c.new, b[0], "new")+", before "+shown(c.old, a[0]), plan.NoNode, b[0].node(c.new), false, true)
			b = b[1:]
			continue
		case last && c.skipped(c.old, a[0], b[0], c.new, b):
			c.change(are(c.old, a[0], "gone")+", before "+shown(c.new, b[0]), a[0].node(c.old), plan.NoNode, true, false)
			a = a[1:]
			continue
		}
		if n := c.reserved(a[0], b[0]); n > 0 {
			a, b = c.use(c.old, a, n), c.use(c.new, b, n)
			continue
		}
		if !c.pair(a[0], b[0], last && len(a) == 1 && len(b) == 1) {
			c.part(a, b)
			return
		}
		a, b = a[1:], b[1:]
	}
}

// ends says that one plan has more at the end of a block.
func (c *comparer) ends(p *plan.Plan, more []item, what string, breaksOld, breaksNew bool) {
	for _, one := range more {
		text, node := are(p, one, what), one.node(p)
		if one.isRequire() {
			text = "a relation is " + what
		}
		switch {
		case one.isNothing(p):
		case p == c.old:
			c.change(text, node, plan.NoNode, breaksOld, breaksNew)
		default:
			c.change(text, plan.NoNode, node, breaksOld, breaksNew)
		}
	}
}

// part says how two blocks part ways. What follows is at other bits: it is compared by name, so that people see what else
// changed, and nothing is proved of it.
func (c *comparer) part(a, b []item) {
	x, y := shown(c.old, a[0]), shown(c.new, b[0])
	has := func(p *plan.Plan, among []item, text string) bool {
		return text != "" && slices.ContainsFunc(among, func(i item) bool { return name(p, i) == text })
	}
	text, old, new := fmt.Sprintf("%s is read otherwise", x), a[0].node(c.old), b[0].node(c.new)
	restOld, restNew := a[1:], b[1:]
	switch xLater, yLater := has(c.new, b[1:], x), has(c.old, a[1:], y); {
	case x == y:
	case xLater && yLater:
		text = fmt.Sprintf("%s and %s change places", x, y)
		restOld, restNew = a, b
	case xLater:
		text, old, restOld = are(c.new, b[0], "new")+", before "+x, plan.NoNode, a
	case yLater:
		text, new, restNew = are(c.old, a[0], "gone")+", before "+y, plan.NoNode, b
	case c.paths[1][rule(c.old, old)] || c.paths[0][rule(c.new, new)]:
		text = fmt.Sprintf("%s is where %s was", y, x)
	default:
		text = fmt.Sprintf("%s is now %s, which is read otherwise", x, y)
	}
	at := c.change(text, old, new, true, true)
	if len(restOld) > 0 || len(restNew) > 0 {
		if at >= 0 {
			c.changes[at].Moves = true
		}
		c.behind(restOld, restNew)
	}
}

// after compares by name what two blocks have after the place where they part. What it meets of leaves and registers
// is forgotten: they are not read at one place.
func (c *comparer) behind(a, b []item) {
	leaves, registers := c.leaves, c.registers
	c.leaves, c.registers = maps.Clone(leaves), pairs{maps.Clone(registers.to), maps.Clone(registers.from)}
	c.apart++
	there := map[string][]item{}
	for _, one := range b {
		if text := name(c.new, one); text != "" && !one.isNothing(c.new) && !one.isRequire() {
			there[text] = append(there[text], one)
		}
	}
	for _, one := range a {
		text := name(c.old, one)
		if text == "" || one.isNothing(c.old) || one.isRequire() {
			continue
		}
		if list := there[text]; len(list) > 0 {
			there[text] = list[1:]
			if !c.pair(one, list[0], false) {
				c.change(text+" is read otherwise", one.node(c.old), list[0].node(c.new), true, true)
			}
			continue
		}
		if !unnamed(c.old, one) {
			c.change(are(c.old, one, "gone"), one.node(c.old), plan.NoNode, true, true)
		}
	}
	for _, one := range b {
		if text := name(c.new, one); len(there[text]) > 0 && there[text][0] == one {
			there[text] = there[text][1:]
			if !unnamed(c.new, one) {
				c.change(are(c.new, one, "new"), plan.NoNode, one.node(c.new), true, true)
			}
		}
	}
	c.apart--
	c.leaves, c.registers = leaves, registers
}

// unnamed reports whether an item is padding, reserved bits or a check, whose name only counts them.
func unnamed(p *plan.Plan, i item) bool {
	n := &p.Nodes[i.node(p)]
	return n.Kind == plan.NodeItem && !n.Named
}

// vanish reports whether nothing is read, and nothing refused, where a window ends before these.
func vanish(p *plan.Plan, all []item) bool {
	return !slices.ContainsFunc(all, func(i item) bool { return !vanishes(p, i, 0) })
}

// vanishes reports whether an item reads and refuses nothing where so many bits are left.
func vanishes(p *plan.Plan, i item, left int) bool {
	if choice, ok := i.step.(*plan.If); ok {
		truth, known := p.AskRest(choice.Cond, left)
		taken := choice.Else
		if truth != 0 {
			taken = choice.Then
		}
		return known && !slices.ContainsFunc(items(taken), func(one item) bool { return !vanishes(p, one, left) })
	}
	if list, ok := i.step.(*plan.List); ok {
		if list.Kind == plan.ListRest {
			return left < list.Left
		}
		more, known := p.AskRest(list.Size, left)
		return list.Kind == plan.ListWhile && known && more == 0
	}
	blob, ok := i.step.(*plan.Blob)
	return i.isNothing(p) || left == 0 && ok && blob.Rest && blob.Rule == nil && blob.MinBits == 0
}

// skipped reports whether an `if` of plan p, which another has not at this place, reads nothing in the other's packets:
// what these have from there to the end is of a fixed size, and the `if` asks only how much is left.
func (c *comparer) skipped(p *plan.Plan, one, against item, other *plan.Plan, rest []item) bool {
	if _, ok := one.step.(*plan.If); !ok || one.leaf >= 0 {
		return false
	}
	if _, ok := against.step.(*plan.If); ok && against.leaf < 0 {
		return false
	}
	bits := 0
	for _, i := range rest {
		n, ok := fixed(other, i)
		if !ok {
			return false
		}
		bits += n
	}
	return vanishes(p, one, bits) && vanishes(p, one, bits+7) // with the padding to a whole byte
}

// fixed is how many bits an item takes, where that is always the same.
func fixed(p *plan.Plan, i item) (bits int, ok bool) {
	if i.leaf >= 0 {
		return int(p.Leaves[i.leaf].Width) - i.used, true
	}
	if reserved, ok := i.step.(*plan.Reserved); ok {
		return reserved.Bits, true
	}
	if check, ok := i.step.(*plan.Checksum); ok {
		return int(p.Leaves[check.Leaf].Width), true
	}
	_, unit := i.step.(*plan.Unit)
	return 0, unit || i.isNothing(p) || i.isRequire()
}

// reserved compares reserved bits with what another plan has there, and gives how many bits it compared: 0 where neither
// is reserved, or what is there does not fit into them.
func (c *comparer) reserved(a, b item) int {
	width, any, isOld := reservedBits(c.old, a)
	other, alsoAny, isNew := reservedBits(c.new, b)
	switch {
	case isOld && isNew:
		if any != alsoAny {
			c.change("reserved bits may "+map[bool]string{true: "no longer", false: "now"}[any]+" be set", a.node(c.old), b.node(c.new), any, alsoAny)
		}
		return min(width, other)
	case isOld:
		return c.reservedField(c.old, a, c.new, b, width, any, oldPackets)
	case isNew:
		return c.reservedField(c.new, b, c.old, a, other, alsoAny, newPackets)
	}
	return 0
}

// reservedField compares reserved bits with a field of the other plan. The packets of side have the reserved bits, which
// the other reader reads as that field; its own packets have a field that is not read.
func (c *comparer) reservedField(p *plan.Plan, bits item, q *plan.Plan, field item, width int, any bool, side int) int {
	if field.leaf < 0 || c.taken(q, field) {
		return 0
	}
	n, info := int(q.Leaves[field.leaf].Width), &q.Info[field.leaf]
	if n == 0 || n > width || info.Writes() != plan.Given && info.Writes() != plan.Constant {
		return 0
	}
	codes := []uint64{0}
	if any {
		codes = edges(info, info, n)
	}
	refused := codes == nil || slices.ContainsFunc(codes, func(code uint64) bool { return !accepts(info, code, n) })
	text, old, new := "reserved bits are now "+name(q, field), bits.node(p), field.node(q)
	breaksOld, breaksNew := refused, true
	if side == newPackets {
		text, old, new = name(q, field)+" is now reserved bits", new, old
		breaksOld, breaksNew = true, refused
	}
	c.change(text, old, new, breaksOld, breaksNew)
	return n
}

// taken reports whether the other plan has a field of this name.
func (c *comparer) taken(p *plan.Plan, i item) bool {
	side := 0
	if p == c.old {
		side = 1
	}
	return c.paths[side][rule(p, i.node(p))]
}

// reservedBits is how many bits of a reserved leaf are left to compare, and whether they may be set.
func reservedBits(p *plan.Plan, i item) (width int, any, ok bool) {
	if i.leaf < 0 || p.Info[i.leaf].Kind != plan.LeafReserved {
		return 0, false, false
	}
	return int(p.Leaves[i.leaf].Width) - i.used, p.Info[i.leaf].Any, true
}

// use goes on by so many bits.
func (c *comparer) use(p *plan.Plan, list []item, n int) []item {
	list[0].used += n
	if list[0].used == int(p.Leaves[list[0].leaf].Width) {
		return list[1:]
	}
	return list
}
