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
}

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
	c := &comparer{old: old, new: new, leaves: map[[2]int]bool{}, registers: newPairs()}
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
func (c *comparer) isTag(a, b int) bool { return a == c.tags[0] && b == c.tags[1] && a >= 0 && b >= 0 }

// item is a leaf of a run, or another step.
type item struct {
	step plan.Step
	leaf int // -1 without
}

// items are the steps of a block as they are compared: runs by their leaves, and groups by what is in them.
func items(steps []plan.Step) (out []item) {
	for _, s := range steps {
		if run, ok := s.(*plan.Run); ok {
			for leaf := range run.Leaves() {
				out = append(out, item{s, leaf})
			}
		} else if group, ok := s.(*plan.Group); ok {
			out = append(out, items(group.Body)...)
		} else if _, open := s.(*plan.Open); !open {
			out = append(out, item{s, -1})
		}
	}
	return out
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
}

// change records a difference. nodes are where it is declared.
func (c *comparer) change(text string, old, new plan.NodeID, breaksOld, breaksNew bool) {
	one := Change{Case: c.label, Text: text, Old: line(c.old, old), New: line(c.new, new), breaks: [2]bool{breaksOld, breaksNew}}
	for i := range c.changes {
		if was := &c.changes[i]; was.Case == one.Case && was.Text == one.Text && was.Old == one.Old && was.New == one.New {
			was.breaks[0], was.breaks[1] = was.breaks[0] || breaksOld, was.breaks[1] || breaksNew
			return
		}
	}
	c.changes = append(c.changes, one)
}

// line is where a node is declared.
func line(p *plan.Plan, id plan.NodeID) Line {
	if id == plan.NoNode {
		return Line{}
	}
	pos := p.Nodes[id].Pos
	if !pos.IsValid() {
		return Line{}
	}
	src := p.Schema.Files.At(pos.Off).Src
	lines := strings.SplitN(string(src), "\n", int(pos.Line)+1)
	if int(pos.Line) > len(lines) {
		return Line{Number: int(pos.Line)}
	}
	text := strings.TrimSpace(strings.TrimSuffix(lines[pos.Line-1], "\r"))
	if p.Nodes[id].Secret || strings.Contains(text, "@secret") {
		text, _, _ = strings.Cut(text, " ") // what stands behind may be the secret itself
		text += " … @secret"
	}
	return Line{int(pos.Line), text}
}

func (i item) node(p *plan.Plan) plan.NodeID {
	if i.leaf >= 0 {
		return p.Info[i.leaf].Node
	}
	return i.step.At().Node
}

// isLet reports whether it only computes.
func (i item) isLet() bool {
	let, ok := i.step.(*plan.Let)
	return ok && i.leaf < 0 && !let.Judged
}

func (i item) isRequire() bool {
	_, ok := i.step.(*plan.Require)
	return ok && i.leaf < 0
}

// block compares what follows each other; last says that a window, or the packet, ends behind it.
func (c *comparer) block(a, b []item, last bool) {
	for {
		switch {
		case len(a) > 0 && a[0].isLet() && (len(b) == 0 || !b[0].isLet()):
			a = a[1:]
			continue
		case len(b) > 0 && b[0].isLet() && (len(a) == 0 || !a[0].isLet()):
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
			c.change(shown(c.new, b[0])+" is new", plan.NoNode, b[0].node(c.new), !last || !vanish(c.new, b), true)
			return
		case len(b) == 0:
			c.change(shown(c.old, a[0])+" is gone", a[0].node(c.old), plan.NoNode, true, !last || !vanish(c.old, a))
			return
		}
		if !c.pair(a[0], b[0], last && len(a) == 1 && len(b) == 1) {
			c.part(a, b)
			return
		}
		a, b = a[1:], b[1:]
	}
}

// part says how two blocks part ways: nothing is known of what follows.
func (c *comparer) part(a, b []item) {
	x, y := shown(c.old, a[0]), shown(c.new, b[0])
	has := func(p *plan.Plan, among []item, text string) bool {
		return text != "" && slices.ContainsFunc(among, func(i item) bool { return name(p, i) == text })
	}
	text, old, new := fmt.Sprintf("%s is read otherwise", x), a[0].node(c.old), b[0].node(c.new)
	switch xLater, yLater := has(c.new, b[1:], x), has(c.old, a[1:], y); {
	case x == y:
	case xLater && yLater:
		text = fmt.Sprintf("%s and %s change places", x, y)
	case xLater:
		text, old = y+" is new, in front of "+x, plan.NoNode
	case yLater:
		text, new = x+" is gone, in front of "+y, plan.NoNode
	case c.paths[1][c.rule(c.old, old)] || c.paths[0][c.rule(c.new, new)]:
		text = fmt.Sprintf("%s is where %s was", y, x)
	default:
		text = fmt.Sprintf("%s is now %s, which is read otherwise", x, y)
	}
	c.change(text, old, new, true, true)
}

func (c *comparer) rule(p *plan.Plan, id plan.NodeID) string { return string(p.AppendRule(nil, id)) }

// name is what people call an item.
func name(p *plan.Plan, i item) string {
	if rule := string(p.AppendRule(nil, i.node(p))); rule != "" {
		return rule
	}
	if i.leaf < 0 {
		for _, b := range i.step.Blocks() {
			for _, inner := range items(b.Steps) {
				if rule := name(p, inner); rule != "" {
					return rule
				}
			}
		}
	}
	return ""
}

// shown is name, or what it is without one.
func shown(p *plan.Plan, i item) string {
	if text := name(p, i); text != "" {
		return text
	}
	return "something"
}

// vanish reports whether nothing is read, and nothing refused, where a window ends before these.
func vanish(p *plan.Plan, all []item) bool {
	for _, i := range all {
		if !vanishes(p, i) {
			return false
		}
	}
	return true
}

func vanishes(p *plan.Plan, i item) bool {
	if choice, ok := i.step.(*plan.If); ok {
		truth, known := atEnd(p, choice.Cond)
		taken := choice.Else
		if truth {
			taken = choice.Then
		}
		return known && vanish(p, items(taken))
	}
	if list, ok := i.step.(*plan.List); ok {
		if list.Kind == plan.ListRest {
			return true
		}
		more, known := atEnd(p, list.Size)
		return list.Kind == plan.ListWhile && known && !more
	}
	blob, ok := i.step.(*plan.Blob)
	return i.isLet() || ok && blob.Rest && blob.Rule == nil && blob.MinBits == 0
}

// atEnd is a condition where nothing is left; known is false where more decides it.
func atEnd(p *plan.Plan, operand uint32) (truth, known bool) {
	o := &p.Operands[operand]
	if o.Kind != plan.OperandCode || len(p.Reads(operand)) > 0 {
		return false, false
	}
	for i := range p.Insts[o.Start:o.End] {
		if word := p.Insts[int(o.Start)+i].Code.String(); word == "from" || word == "here" {
			return false, false
		}
	}
	return p.Eval(operand, &plan.Env{}) != 0, true
}

// pair compares two items; false where they are read otherwise, so that nothing is known of what follows.
func (c *comparer) pair(a, b item, last bool) bool {
	if (a.leaf >= 0) != (b.leaf >= 0) || reflect.TypeOf(a.step) != reflect.TypeOf(b.step) || !c.named(a.node(c.old), b.node(c.new)) {
		return false
	}
	if a.leaf >= 0 {
		return a.step.At().Order == b.step.At().Order && c.leaf(a.leaf, b.leaf, int(c.old.Leaves[a.leaf].Width), int(c.new.Leaves[b.leaf].Width))
	}
	if !c.facts(a, b) {
		return false
	}
	if x, ok := a.step.(*plan.Switch); ok {
		c.arms(x, b.step.(*plan.Switch), last)
		return true
	}
	if !c.sameLeaves(a.step, b.step) {
		return false
	}
	_, window := a.step.(*plan.Window)
	_, choice := a.step.(*plan.If)
	x, y := a.step.Blocks(), b.step.Blocks()
	for i := range x {
		c.block(items(x[i].Steps), items(y[i].Steps), window && a.step.(*plan.Window).Fill == 0 || choice && last)
	}
	return true
}

// named reports whether two nodes can be one: they have one name, or each a name that the other plan has nowhere.
func (c *comparer) named(a, b plan.NodeID) bool {
	x, y := c.rule(c.old, a), c.rule(c.new, b)
	return x == y || !c.paths[1][x] && !c.paths[0][y]
}

// facts compares what decides how two steps read.
func (c *comparer) facts(a, b item) bool {
	x, y := c.old.Facts(a.step), c.new.Facts(b.step)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Kind != y[i].Kind || x[i].Text != y[i].Text {
			return false
		}
		same := x[i].Value == y[i].Value
		switch x[i].Kind {
		case plan.FactIs:
		case plan.FactRegister:
			same = c.registers.join(x[i].Value, y[i].Value)
		case plan.FactLeaf:
			same = c.leaves[[2]int{int(x[i].Value), int(y[i].Value)}]
		case plan.FactLimit:
			if !same {
				c.change(fmt.Sprintf("%s: at most %d → %d", name(c.new, b), x[i].Value, y[i].Value), a.node(c.old), b.node(c.new),
					x[i].Value > y[i].Value, x[i].Value < y[i].Value)
			}
			same = true
		}
		if !same {
			return false
		}
	}
	return true
}

// arms compares two switches by their tags.
func (c *comparer) arms(a, b *plan.Switch, last bool) {
	top := c.label == "" && a == c.old.CaseSwitch && b == c.new.CaseSwitch
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
			c.change(fmt.Sprintf("%s<%s> is new", name(c.new, item{b, -1}), c.armName(c.new, b, y)), plan.NoNode, b.Nodes[y], false, true)
		case y < 0:
			c.change(fmt.Sprintf("%s<%s> is gone", name(c.old, item{a, -1}), c.armName(c.old, a, x)), a.Nodes[x], plan.NoNode, true, false)
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
