package wirediff

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// comparer goes over two trees of steps side by side.
type comparer struct {
	old, new  *plan.Plan
	paths     [2]map[string]bool // the rules' paths of both
	leaves    map[[2]int]bool    // leaves that are read at one place, with one value for one code
	registers pairs              // those that belong together
	label     string             // of the case around
	cases     []part
	changes   []Change
	moved     []string // names of cases and flags that have another value
	tags      [2]int   // the leaves that the packets' cases follow from, -1 of what is no leaf

	apart int                       // blocks around that have parted: what is met there is compared by name
	told  map[Change]int            // changes, without their verdicts, and where they are in changes
	more  map[string]int            // of each case, changes after a parting that are only counted
	lines map[*syntax.File][]string // of the sources
}

// maxBehind is how many changes are told that are after a parting.
const maxBehind = 200

// part is some tags of the packet's case.
type part struct {
	name   string
	lo, hi uint64
}

// pairs are things of two plans that belong together, each with one.
type pairs struct{ to, from map[uint64]uint64 }

func newPairs() pairs { return pairs{map[uint64]uint64{}, map[uint64]uint64{}} }

// join reports whether a and b belong together, which they do where neither belonged to another before.
func (p pairs) join(a, b uint64) bool {
	x, ok := p.to[a]
	y, also := p.from[b]
	if !ok && !also {
		p.to[a], p.from[b] = b, a
		return true
	}
	return ok && also && x == b && y == a
}

func newComparer(old, new *plan.Plan) *comparer {
	c := &comparer{old: old, new: new, leaves: map[[2]int]bool{}, registers: newPairs(), told: map[Change]int{}, more: map[string]int{},
		lines: map[*syntax.File][]string{}}
	for i, p := range []*plan.Plan{old, new} {
		c.tags[i] = tagLeaf(p)
		c.paths[i] = map[string]bool{}
		for id := range p.Nodes {
			c.paths[i][string(p.AppendRule(nil, plan.NodeID(id)))] = true
		}
	}
	return c
}

// tagLeaf is the leaf whose value is the packet's case; -1 where it is computed.
func tagLeaf(p *plan.Plan) int {
	if p.CaseSwitch == nil {
		return -1
	}
	o := &p.Operands[p.CaseSwitch.Tag]
	if o.Kind == plan.OperandLeaf {
		return p.LeafOf(o, p.CaseSwitch.ID)
	}
	if reads := p.Reads(p.CaseSwitch.Tag); o.Kind == plan.OperandRegister && len(reads) == 1 && len(p.RegisterLeaves[reads[0]]) == 1 {
		return int(p.RegisterLeaves[reads[0]][0])
	}
	return -1
}

// isTag reports whether two leaves decide both packets' cases: what they accept is said of each case.
func (c *comparer) isTag(a, b int) bool {
	return c.apart == 0 && a == c.tags[0] && b == c.tags[1] && a >= 0 && b >= 0
}

// packets compares the packets as a whole.
func (c *comparer) packets() {
	old, new := c.old, c.new
	if a, b := old.Schema.MaxDatagram, new.Schema.MaxDatagram; a != b {
		text := fmt.Sprintf("max datagram %d → %d", a, b)
		if old.Schema.Message != nil || new.Schema.Message != nil {
			text = fmt.Sprintf("max %d → %d", a, b)
		}
		c.change(text, plan.NoNode, plan.NoNode, old.Bound.MaxBits > 8*int64(b), new.Bound.MaxBits > 8*int64(a))
	}
	c.block(items(old.Root), items(new.Root), true)
	for label, n := range c.more {
		c.changes = append(c.changes, Change{Case: label, Text: fmt.Sprintf("%s more after that", syntax.Count(n, "change")), breaks: [2]bool{true, true}})
	}
}

// change records a difference, and gives its place in changes, -1 where it is only counted. nodes are where it is declared.
func (c *comparer) change(text string, old, new plan.NodeID, breaksOld, breaksNew bool) int {
	one := Change{Case: c.label, Text: text, Old: c.line(c.old, old), New: c.line(c.new, new)}
	at, ok := c.told[one]
	switch {
	case ok:
	case c.apart > 0 && len(c.changes) >= maxBehind:
		c.more[c.label]++ // the change at which the blocks parted has all verdicts
		return -1
	default:
		at = len(c.changes)
		c.told[one] = at
		c.changes = append(c.changes, one)
	}
	breaks := &c.changes[at].breaks
	breaks[0], breaks[1] = breaks[0] || breaksOld, breaks[1] || breaksNew
	return at
}

// pair compares two items; false where they are read otherwise, so that nothing is known of what follows.
func (c *comparer) pair(a, b item, last bool) bool {
	if (a.leaf >= 0) != (b.leaf >= 0) || reflect.TypeOf(a.step) != reflect.TypeOf(b.step) || !c.named(a.own(c.old), b.own(c.new)) {
		return false
	}
	if a.leaf >= 0 {
		return a.step.At().Order == b.step.At().Order && c.leaf(a.leaf, b.leaf, int(c.old.Leaves[a.leaf].Width), int(c.new.Leaves[b.leaf].Width))
	}
	if a.isRequire() {
		c.require(a, b)
		return true
	}
	until := isUntil(a.step) && isUntil(b.step) // it asks about an element that was read
	if !until && !c.facts(a, b) {
		return false
	}
	if x, ok := a.step.(*plan.Switch); ok {
		c.arms(x, b.step.(*plan.Switch), last)
		return true
	}
	if !c.sameLeaves(a.step, b.step) {
		return false
	}
	window, isWindow := a.step.(*plan.Window)
	_, choice := a.step.(*plan.If)
	x, y := a.step.Blocks(), b.step.Blocks()
	for i := range x {
		c.block(items(x[i].Steps), items(y[i].Steps), isWindow && window.Fill == 0 || choice && last)
	}
	if until && !c.facts(a, b) {
		return false
	}
	c.fragment(a, b)
	return true
}

func isUntil(s plan.Step) bool {
	list, ok := s.(*plan.List)
	return ok && list.Kind == plan.ListUntil
}

// require compares two relations. They take no bits, so what follows is at its place whatever they ask.
func (c *comparer) require(a, b item) {
	x, y := a.step.(*plan.Require), b.step.(*plan.Require)
	if c.same(c.old.Facts(x), c.new.Facts(y), nil) {
		return
	}
	weaker, stronger := c.old.Implies(x.Cond, c.new, y.Cond, c.alike), c.new.Implies(y.Cond, c.old, x.Cond, c.alike)
	if !weaker || !stronger {
		c.change("a relation is another", a.node(c.old), b.node(c.new), !weaker, !stronger)
	}
}

// fragment compares what two fields hold of a message. The packet is read all the same.
func (c *comparer) fragment(a, b item) {
	x, ok := a.step.(*plan.Blob)
	if !ok || x.Fragment == nil {
		return
	}
	y := b.step.(*plan.Blob)
	name, other := x.Fragment.Note.Section.Name, y.Fragment.Note.Section.Name
	if otherMessage(c.old, c.new, name, other) {
		c.change(fmt.Sprintf("%s: message %s → %s", shown(c.new, b), name, other), a.node(c.old), b.node(c.new), true, true)
	}
	if !c.same(c.old.FragmentFacts(x), c.new.FragmentFacts(y), nil) {
		c.change(fmt.Sprintf("%s: message %s is put together otherwise", shown(c.new, b), other), a.node(c.old), b.node(c.new), true, true)
	}
}

// otherMessage reports whether the message of a name is not that of another in the other plan: one that is renamed is.
func otherMessage(p, q *plan.Plan, name, other string) bool {
	return name != other && (hasSection(q, name) || hasSection(p, other))
}

func hasSection(p *plan.Plan, name string) bool {
	return slices.ContainsFunc(p.Schema.Sections, func(s *schema.Section) bool { return s.Name == name })
}

// named reports whether two nodes can be one: they have one name, or each a name that the other plan has nowhere.
func (c *comparer) named(a, b plan.NodeID) bool {
	x, y := rule(c.old, a), rule(c.new, b)
	return x == y || !c.paths[1][x] && !c.paths[0][y]
}

// facts compares what decides how two steps read.
func (c *comparer) facts(a, b item) bool {
	return c.same(c.old.Facts(a.step), c.new.Facts(b.step), func(x, y plan.Fact) {
		if x.Kind == plan.FactRule {
			c.change(name(c.new, b)+": another rule", a.node(c.old), b.node(c.new), y.Text != "", x.Text != "")
			return
		}
		c.change(fmt.Sprintf("%s: at most %d → %d", name(c.new, b), x.Value, y.Value), a.node(c.old), b.node(c.new),
			x.Value > y.Value, x.Value < y.Value)
	})
}

// same compares facts. Those that only decide what is accepted are handed to differ, where they are not alike.
func (c *comparer) same(x, y []plan.Fact, differ func(x, y plan.Fact)) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		switch {
		case x[i].Kind != y[i].Kind:
			return false
		case c.alike(x[i], y[i]):
		case differ != nil && (x[i].Kind == plan.FactLimit || x[i].Kind == plan.FactRule):
			differ(x[i], y[i])
		default:
			return false
		}
	}
	return true
}

// alike compares two facts.
func (c *comparer) alike(x, y plan.Fact) bool {
	switch {
	case x.Kind != y.Kind:
		return false
	case x.Kind == plan.FactRegister:
		return c.registers.join(x.Value, y.Value)
	case x.Kind == plan.FactLeaf:
		return c.leaves[[2]int{int(x.Value), int(y.Value)}]
	}
	return x.Value == y.Value && x.Text == y.Text
}

// arms compares two switches by their tags.
func (c *comparer) arms(a, b *plan.Switch, last bool) {
	top := c.apart == 0 && c.label == "" && a == c.old.CaseSwitch && b == c.new.CaseSwitch
	var bounds []uint64 // where the arm may change
	for _, s := range []*plan.Switch{a, b} {
		for _, e := range s.Entries {
			bounds = append(bounds, e.Lo)
			if e.Hi != ^uint64(0) {
				bounds = append(bounds, e.Hi+1)
			}
		}
	}
	bounds = append(bounds, 0)
	sort.Slice(bounds, func(i, j int) bool { return bounds[i] < bounds[j] })
	bounds = slices.Compact(bounds)
	done := map[[2]int]string{}
	for i, lo := range bounds {
		hi := ^uint64(0)
		if i+1 < len(bounds) {
			hi = bounds[i+1] - 1
		}
		x, y := a.Find(lo), b.Find(lo)
		if x < 0 && y < 0 || !canBe(c.old, a.Tag, lo, hi) && !canBe(c.new, b.Tag, lo, hi) {
			continue
		}
		label := ""
		if top {
			label = c.caseName(lo, hi, b, y)
			c.cases = append(c.cases, part{label, lo, hi})
			c.label = label
			c.tagged(lo, hi)
		} else if done[[2]int{x, y}] != "" {
			continue
		}
		done[[2]int{x, y}] = "compared"
		switch {
		case x < 0:
			c.change(fmt.Sprintf("%s<%s> is new", name(c.new, item{b, -1, 0}), c.armName(c.new, b, y)), plan.NoNode, b.Nodes[y], false, true)
		case y < 0:
			c.change(fmt.Sprintf("%s<%s> is gone", name(c.old, item{a, -1, 0}), c.armName(c.old, a, x)), a.Nodes[x], plan.NoNode, true, false)
		default:
			c.block(items(a.Arms[x].Steps), items(b.Arms[y].Steps), last)
		}
		if top {
			c.label = ""
		}
	}
}

// tagged compares which tags of a case both plans accept.
func (c *comparer) tagged(lo, hi uint64) {
	if !c.isTag(c.tags[0], c.tags[1]) {
		return
	}
	x, y := &c.old.Info[c.tags[0]], &c.new.Info[c.tags[1]]
	width := int(c.old.Leaves[c.tags[0]].Width)
	o := &c.old.Operands[c.old.CaseSwitch.Tag]
	code := func(key uint64) uint64 { return x.CodeOf(o.Key(key), width) } // Key is its own inverse
	codes := []uint64{code(lo), code(hi)}
	for _, edge := range edges(x, y, width) {
		if key := o.Key(x.Value(edge, width)); lo < key && key < hi {
			codes = append(codes, edge)
		}
	}
	c.accepted(x, y, codes, width)
}

// canBe reports whether the checker leaves a tag one of some keys.
func canBe(p *plan.Plan, tag uint32, lo, hi uint64) bool {
	o := &p.Operands[tag]
	if o.Expr == nil || o.Expr.Lo == nil || o.Expr.Hi == nil {
		return true
	}
	return o.Key(plan.Low64(o.Expr.Lo)) <= hi && lo <= o.Key(plan.Low64(o.Expr.Hi))
}

func (c *comparer) armName(p *plan.Plan, s *plan.Switch, arm int) string {
	return p.Nodes[s.Nodes[arm]].Case
}

// caseName names some tags of the packet's case.
func (c *comparer) caseName(lo, hi uint64, s *plan.Switch, arm int) string {
	tag := func(key uint64) string {
		signed := c.new.Operands[c.new.CaseSwitch.Tag].Signed
		if signed {
			key ^= 1 << 63
		}
		text := string(decode.CaseOf(c.new, key).AppendText(nil))
		if c.new.Case.CaseName(key) == "" && c.old.Case.CaseName(key) != "" {
			text = string(decode.CaseOf(c.old, key).AppendText(nil))
		}
		return text
	}
	switch {
	case lo == hi:
		return tag(lo)
	case arm >= 0 && arm == s.Default:
		return "others, from " + tag(lo)
	}
	return tag(lo) + ".." + tag(hi)
}

// notes says what changed beside the wire.
func (r *Report) notes(old, new *decode.Decoder) {
	a, b := old.Schema(), new.Schema()
	if x, y := portText(a), portText(b); x != y {
		r.Notes = append(r.Notes, fmt.Sprintf("port %s → %s", x, y))
	}
	sides := func(p *plan.Plan) map[string]schema.Direction {
		out := map[string]schema.Direction{}
		for _, s := range p.Steps {
			if g, ok := s.(*plan.Group); ok {
				out[string(p.AppendRule(nil, g.Node))] = g.From
			}
		}
		return out
	}
	x, y := sides(old.Plan()), sides(new.Plan())
	var texts []string
	for path, from := range x {
		if to, ok := y[path]; !ok || to != from {
			texts = append(texts, fmt.Sprintf("%s: from the %s → %s", path, from, side(to, ok)))
		}
	}
	for path, to := range y {
		if _, ok := x[path]; !ok {
			texts = append(texts, fmt.Sprintf("%s: from either side → %s", path, side(to, true)))
		}
	}
	slices.Sort(texts)
	r.Notes = append(r.Notes, texts...)
}

func side(d schema.Direction, known bool) string {
	if !known {
		return "either side"
	}
	return "the " + d.String()
}

func portText(s *schema.Schema) string {
	if len(s.Ports) == 0 {
		return "none"
	}
	return strings.Trim(fmt.Sprint(s.Ports), "[]")
}
