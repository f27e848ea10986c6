package schema

import (
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Switches: a tag chooses one arm. Whatever no arm names is refused, so the language has no union without a way out.

// label is one label of an arm, evaluated.
type label struct {
	at Span
	in interval
}

func (c *checker) switchOf(f *frame, n *syntax.FieldItem) (*Switch, size) {
	x := &exprs{checker: c, f: f}
	tag := x.root(n.Switch.Tag)
	var decl *binding
	if tag != nil && tag.Op == OpVar {
		decl = x.last
	}
	out := &Switch{Pos: n.Switch.Pos, Tag: tag}
	if tag != nil {
		out.Enum = tag.Enum
	}
	if len(n.Switch.Arms) == 0 && !c.broken {
		c.errorf(n.Switch.Span, "", "a switch without an arm refuses every packet")
		return nil, size{}
	}
	var all []label
	before := c.trouble
	var s size
	for i, a := range n.Switch.Arms {
		settable := c.settable
		arm, labels := c.armLabels(out, decl, a)
		if decl != nil && c.settable != settable {
			decl.settable = true
		}
		all = append(all, labels...)
		as := c.arm(f, n.Name.Text, out, arm, a, labels)
		if i == 0 {
			s = as
		} else {
			s = s.or(as)
		}
		out.Arms = append(out.Arms, arm)
	}
	c.disjoint(all)
	if tag == nil || c.trouble > before {
		return nil, size{}
	}
	if out.Enum != nil && !out.Enum.Open && !out.Enum.Flags && !out.HasDefault {
		c.missingCases(n, out, decl, all)
	}
	c.narrowTag(out, all)
	c.notation(out, n.Switch.Arms)
	return out, s
}

// notation finds how the labels of a switch are written: as cases of an enum that its tag is not of, in hexadecimal.
func (c *checker) notation(sw *Switch, arms []*syntax.ArmNode) {
	sw.Hex = sw.Enum != nil && sw.Enum.Hex
	first, same := true, sw.Enum == nil
	for _, a := range arms {
		for _, r := range a.Labels {
			var e *Enum
			if path, ok := r.Lo.(*syntax.PathExpr); ok && r.Hi == nil {
				if g := c.names[path.Parts[0].Text]; g != nil {
					e = g.enum
				}
			}
			sw.Hex = sw.Hex || e != nil && e.Hex || writtenHex(c.text(r.Span))
			same = same && e != nil && (first || e == sw.Names)
			sw.Names, first = e, false
		}
	}
	if !same {
		sw.Names = nil
	}
}

// narrowTag learns, after a switch without a default, that its tag is one of the labels.
func (c *checker) narrowTag(sw *Switch, all []label) {
	if sw.HasDefault || sw.Tag.Op != OpVar || len(all) == 0 {
		return
	}
	c.facts.learn([]fact{oneOf(keyOf(sw.Tag.Path), all)})
	c.switched[keyOf(sw.Tag.Path)] = true
}

// oneOf says that a tag is one of the labels.
func oneOf(key factKey, labels []label) fact {
	f := fact{key: key, in: labels[0].in}
	for _, l := range labels {
		f.in = f.in.union(l.in)
		f.set = append(f.set, Range{l.in.lo, l.in.hi})
	}
	f.set = normalize(f.set)
	return f
}

// armLabels evaluates the labels of one arm.
func (c *checker) armLabels(sw *Switch, decl *binding, a *syntax.ArmNode) (*Arm, []label) {
	arm := &Arm{Pos: a.Pos, Doc: a.Doc, Default: a.Default}
	if a.Default {
		arm.Label = "default"
		if sw.HasDefault {
			c.errorf(Span{Pos: a.Pos, End: a.Pos}, "keep one of the two", "the switch has a `default` already")
		}
		sw.HasDefault = true
		return arm, nil
	}
	var labels []label
	for i, r := range a.Labels {
		if i == 0 {
			arm.Label = c.text(r.Span)
		}
		in, ok := c.labelRange(sw, decl, r)
		if !ok {
			continue
		}
		labels = append(labels, label{r.Span, in})
		arm.Ranges = append(arm.Ranges, Range{in.lo, in.hi})
	}
	sortRanges(arm.Ranges)
	return arm, labels
}

// labelRange evaluates one label and asks whether the tag can have it. Where the tag is wrong, a name on its own may be
// a case of what the tag was meant to be: nothing is said about it.
func (c *checker) labelRange(sw *Switch, decl *binding, r syntax.RangeExpr) (interval, bool) {
	if sw.Tag == nil && (isBareName(r.Lo) || isBareName(r.Hi)) {
		return interval{}, false
	}
	if sw.Tag != nil && sw.Tag.Bool {
		return c.boolLabel(r)
	}
	in, ok := c.constRange(r, "a label", sw.Enum)
	if !ok || sw.Tag == nil {
		return in, false
	}
	if n := sw.Enum; n != nil && !n.Open && !n.Flags && !c.enums[n].anyIn(in) {
		c.errorf(r.Span, "", "%s is no case of `%s`", in, n.Name)
		return in, false
	}
	if decl != nil && c.switched[keyOf(sw.Tag.Path)] && in.within(decl.in) && !in.within(sw.Tag.interval()) {
		c.warnf(r.Span, "", "`%s` is never %s here: a switch before this one has no arm for it", sw.Tag.Text, in)
		return in, true
	}
	if !in.within(sw.Tag.interval()) {
		c.errorf(r.Span, "", "`%s` is never %s: it is %s", sw.Tag.Text, in, sw.Tag.interval())
		return in, false
	}
	return in, true
}

func isBareName(e syntax.Expr) bool {
	p, ok := e.(*syntax.PathExpr)
	return ok && len(p.Parts) == 1 && isUpper(p.Parts[0].Text)
}

func (c *checker) boolLabel(r syntax.RangeExpr) (interval, bool) {
	t := (&exprs{checker: c, konst: "a label"}).root(r.Lo)
	if t == nil || !t.IsConst() {
		return interval{}, false
	}
	if !t.Bool || r.Hi != nil {
		c.errorf(r.Span, "write `true` or `false`", "the tag is a bool: `%s` is no value of it", c.text(r.Span))
		return interval{}, false
	}
	return single(t.Val), true
}

// arm checks what an arm holds; inside, the tag is known to be one of the labels.
func (c *checker) arm(f *frame, name string, sw *Switch, arm *Arm, a *syntax.ArmNode, labels []label) size {
	mark := c.facts.mark()
	defer c.facts.leave(mark)
	if sw.Tag != nil && sw.Tag.Op == OpVar && len(labels) > 0 {
		c.facts.learn([]fact{oneOf(keyOf(sw.Tag.Path), labels)})
	}
	on := onEmpty
	if !a.Empty {
		on = onValue
		arm.Value = c.value(f, a.Value, name)
	}
	c.notes(f, a.Annotations, arm.Value, on, &arm.Annotations)
	if arm.Value == nil {
		return size{}
	}
	return size{arm.Value.MinBits, arm.Value.MaxBits}
}

// disjoint complains about a tag value with two arms.
func (c *checker) disjoint(all []label) {
	overlaps(all, func(first, second label, shared interval) {
		c.errorf(second.at, "leave one out", "%s has an arm already, at %s", shared, first.at.Pos)
	})
}

func sortLabels(all []label) {
	sort.SliceStable(all, func(i, j int) bool { return all[i].in.lo.Cmp(all[j].in.lo) < 0 })
}

// missingCases warns about cases of a closed enum that no arm names.
func (c *checker) missingCases(n *syntax.FieldItem, sw *Switch, decl *binding, all []label) {
	var set []Range
	for _, l := range all {
		set = append(set, Range{l.in.lo, l.in.hi})
	}
	set = normalize(set)
	in := sw.Tag.interval()
	possible := []Range{{in.lo, in.hi}}
	if decl != nil && decl.set != nil {
		possible = decl.set
	}
	// Each case looked at has a label or is missing, and nine missing ones are enough: many switches over one large
	// enum cost no more than their labels.
	var missing []string
	first := sort.Search(len(possible), func(i int) bool { return possible[i].Hi.Cmp(in.lo) >= 0 })
	for _, r := range possible[first:] {
		within, ok := in.intersect(interval{r.Lo, r.Hi})
		if !ok || len(missing) > 8 {
			break
		}
		for _, k := range c.enums[sw.Enum].casesFrom(within.lo) {
			if k.Value.Cmp(within.hi) > 0 || len(missing) > 8 {
				break
			}
			if !inSet(set, k.Value) {
				missing = append(missing, "`"+cut(k.Name, 40)+"`")
			}
		}
	}
	if len(missing) == 0 {
		return
	}
	list := strings.Join(missing[:min(len(missing), 8)], ", ")
	if len(missing) > 8 {
		list += " and more"
	}
	c.warnf(n.Name.Span, "name them with `empty`, or write `default`", "the switch leaves out %s of `%s`: such packets are refused",
		listing(list), sw.Enum.Name)
}
