package plan

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Compile makes the verified plan of a checked schema. It fails, with a place in the source, where the plan would be
// larger or could work longer than its limits allow.
//
// The plan of a packet has those of the messages in its Sections.
func Compile(s *schema.Schema) (p *Plan, diags []schema.Diagnostic) { return CompileIn(s, nil) }

// CompileIn is Compile for packets of flows that hold what is given, unless that is nil: then nothing of the plan depends
// on other packets, and nothing is kept of its own.
func CompileIn(s *schema.Schema, given Context) (p *Plan, diags []schema.Diagnostic) {
	p, diags = compile(s, given)
	for _, m := range s.Sections {
		if s.Message != nil {
			break
		}
		section, more := compile(s.Section(m.Name), given)
		for _, d := range more { // of what is in several, once
			if !slices.ContainsFunc(diags, func(o schema.Diagnostic) bool { return o.Span == d.Span && o.Message == d.Message }) {
				diags = append(diags, d)
			}
		}
		if section == nil {
			p = nil
		}
		if p != nil {
			p.Sections = append(p.Sections, section)
		}
	}
	if p != nil && s.Message == nil {
		hold(append([]*Plan{p}, p.Sections...), p.Sections)
	}
	return p, diags
}

// compile makes the plan of one root.
func compile(s *schema.Schema, given Context) (p *Plan, diags []schema.Diagnostic) {
	defer func() {
		// Structs in structs expand without end, so the compiler stops where a limit is passed, wherever it is.
		if e := recover(); e != nil {
			over, ok := e.(tooLarge)
			if !ok {
				panic(e)
			}
			p, diags = nil, []schema.Diagnostic{errorAt(s.Packet.Pos, "the plan would need more than %d %s: use fewer nested switches, or arrays instead of repeated structs", over.most, over.what)}
		}
	}()
	c := &compiler{
		p:       &Plan{Schema: s, Context: given, Order: s.Packet.Order, Carried: map[uint32]bool{}},
		order:   s.Packet.Order,
		at:      schema.AtStart,
		lay:     schema.NewPositions(),
		visible: map[*schema.Struct]bool{},
		uses:    countUses(s),
		cases:   map[*schema.Enum]*Cases{},
		carries: map[*schema.Struct]bool{}, lasts: map[*schema.StructRef][]last{},
		ends:    map[uint32]sumEnd{},
		groups:  []*group{{}},
		bytes:   map[*schema.Field]*Blob{},
		context: given,
	}
	root := c.node(Node{Kind: NodeStruct, Parent: NoNode, Pos: s.Packet.Pos, Doc: s.Packet.Doc, Struct: s.Packet, Leaf: -1})
	sc := newScope()
	c.p.Root = c.nested(func() { c.structBody(s.Packet, root, sc) })
	c.flowBy(sc)
	if syntax.HasErrors(c.diags) {
		return nil, c.diags
	}
	c.p.number(c.p.Root, NoStep, 0)
	c.p.mark(NoStep, NoShape, -1) // the end
	c.p.findEnds()
	if c.circles(); syntax.HasErrors(c.diags) {
		return nil, c.diags
	}
	c.p.OpCount() // within its limit
	if d := c.p.finish(); d != nil {
		return nil, append(c.diags, *d)
	}
	return c.p, c.diags
}

// tooLarge is what the compiler panics with where its plan outgrows a limit.
type tooLarge struct {
	most int
	what string
}

const opsAndLeaves = "ops and leaves"

// within holds what is made of something to its limit.
func within(n, most int, what string) {
	if n > most {
		panic(tooLarge{most, what})
	}
}

// finish proves the plan and fills in what is derived from it.
func (p *Plan) finish() *schema.Diagnostic {
	p.Bound = p.Prove()
	p.markSecrets()
	p.markOpen()
	p.findCase()
	for i := range p.Info {
		p.Info[i].settle()
	}
	p.sideBySide()
	if d := p.secretState(); d != nil {
		return d
	}
	if d := p.tooMuch("have", "fields", p.Schema.MaxFields, (*work).totalFields); d != nil {
		return d
	}
	return p.tooMuch("take", "steps", p.Schema.MaxSteps, (*work).totalSteps)
}

// sideBySide counts the leaves that are beside each other, from the last.
func (p *Plan) sideBySide() {
	next, parent := 0, NoNode
	for i := len(p.Info) - 1; i >= 0; i-- {
		n := &p.Nodes[p.Info[i].Node]
		switch {
		case n.Elem || n.Named || n.Secret || p.Nodes[n.Parent].Kind != NodeStruct:
			next = 0
		case n.Parent == parent:
			next++
		default:
			next = 1
		}
		p.Info[i].Beside, parent = next, n.Parent
	}
}

func errorAt(pos schema.Pos, format string, args ...any) schema.Diagnostic {
	return schema.Diagnostic{Span: schema.Span{Pos: pos, End: pos}, Severity: schema.Error, Message: fmt.Sprintf(format, args...)}
}

func saturated(n uint64) string {
	if n >= satMax {
		return "more than 10^12"
	}
	return fmt.Sprint(n)
}

// compiler holds the plan being made and where it is.
type compiler struct {
	p     *Plan
	diags []schema.Diagnostic

	block []Step // being made
	run   *Run   // its last step, if the next leaf can join it
	steps int    // made so far

	at      schema.Places // where the next bit can lie
	lay     *schema.Positions
	order   wire.Order
	gotCase bool
	uses    map[*schema.Var]int
	marks   []uint32                // registers for @from, one per level that they nest
	marked  int                     // of which are in use
	visible map[*schema.Struct]bool // memo of alwaysVisible
	element *place                  // the innermost array's element, nil outside
	win     *place                  // the innermost window in that element, or in the packet; nil for none
	groups  []*group                // of checksums; the first is that of the packet
	onByte  string                  // the last field that begins on a byte
	ends    map[uint32]sumEnd       // by their registers
	cases   map[*schema.Enum]*Cases
	start   *start                  // of the innermost array around; nil where there is none
	carries map[*schema.Struct]bool // memo of carrying
	lasts   map[*schema.StructRef][]last
	bytes   map[*schema.Field]*Blob // the last step made of each field of bytes
	context Context                 // nil: what flows keep is known with a packet
	around  NodeID                  // of the item at hand
}

// scope maps what expressions name to registers, for one instance of a named struct; inline structs share it.
type scope struct {
	registers map[*schema.Var]uint32
	subs      map[*schema.Var]*scope
	outer     *scope // where to look next, for the condition of `until`
	// Of a struct in an element of an array: what is known where that array begins. See carry.go.
	start *start
	known *scope
	args  map[*schema.Var]argument // of known: parameters that nobody has asked for yet
}

func newScope() *scope {
	return &scope{registers: map[*schema.Var]uint32{}, subs: map[*schema.Var]*scope{}}
}

func (s *scope) sub(v *schema.Var) *scope {
	if v == nil {
		return newScope()
	}
	sub := s.subs[v]
	if sub == nil {
		sub = newScope()
		s.subs[v] = sub
	}
	return sub
}

func (c *compiler) register(sc *scope, v *schema.Var) uint32 {
	if s := v.State; s != nil {
		held := c.state(s)
		if s.Known {
			return c.p.State[held].Known
		}
		return c.p.State[held].Value
	}
	for at := sc; at != nil; at = at.outer {
		if register, ok := at.registers[v]; ok {
			return register
		}
		if arg, ok := at.args[v]; ok {
			return c.early(at, v, arg)
		}
	}
	register := c.temp()
	sc.registers[v] = register
	return register
}

func (c *compiler) temp() uint32 {
	c.p.Registers++
	within(c.p.Registers, maxRegisters, "saved values")
	c.p.RegisterLeaves = append(c.p.RegisterLeaves, nil)
	return uint32(c.p.Registers - 1)
}

// node adds a node under its parent.
func (c *compiler) node(n Node) NodeID {
	if n.Parent != NoNode {
		up := &c.p.Nodes[n.Parent]
		n.Depth = up.Depth + 1
		n.Secret = n.Secret || up.Secret
	}
	if n.Annotations != nil && n.Annotations.Secret {
		n.Secret = true
	}
	if n.Annotations != nil {
		n.Display = n.Annotations.Display
	}
	if n.Kind == NodeItem { // the flag of an optional
		n.Display = nil
	}
	c.p.Nodes = append(c.p.Nodes, n)
	within(len(c.p.Nodes), maxNodes, "places in its tree")
	return NodeID(len(c.p.Nodes) - 1)
}

// put adds a step, which ends the run before it.
func (c *compiler) put(s Step, node NodeID, pos schema.Pos) {
	c.flush()
	c.add(s, node, pos)
}

func (c *compiler) add(s Step, node NodeID, pos schema.Pos) {
	b := s.At()
	b.Node, b.Pos, b.Order, b.Room = node, pos, c.order, c.at
	c.block = append(c.block, s)
	c.steps++
	within(c.steps+len(c.p.Leaves), MaxOps, opsAndLeaves)
}

// nested gives the steps that something makes, as a block of their own.
func (c *compiler) nested(make func()) []Step {
	c.flush()
	around := c.block
	c.block = nil
	make()
	c.flush()
	block := c.block
	c.block = around
	return block
}

// flush ends the run: the next leaf begins another.
func (c *compiler) flush() { c.run = nil }
