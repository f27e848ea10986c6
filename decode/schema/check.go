package schema

import (
	"fmt"
	"io/fs"
	"math/big"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The checker: from the tree, as written, to the model, of which every part is safe to compile. What it proves is what
// the language page promises: every count has a range, every expression fits 64 bits, every switch ends in an arm or a
// reject. It complains once about a mistake: what a wrong type or expression yields is nil or a bad binding, over which
// everything else is silent.
//
// The way of the work: declarations in source order (check_decl.go), the cycle search over structs (cycle.go), every
// struct once and after those it uses (check_items.go, check_switch.go; types in check_types.go, check_arrays.go,
// check_rules.go; expressions in check_expr.go), then what needs the whole: @ack (annotations.go), alignment
// (positions.go), the sizes, and whether any packet gets through (passage.go).

// CheckFile resolves the names of f, which imports nothing, and proves it. params are values for its `param`s by name:
// an unknown name or a value outside the param's range is a diagnostic, the former about no place in the file. The
// Schema is nil when a diagnostic is an Error. Diagnostics are in source order, at most 101. Time and memory are linear
// in the source.
func CheckFile(f *syntax.File, params map[string]*big.Int) (*Schema, []Diagnostic) {
	s, d := checkFile(nil, f, nil, params)
	return s, d.List
}

// Load is LoadFS of a schema that imports nothing.
func Load(name string, src []byte, params map[string]*big.Int) (*Schema, []Diagnostic) {
	s, d := LoadFS(nil, name, src, params)
	return s, d.List
}

// LoadFS reads a schema and what it imports, and checks it as CheckFile does. src is the schema's own text and name is
// for messages; nothing but its imports is opened, in dir: the directory that the file is of, or nil where there is
// none. The diagnostics of the parser and the checker are in the order of the files, and in source order in each. After
// a syntax error the checker still runs, but stays silent about names that it cannot find, where their declaration may
// be what could not be read.
func LoadFS(dir fs.FS, name string, src []byte, params map[string]*big.Int) (*Schema, *Diagnostics) {
	f, diags := syntax.Parse(name, src)
	return checkFile(dir, f, diags, params)
}

// checker is the state of one CheckFile.
type checker struct {
	*unit         // the file that is being checked
	units []*unit // all of them, each after those that it imports: the schema's own is the last
	files syntax.Files

	broken  bool // a file has syntax errors
	facts   *facts
	structs map[*Struct]*structInfo
	enums   map[*Enum]*enumInfo

	sections  []declaredSection
	room      int // bytes that the largest of what is read as a whole has: a datagram, or a message
	acks      []pendingAck
	switched  map[factKey]bool // tags of which a switch without a default has been read
	never     map[*Require]neverHolds
	crowds    []*crowd // lists and blobs that can be longer than any datagram
	crowdOf   map[Type]*crowd
	stateless string // "a nonce": where no register is read, what it is
	settable  int    // how often something was read that a value for a param changes
	rows      int    // of tables that were looked at
	float     floatProver

	book     *nameBook // who names what; nil unless somebody asks
	diags    []Diagnostic
	errors   int
	trouble  int // errors, and places that the parser has complained about
	suggests int // suggestions made so far: each costs a look at every name in scope
}

// structInfo is what the checker knows about a checked struct.
type structInfo struct {
	members map[string]*binding
	depth   int           // structs nested inside it, itself included
	early   map[*Var]bool // parameters that are read where an array around it begins, for the first values of its `prev`s
}

// maxCollected bounds the diagnostics held; maxSuggestions the ones that come with a guess.
const (
	maxCollected   = 1000
	maxSuggestions = 50
)

func checkFile(dir fs.FS, f *syntax.File, parsed []Diagnostic, params map[string]*big.Int) (*Schema, *Diagnostics) {
	return newChecker(f, params).run(dir, parsed)
}

func newChecker(f *syntax.File, params map[string]*big.Int) *checker {
	c := &checker{
		unit: newUnit(f), files: syntax.Files{f}, facts: newFacts(), switched: map[factKey]bool{},
		structs: map[*Struct]*structInfo{}, enums: map[*Enum]*enumInfo{}, never: map[*Require]neverHolds{}, crowdOf: map[Type]*crowd{},
	}
	c.main, c.params = true, params
	return c
}

// run checks the file that the checker was made with, and what it imports.
func (c *checker) run(dir fs.FS, parsed []Diagnostic) (*Schema, *Diagnostics) {
	main := c.unit
	c.load(dir, &parsed)
	c.broken = syntax.HasErrors(parsed)
	for _, u := range c.units {
		c.unit = u
		c.declarations()
	}
	for _, u := range c.units { // a struct is read in datagrams of the schema's own size, whoever lends it
		u.schema.MaxDatagram, u.roomSet = main.schema.MaxDatagram, main.roomSet
	}
	c.room = main.schema.MaxDatagram
	for _, m := range c.sections { // and in messages
		c.room = max(c.room, m.Max)
	}
	order := c.structOrder()
	for _, g := range order {
		c.namedStruct(g)
	}
	c.unit = main
	c.root()
	c.messages()
	c.unit = main
	c.resolveAcks()
	c.unit = main
	if c.errors == 0 && !c.broken {
		c.chains()
		c.alignment()
		c.lentPlaces()
	}
	if c.errors == 0 && !c.broken {
		c.packetSize()
	}
	if c.errors == 0 && !c.broken {
		c.passage()
	}
	c.crowded()
	for _, c.unit = range c.units {
		c.unusedTypes()
	}
	c.gather()
	list := append(parsed, c.diags...)
	syntax.SortDiagnostics(list)
	all := &Diagnostics{Files: c.files, List: capped(list)}
	if c.errors > 0 || c.trouble > 0 || c.broken {
		return nil, all
	}
	c.schema.Files = c.files
	return c.schema, all
}

// capped keeps the first diagnostics of a sorted list. An error always stays one, also where a hundred warnings stand
// before it: the line that says so is an error.
func capped(diags []Diagnostic) []Diagnostic {
	if len(diags) <= syntax.MaxErrors {
		return diags
	}
	last := Diagnostic{Span: diags[syntax.MaxErrors].Span, Severity: Warning, Message: "too many warnings"}
	if syntax.HasErrors(diags) {
		last.Severity, last.Message = Error, "too many errors"
	}
	return append(diags[:syntax.MaxErrors:syntax.MaxErrors], last)
}

// start is where a complaint about the whole file is.
func (c *checker) start() Span {
	p := Pos{Off: c.file.Base, Line: 1, Col: 1}
	return Span{Pos: p, End: p}
}

func (c *checker) errorf(at Span, fix, format string, args ...any) {
	c.errors++
	c.trouble++
	c.report(at, Error, fix, format, args...)
}

func (c *checker) warnf(at Span, fix, format string, args ...any) {
	c.report(at, Warning, fix, format, args...)
}

// report keeps a diagnostic. Strings in it come from the source, and are as long and as odd as its writer likes: here
// they are cut and escaped, so no caller has to.
func (c *checker) report(at Span, sev Severity, fix, format string, args ...any) {
	if n := len(c.diags); n >= maxCollected || sev == Warning && n >= maxCollected/2 { // an error always finds room
		return
	}
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = cut(s, 80)
		} else if p, ok := a.(Pos); ok {
			args[i] = c.placeFrom(at, p)
		}
	}
	c.diags = append(c.diags, Diagnostic{Span: at, Severity: sev, Message: fmt.Sprintf(format, args...), Fix: cut(fix, 300)})
}

// placeFrom is a place as a diagnostic at another one names it: with its file where that is another file.
func (c *checker) placeFrom(at Span, p Pos) listing {
	if f := c.files.At(p.Off); at.Pos.IsValid() && f != c.files.At(at.Pos.Off) {
		_, name := base(f.Name)
		return listing(cut(name, 80) + ":" + p.String())
	}
	return listing(p.String())
}

// listing is an argument of a message that is made of cut and escaped parts.
type listing string

// cut escapes s and shortens it to about n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return syntax.EscapeText(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return syntax.EscapeText(s[:n]) + "…"
}

// meant is the fix for an unknown word: "did you mean `x`?", or otherwise.
// among is asked only while suggestions are made: there may be as many names as there are mistakes.
func (c *checker) meant(word string, among func() []string, otherwise string) string {
	if c.suggests++; c.suggests > maxSuggestions {
		return otherwise
	}
	names := among()
	sort.Strings(names)
	if s := syntax.Suggest(word, names); s != "" {
		return fmt.Sprintf("did you mean `%s`?", s)
	}
	return otherwise
}

// meantAmong is meant with the names themselves, introduced by head, where none is near: up to eight of them.
func (c *checker) meantAmong(word, head string, among func() []string) string {
	if c.suggests++; c.suggests > maxSuggestions {
		return ""
	}
	names := among()
	sort.Strings(names)
	if s := syntax.Suggest(word, names); s != "" {
		return fmt.Sprintf("did you mean `%s`?", s)
	}
	return listed(head, names)
}

// listed is a fix that names what there is, introduced by head; "" where that is nothing.
func listed(head string, names []string) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i == 8:
			return b.String() + " and more"
		case i > 0:
			b.WriteString(", ")
		default:
			b.WriteString(head)
		}
		b.WriteString("`" + cut(name, 24) + "`")
	}
	return b.String()
}

// words is a fixed list for meant.
func words(list ...string) func() []string {
	return func() []string { return append([]string(nil), list...) }
}

// once complains about the second of something that may be said once, and says whether this is the first.
func (c *checker) once(what string, at Span) bool {
	if old, ok := c.said[what]; ok {
		c.errorf(at, "keep one of the two", "`%s` was said already at %s", what, old)
		return false
	}
	c.said[what] = at.Pos
	return true
}

// text is a stretch of the source on one line, without comments.
func (c *checker) text(s Span) string {
	src := c.files.Text(s.Pos.Off, s.End.Off)
	if !strings.Contains(src, "\n") {
		return strings.TrimSpace(src)
	}
	lines := strings.Split(src, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(withoutComment(line))
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}

// withoutComment cuts `// …` off a line, but not inside a string or a character.
func withoutComment(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch ch := line[i]; {
		case quote != 0 && ch == '\\':
			i++
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '"' || ch == '\'':
			quote = ch
		case ch == '/' && i+1 < len(line) && line[i+1] == '/':
			return line[:i]
		}
	}
	return line
}
