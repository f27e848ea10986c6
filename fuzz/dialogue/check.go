package dialogue

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Dialogue is a File that was checked against a protocol. It is immutable.
type Dialogue struct {
	file      *File
	decoder   *decode.Decoder
	tree      *tree
	states    []string // the first is Start
	steps     []*Line  // send, expect, state: in order
	since     map[*Line]int
	keeps     []*Line
	reactions []*Line
	automatic []*Field
	alive     map[uint64]bool // nil: any
	end       *Line           // nil: none
	before    []*Line
	attack    map[uint64][]*Field // nil: all
	sections  []string            // messages that are attacked
	carriers  map[string]uint64   // of a message: the case whose packets have it sealed in them
	said      map[uint64][]*Field // by case: the values of the first line that sends it, but for constants
	names     []nameInfo          // params first
	seen      []seenPlace
	counters  int
	fresh     []Type
	samples   map[uint64]*sample // of a case
	masked    []syntax.Span      // literals that are given to secrets
}

// nameInfo is a name that a session has a value for.
type nameInfo struct {
	text   string
	class  class
	secret bool
	lo, hi *big.Int
}

// seenPlace is a field of a case that is kept of the first or of each packet.
type seenPlace struct {
	tag   uint64
	first bool
	at    place
}

// The states that no line names.
const (
	Start = "Start" // nothing was sent
	Ended = "Ended" // the session was ended
)

// Load reads and checks a source. The error is a *syntax.Diagnostics.
func Load(name string, src []byte, d *decode.Decoder) (*Dialogue, error) {
	f, diags := Parse(name, src)
	var dialogue *Dialogue
	if !syntax.HasErrors(diags) {
		var more []syntax.Diagnostic
		dialogue, more = Check(f, d)
		diags = append(diags, more...)
	}
	if syntax.HasErrors(diags) {
		return nil, &syntax.Diagnostics{Files: syntax.Files{{Name: name, Src: src}}, List: diags}
	}
	return dialogue, nil
}

// Check holds a parsed file against a protocol: cases, fields, what values fit them, that names are bound before they
// are used, that every packet that a line sends can be written, and that secrets go to secrets only.
func Check(f *File, d *decode.Decoder) (*Dialogue, []syntax.Diagnostic) {
	c := &checker{Dialogue: &Dialogue{
		file: f, decoder: d, tree: newTree(d.Plan()), states: []string{Start}, since: map[*Line]int{}, samples: map[uint64]*sample{}, said: map[uint64][]*Field{}, carriers: map[string]uint64{},
	}, slots: map[string]int{}}
	if len(c.tree.tags) == 0 {
		c.complain(f.Title.Span, "", "%s has no cases with names: a dialogue needs a switch on an enum", d.Plan().Schema.Name)
		return nil, c.diags
	}
	c.sample()
	for _, name := range c.tree.names {
		if s := c.samples[c.tree.tags[name]]; s != nil {
			for _, o := range s.sealed {
				if _, ok := c.carriers[o.Section]; !ok && o.Section != "" {
					c.carriers[o.Section] = c.tree.tags[name]
				}
			}
		}
	}
	for _, p := range f.Params {
		kinds := map[TypeKind]class{Uint: number, Bytes: octets, Text: text}
		info := nameInfo{text: p.Name.Text, class: kinds[p.Type.Kind], secret: p.Secret}
		if p.Type.Kind == Uint {
			info.lo, info.hi = new(big.Int), ones(p.Type.Size)
		}
		c.bind(p.Name, info)
	}
	for _, l := range f.Lines { // automatic values may hold names that are bound later
		if l.Verb != Automatic {
			c.line(l)
		}
	}
	for _, l := range f.Lines {
		if l.Verb == Automatic {
			c.fields(l.Fields, 0, false)
			c.automatic = append(c.automatic, l.Fields...)
		}
	}
	if n := len(c.steps); n == 0 || c.steps[n-1].Verb != State {
		c.complain(f.Title.Span, "end the steps with `state NAME`", "the last step names no state: nothing says when the session is up")
	}
	if len(c.diags) == 0 {
		c.trials()
	}
	syntax.SortDiagnostics(c.diags)
	if len(c.diags) > 0 {
		return nil, c.diags
	}
	return c.Dialogue, nil
}

type checker struct {
	*Dialogue
	diags []syntax.Diagnostic
	slots map[string]int
}

func (c *checker) complain(at syntax.Span, fix, format string, args ...any) {
	if len(c.diags) < syntax.MaxErrors {
		c.diags = append(c.diags, syntax.Diagnostic{Span: at, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
}

// bind makes a name known.
func (c *checker) bind(id syntax.Ident, info nameInfo) int {
	if slot, ok := c.slots[id.Text]; ok {
		switch old := &c.names[slot]; {
		case slot < len(c.file.Params):
			c.complain(id.Span, "", "%s is a param", id.Text)
		case old.class != info.class:
			c.complain(id.Span, "", "%s was %v before, and is %v here", id.Text, old.class, info.class)
		default:
			old.secret = old.secret || info.secret
			if info.lo != nil {
				old.lo, old.hi = least(old.lo, info.lo), most(old.hi, info.hi)
			}
		}
		return slot
	}
	if len(c.names) == MaxNames {
		c.complain(id.Span, "", "a dialogue has at most %d names", MaxNames)
		return 0
	}
	c.slots[id.Text] = len(c.names)
	c.names = append(c.names, info)
	return len(c.names) - 1
}

// caseOf is the tag of a case that a side sends.
func (c *checker) caseOf(id syntax.Ident, from decode.Direction) (uint64, bool) {
	tag, ok := c.tree.tags[id.Text]
	if !ok {
		fix := ""
		if near := syntax.Suggest(id.Text, c.tree.names); near != "" {
			fix = "did you mean `" + near + "`?"
		}
		c.complain(id.Span, fix, "%s has no case %s", c.decoder.Plan().Schema.Name, id.Text)
		return 0, false
	}
	if f := c.tree.from(tag); f != decode.FromUnknown && f != from {
		c.complain(id.Span, "", "want a case that the %v sends, %s is @from(%v)", from, id.Text, f)
		return 0, false
	}
	return tag, true
}

func (c *checker) line(l *Line) {
	switch l.Verb {
	case Send:
		c.packet(l)
		if l.Until != nil {
			c.caseOf(*l.Until, decode.Server)
		}
		c.steps = append(c.steps, l)
	case Expect:
		c.expectation(l)
		c.steps = append(c.steps, l)
	case State:
		if slices.Contains(c.states, l.Name.Text) || l.Name.Text == Ended {
			c.complain(l.Name.Span, "", "there is a state %s already", l.Name.Text)
		}
		c.states = append(c.states, l.Name.Text)
		c.steps = append(c.steps, l)
	case Keep:
		c.packet(l)
		c.since[l] = len(c.steps)
		c.keeps = append(c.keeps, l)
	case On:
		c.expectation(l)
		c.packet(l.Reply)
		c.since[l] = len(c.steps)
		c.reactions = append(c.reactions, l)
	case Alive:
		c.aliveness(l)
	case End:
		if c.end != nil {
			c.complain(l.Span, "", "the end is said already")
		}
		c.packet(l)
		c.end = l
	case Before:
		c.beforehand(l)
	case Attack:
		if c.attack == nil {
			c.attack = map[uint64][]*Field{}
		}
		for _, choice := range l.Cases {
			if choice.Section {
				c.section(choice.Case)
			} else if tag, ok := c.caseOf(choice.Case, decode.Client); ok {
				c.fields(choice.Fields, tag, true)
				c.attack[tag] = append(c.attack[tag], choice.Fields...)
			}
		}
	default:
		panic("pktscope: internal error: a line of an unknown verb")
	}
}

// section notes a message that is attacked.
func (c *checker) section(id syntax.Ident) {
	if _, ok := c.carriers[id.Text]; !ok {
		fix := ""
		if near := syntax.Suggest(id.Text, slices.Sorted(maps.Keys(c.carriers))); near != "" {
			fix = "did you mean `" + near + "`?"
		}
		c.complain(id.Span, fix, "no packet that a client sends has a message %s sealed in it", id.Text)
		return
	}
	if !slices.Contains(c.sections, id.Text) {
		c.sections = append(c.sections, id.Text)
	}
}

func (c *checker) packet(l *Line) {
	tag, ok := c.caseOf(l.Case, decode.Client)
	if !ok {
		return
	}
	c.fields(l.Fields, tag, true)
	if _, ok := c.said[tag]; !ok {
		c.said[tag] = slices.DeleteFunc(slices.Clone(l.Fields), func(f *Field) bool { _, known := constant(f.Value); return known })
	}
}

// expectation checks what is wanted and taken of a server's packet.
func (c *checker) expectation(l *Line) {
	if tag, ok := c.caseOf(l.Case, decode.Server); ok {
		c.fields(l.Fields, tag, true)
	}
}

func (c *checker) aliveness(l *Line) {
	if c.alive != nil {
		c.complain(l.Span, "", "what is alive is said already")
	}
	if l.Any {
		return
	}
	c.alive = map[uint64]bool{}
	for _, choice := range l.Cases {
		if tag, ok := c.caseOf(choice.Case, decode.Server); ok {
			c.alive[tag] = true
		}
	}
}

// beforehand is checked where it is: the state may come later, so all lines are looked at.
func (c *checker) beforehand(l *Line) {
	var known []string
	for _, other := range c.file.Lines {
		if other.Verb == State {
			known = append(known, other.Name.Text)
		}
	}
	if !slices.Contains(known, l.Name.Text) {
		fix := ""
		if near := syntax.Suggest(l.Name.Text, known); near != "" {
			fix = "did you mean `" + near + "`?"
		}
		c.complain(l.Name.Span, fix, "no line names a state %s", l.Name.Text)
	}
	for _, choice := range l.Cases {
		c.caseOf(choice.Case, decode.Client)
	}
	c.before = append(c.before, l)
}

// fields checks the entries of braces in the packets of a case; has is false for those of all.
func (c *checker) fields(list []*Field, tag uint64, has bool) {
	for i, f := range list {
		var ok bool
		if f.at, ok = c.tree.find(tag, has, f.Path); !ok {
			what := "the packet"
			if has {
				what = c.caseName(tag)
			}
			c.complain(f.Path[0].Span, "", "%s has no field %s", what, pathText(texts(f.Path)))
			continue
		}
		if slices.ContainsFunc(list[:i], func(o *Field) bool {
			return o.Op == 0 && o.Value != nil && f.Op == 0 && f.Value != nil && o.at.path == f.at.path && o.at.of == f.at.of
		}) {
			c.complain(f.Span, "", "%s is set already", f.at.path)
		}
		held := interval{class: f.at.class, secret: f.at.secret, lo: f.at.lo, hi: f.at.hi}
		if f.Value != nil {
			given := f.Value.bounds(c)
			c.fits(f, given)
			if given.class != anything {
				held.secret = held.secret || given.secret
			}
			if f.at.secret || f.at.holds {
				c.masked = literals(c.masked, f.Value)
			}
		}
		if f.Into == nil {
			continue
		}
		if held.class == structure {
			c.complain(f.Into.Span, "", "%s is a struct or a list: a name takes one field", f.at.path)
			continue
		}
		f.slot = c.bind(*f.Into, nameInfo{text: f.Into.Text, class: held.class, secret: held.secret, lo: held.lo, hi: held.hi})
	}
}

// literals appends the places of what a value has in itself.
func literals(all []syntax.Span, e Expr) []syntax.Span {
	switch e := e.(type) {
	case *literal:
		all = append(all, e.Span)
	case *sum:
		all = literals(literals(all, e.x), e.y)
	case *list:
		for _, one := range e.items {
			all = literals(all, one)
		}
	case *object:
		for _, f := range e.fields {
			all = literals(all, f.Value)
		}
	}
	return all
}

// fits says why a value cannot be in a field.
func (c *checker) fits(f *Field, given interval) {
	at := f.Value.Place()
	if given.secret && !f.at.secret {
		c.complain(at, "mark the field @secret in the schema", "the value is @secret, and %s is not", f.at.path)
		return
	}
	switch {
	case given.class == anything || f.at.class == anything:
		return
	case given.class == number && f.at.class == fraction:
		return
	case given.class != f.at.class:
		c.complain(at, "", "%s takes %v, the value is %v", f.at.path, f.at.class, given.class)
		return
	}
	if given.class != number || given.lo == nil || f.at.lo == nil || f.Op != 0 {
		return
	}
	if f.at.mask != 0 && !given.exact() {
		return // it wraps
	}
	if given.lo.Cmp(f.at.lo) < 0 || given.hi.Cmp(f.at.hi) > 0 {
		fix := ""
		if f.at.lo.Sign() == 0 && given.lo.Sign() >= 0 && !given.exact() {
			fix = fmt.Sprintf("`%% %s` keeps it there", new(big.Int).Add(f.at.hi, big.NewInt(1)))
		}
		c.complain(at, fix, "%s takes %s..%s, the value can be %s..%s", f.at.path, f.at.lo, f.at.hi, given.lo, given.hi)
	}
}

// trials writes each packet that a line sends, with a sample where the value is known only in a session.
func (c *checker) trials() {
	dry := c.NewSession(&mute{}, make([]message.Value, len(c.file.Params)))
	for i := range c.file.Params {
		dry.names[i].set = false
	}
	sealer, empty := message.NewSealer(c.decoder, decode.NewKeyring(nil)), message.New(c.decoder.Plan())
	try := func(l *Line) {
		tag := c.tree.tags[l.Case.Text]
		m := c.begin(empty, tag)
		set := func(list []*Field, must bool) bool {
			for _, f := range list {
				v, err := f.Value.value(dry)
				if v = f.at.wrap(v); err != nil {
					s := memberAt(c.sampleTree(tag, f.at.of), f.at.parts)
					if s == nil && must {
						return false // an optional part that the sample does not have
					}
					if s == nil {
						continue
					}
					v = *s
				}
				if !m.put(&f.at, v) {
					c.complain(f.Span, "elements are given in order, from 0", "%s: no element before it", f.at.path)
					return false
				}
			}
			return true
		}
		if !set(c.automaticOf(tag), false) || !set(l.Fields, true) {
			return
		}
		if _, err := sealer.Lay(m.Message, &decode.Envelope{}, nil, nil); err != nil {
			c.complain(l.Case.Span, "", "%s: %s", l.Case.Text, encodeProblem(err))
		}
	}
	for _, l := range c.file.Lines {
		switch l.Verb {
		case Send, Keep, End:
			try(l)
		case On:
			try(l.Reply)
		}
	}
}

// memberAt is the value at a place of a tree, nil where it has none.
func memberAt(v *message.Value, parts []string) *message.Value {
	for _, p := range parts {
		if v == nil {
			return nil
		}
		if v.Kind == message.List {
			n := 0
			if _, err := fmt.Sscan(p, &n); err != nil || n >= len(v.Items) {
				return nil
			}
			v = &v.Items[n]
			continue
		}
		v = v.Member(p)
	}
	return v
}

func ones(bits int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return n.Sub(n, big.NewInt(1))
}

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func most(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
