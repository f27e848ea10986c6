package gogen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"iter"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Options say what the generated package is called.
type Options struct {
	Package string // "" for one made of the protocol's name
	// Fixed makes every list, bytes and text an array with a count, so that nothing is ever allocated. A protocol whose
	// maxima would make a Packet larger than 4 MiB that way is refused.
	Fixed bool
	// Joined makes one file of the package, without a test.
	Joined bool
	// FunctionSize is of how much source a function is made, in steps and leaves; 0 for what compiles to the fastest
	// code. A test makes many small functions of a small schema.
	FunctionSize int
	// Seeds are valid packets with which the fuzz test and the benchmark of the package begin; without any they have
	// zeros.
	Seeds []Seed
}

// File is one generated file.
type File struct {
	Name   string
	Source []byte
}

// Package is what was generated.
type Package struct {
	Name  string
	Files []File
	// Mangled says which names of the schema had to be changed because theirs were taken, one line each.
	Mangled []string
	Memory  int64 // bytes that one datagram can make a Packet hold, about
}

// gen is the state of one Generate.
type gen struct {
	p    *plan.Plan
	code strings.Builder
	body []plan.Step

	kids      [][]plan.NodeID
	field     map[plan.NodeID]string // of each node that has one: its field in its parent's type
	fieldType map[plan.NodeID]*goType
	arm       map[plan.NodeID]plan.NodeID // of a switch's arm: the switch
	kept      map[plan.NodeID]int         // items whose bits may be any: words
	wrapped   map[plan.NodeID]bool        // lists of elements that may be absent
	types     map[string]*goType
	typeList  []*goType
	enums     map[*schema.Enum]*goEnum
	enumList  []*goEnum
	smallest  map[string]int
	units     map[plan.NodeID]*plan.Unit // of each smallest-three quaternion
	tried     map[schema.QuantizedType]bool
	top       names
	mangled   []string
	openSums  map[plan.StepID]int // of each checksum that covers what comes after it: its place in writer.sums
	told      map[string]bool

	functions   int
	weight      int   // of a function, at most
	weights     []int // of each step: how much source it is
	fixed       bool
	sized       map[plan.NodeID]measured // what has a most
	slotCount   int
	derived     map[int]*derivation          // of each leaf that says how large something is
	lengthSlots map[plan.StepID]int          // of each step that is sized by a length to be found: the slot that says which
	sizing      map[plan.StepID]plan.Sizing  // of the same steps
	shared      map[bool]map[int]int         // by write: slots that more than one function needs, with their place
	read        map[int]bool                 // slots that something reads
	guessed     []bool                       // of each operand: it follows from a length to be found, or from where something ends
	equations   map[plan.Point]plan.Equation // of each requirement that says what a leaf is
	open        []bool                       // of each operand: it follows from where the packet ends; nil where none does
	wanted      map[int]bool                 // leaves of runs whose code another step looks at
	tagged      map[int][]int                // leaves that a refusing switch names: the slots of their place
	tagSlots    map[int32]int
	fillSlots   map[plan.StepID]int   // windows that are filled with zeros, where there are several functions: the slots of their shift and end
	takers      map[plan.StepID]taker // what takes the rest
	takenIn     map[plan.StepID]int   // of each window around them, plan.NoStep of the packet: their slot
	boundSlots  map[int]int           // of a number that a computed range bounds: where its bit and width are kept
	tables      map[int]string
	decls       map[string]string
	declList    []string
	declared    int // bytes in it
	counts      map[string]int
	depth       int
}

// Generate writes the Go package of a plan. The same plan gives the same bytes.
func Generate(p *plan.Plan, opt Options) (*Package, error) {
	name := opt.Package
	if name == "" {
		name = PackageName(p)
	}
	if !validPackage(name) {
		return nil, fmt.Errorf("package %q: want a Go package name of lower-case letters and digits", name)
	}
	g := &gen{
		p: p, equations: p.Equations(), open: p.Opens(), weight: cmp.Or(opt.FunctionSize, maxWeight), fixed: opt.Fixed, derived: map[int]*derivation{}, lengthSlots: map[plan.StepID]int{}, sizing: map[plan.StepID]plan.Sizing{}, field: map[plan.NodeID]string{}, fieldType: map[plan.NodeID]*goType{}, arm: map[plan.NodeID]plan.NodeID{},
		kept: map[plan.NodeID]int{}, sized: map[plan.NodeID]measured{}, wrapped: map[plan.NodeID]bool{}, types: map[string]*goType{},
		enums: map[*schema.Enum]*goEnum{}, smallest: map[string]int{}, units: map[plan.NodeID]*plan.Unit{}, tried: map[schema.QuantizedType]bool{},
		openSums: map[plan.StepID]int{}, told: map[string]bool{}, shared: map[bool]map[int]int{false: {}, true: {}}, read: map[int]bool{}, wanted: map[int]bool{},
		tagged: map[int][]int{}, tagSlots: map[int32]int{}, fillSlots: map[plan.StepID]int{}, boundSlots: map[int]int{}, takers: map[plan.StepID]taker{}, takenIn: map[plan.StepID]int{}, tables: map[int]string{}, decls: map[string]string{}, counts: map[string]int{},
	}
	g.top = names{taken: map[string]bool{"MaxBits": true, "MaxDatagram": true, "Packet": true, "FuzzDecode": true, "BenchmarkDecode": true}, mangled: &g.mangled}
	for name := range support().names {
		g.top.taken[name] = true
	}
	g.prepare()
	root := g.typeOf(0, "Packet")
	if root.text != "Packet" {
		panic("pktscope: internal error: the packet is called " + root.text)
	}
	if g.fixed {
		if err := g.tooLarge(root); err != nil {
			return nil, err
		}
	}
	for _, write := range []bool{false, true} {
		f, crowded := g.function(write, root, 0), ""
		f.name = "packet"
		if write {
			f.b.WriteString(g.noSums(plan.NoStep))
			crowded = f.crowded(plan.NoStep, "(bit+7)&^7")
		}
		f.steps(g.body)
		if crowded != "" {
			f.p("if bit <= 8*MaxDatagram && %s { %s }", g.final(crowded), f.refuse("RejectTrailingBytes", "bit", "0", `""`))
		}
		f.close()
	}
	if g.tooLong() {
		return nil, fmt.Errorf("the source would be longer than %d bytes: want fewer fields, or arrays in place of repeated structs", maxSource)
	}
	return g.assemble(name, root, &opt)
}

// stepsOf gives the steps of a type, in the order of the wire.
func stepsOf[T plan.Step](p *plan.Plan) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, s := range p.Steps {
			if s, ok := s.(T); ok && !yield(s) {
				return
			}
		}
	}
}

// measured is a step with a most: a list, a subset, bytes or a text.
type measured interface {
	plan.Step
	Most() uint64
}

// blob is the bytes or the text that a node is, nil for what is none.
func (g *gen) blob(id plan.NodeID) *plan.Blob {
	b, _ := g.sized[id].(*plan.Blob)
	return b
}

// prepare finds what the plan needs before anything is written.
func (g *gen) prepare() {
	p := g.p
	g.children()
	g.body = flat(p.Root)
	g.weigh()
	g.slotCount = p.Registers
	look := func(s plan.Step) {
		i, ok := s.Expr()
		if !ok {
			return
		}
		if o := &p.Operands[i]; o.Kind == plan.OperandLeaf {
			g.wanted[p.LeafOf(o, s.At().ID)] = true
		}
		for _, s := range p.Reads(i) {
			g.read[int(s)] = true
		}
	}
	lets := slices.Collect(stepsOf[*plan.Let](p))
	loops := make([]int, len(p.Steps)) // of each step: how many it is in, or is
	for id, s := range p.Steps {
		if _, let := s.(*plan.Let); !let {
			look(s)
		}
		if n := s.Keeps(); n > 0 {
			g.kept[s.At().Node] = (n + 63) / 64
		}
		if up := s.At().Up; up != plan.NoStep {
			loops[id] = loops[up]
		}
		if s.Flow() == plan.Repeat {
			loops[id]++
			g.depth = max(g.depth, loops[id])
		}
	}
	for s := range stepsOf[measured](p) {
		g.sized[s.At().Node] = s
	}
	for i := range p.Info {
		if p.Info[i].Any {
			g.kept[p.Info[i].Node] = 1
		}
	}
	for u := range stepsOf[*plan.Unit](p) {
		g.units[u.Node] = u
		for i := range 3 {
			g.wanted[int(u.First)+1+i] = true
		}
	}
	for sw := range stepsOf[*plan.Switch](p) {
		g.tag(sw)
	}
	for i := range p.Requires {
		if leaf := p.Requires[i].Leaf; leaf >= 0 && !p.LeafRuns(leaf) {
			g.boundSlots[int(leaf)] = g.slotCount
			g.tagged[int(leaf)] = append(g.tagged[int(leaf)], g.slotCount)
			g.slotCount += 2
		}
	}
	for s := range stepsOf[*plan.Checksum](p) {
		for i := range len(s.Prefix) + len(s.Suffix) {
			g.read[int(s.Part(i).Register)] = true // -1 is none
		}
		g.read[int(s.From.Register)], g.read[int(s.To.Register)] = true, true
		if s.To.Kind == schema.SumAround {
			g.openSums[s.ID] = len(g.openSums)
		}
	}
	for n := range stepsOf[*plan.Number](p) {
		if n.Previous >= 0 {
			g.read[int(n.Previous)] = true
		}
	}
	// A `let` that nothing reads is not written, so what it reads does not count.
	for again := true; again; {
		again = false
		for i, s := range lets {
			if s != nil && (g.read[int(s.Register)] || s.Shown || s.Judged) {
				look(s)
				lets[i], again = nil, true
			}
		}
	}
	for run := range stepsOf[*plan.Run](p) {
		for _, save := range run.Saves {
			g.wanted[save.Leaf] = g.wanted[save.Leaf] || g.read[int(save.Register)]
		}
	}
	g.findTakers()
	g.lengths()
	g.related()
	g.guessed = g.p.Follows(func(leaf int32) bool { d := g.derived[int(leaf)]; return d != nil && d.direct == nil })
	// Slots live in the Reader or the writer: what a function keeps for itself is found when the functions are known.
	g.share()
}

// tag gives a switch that can refuse a place for the bit and width of its tag.
func (g *gen) tag(sw *plan.Switch) {
	if sw.TagRegister < 0 || sw.Default >= 0 || len(g.p.RegisterLeaves[sw.TagRegister]) == 0 {
		return
	}
	if _, ok := g.tagSlots[sw.TagRegister]; ok {
		return
	}
	at := g.slotCount
	g.slotCount += 2
	g.tagSlots[sw.TagRegister] = at
	for _, leaf := range g.p.RegisterLeaves[sw.TagRegister] {
		g.tagged[int(leaf)] = append(g.tagged[int(leaf)], at)
	}
}

// share decides which slots are kept in memory that all functions see: all, where the packet is too long for one
// function.
func (g *gen) share() {
	if g.weightOf(g.body) <= g.weight {
		return
	}
	for w := range stepsOf[*plan.Window](g.p) {
		if w.Fill > 0 {
			g.fillSlots[w.ID] = g.slotCount
			g.slotCount += 2
		}
	}
	for s := range g.slotCount {
		g.shared[false][s], g.shared[true][s] = s, s
	}
}

// maxSource is how many bytes of source are generated, about. A plan has at most 65,536 ops, but each has its path with
// it, which a stranger can make 8 kB long; and a compiler takes some 300 bytes of memory for each byte.
const maxSource = 16 << 20

// tooLong reports whether there is more than that; then nothing more is added to it.
func (g *gen) tooLong() bool { return g.code.Len()+g.declared > maxSource }

func (g *gen) mangle(text string) {
	if !g.told[text] {
		g.told[text] = true
		g.mangled = append(g.mangled, text)
	}
}

// fieldTypeOf is the Go type of a node's field or element.
func (g *gen) fieldTypeOf(id plan.NodeID, width int) *goType {
	if t := g.fieldType[id]; t != nil {
		return t
	}
	if up := g.p.Nodes[id].Parent; g.p.Nodes[id].Elem && !g.wrapped[up] {
		return g.elemType(up)
	}
	return &goType{shape: shapeNone}
}

// once declares something at the top level, each text once, and gives its name.
func (g *gen) once(prefix, text string) string {
	if name := g.decls[text]; name != "" {
		return name
	}
	g.counts[prefix]++
	name := fmt.Sprintf("%s%d", prefix, g.counts[prefix])
	g.decls[text] = name
	g.declList = append(g.declList, fmt.Sprintf(text, name))
	g.declared += len(text)
	return name
}

// ladder reports whether a leaf is a `relative` number.
func (g *gen) ladder(leaf int32) bool {
	n, ok := g.p.Reader(int(leaf)).(*plan.Number)
	return ok && n.Kind == plan.NumberLadder
}

// numberCheck is the call that judges a number, "" where every code is accepted.
func (g *gen) numberCheck(l *plan.LeafInfo, most int, code, width string) string {
	if l.Rule == nil && (l.Enum == nil || l.Enum.Open) && l.TypeSpan >= wire.Mask(most) {
		return ""
	}
	if l.Signed && l.Rule != nil {
		return fmt.Sprintf("%s(%s, %s)", g.check(l, -1), code, width)
	}
	return fmt.Sprintf("%s(%s)", g.check(l, most), code)
}

// assemble puts the files together.
func (g *gen) assemble(name string, root *goType, opt *Options) (*Package, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s reads and writes the packets of the protocol %s.\n//\n", name, g.p.Schema.Name)
	b.WriteString("// A PacketReader refuses everything that the protocol's schema refuses, never reads outside a datagram, and ")
	if g.fixed {
		b.WriteString("never allocates.\n")
	} else {
		b.WriteString("allocates only\n// where a list or a text is longer than any before it.\n")
	}
	fmt.Fprintf(&b, "//\n// A datagram can make a Packet hold about %d bytes at most.\n", g.memory(root))
	b.WriteString("//\n// The schema's names are kept. This package's own are Packet, PacketReader, PacketReject, RejectKind and From\n// with their constants, PacketRelative, MaxBits and MaxDatagram.\n")
	fmt.Fprintf(&b, "package %s\n\n", name)
	g.header(&b)
	g.typeDecls(&b)
	b.WriteString(g.code.String())
	for _, d := range g.declList {
		b.WriteString("\n" + d + "\n")
	}
	support, err := g.support(b.Bytes(), name)
	if err != nil {
		return nil, err
	}
	out := &Package{Name: name, Mangled: g.mangled, Memory: g.memory(root)}
	add := func(file string, src []byte) error {
		src, err := withImports(src)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		done, err := format.Source(src)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		out.Files = append(out.Files, File{file, done})
		return nil
	}
	if opt.Joined {
		_, declared, _ := bytes.Cut(support, []byte("package "+name+"\n"))
		return out, add(name+".go", slices.Concat([]byte(notice), b.Bytes(), declared))
	}
	if err := add(name+".go", append([]byte(notice), b.Bytes()...)); err != nil {
		return nil, err
	}
	if err := add("pks_wire.go", append([]byte(notice), support...)); err != nil {
		return nil, err
	}
	if err := add(name+"_test.go", append([]byte(notice), g.tests(name, opt.Seeds)...)); err != nil {
		return nil, err
	}
	return out, nil
}

const notice = "// Code generated by pktscope gen go. DO NOT EDIT.\n\n"
