package lsp

import (
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// sketch is what a text declares, and what is around its end, read by words and brackets alone: of a text that is
// being typed, too. It is a guess, for completion.
type sketch struct {
	members   map[string][]member // of structs and messages, by their names
	cases     map[string][]string // of enums and flags
	names     []string            // of structs
	enums     []string
	consts    []string
	registers []string

	blocks []*block // that are open
	start  bool     // an item begins here
	labels bool     // a label of a switch is expected
	depth  int      // of parentheses and brackets
	opener []string // the words before those that are open
	first  string   // of the item
	typed  bool     // its type was named
	typ    string   // of which enum or struct it is, "" of none
	last   syntax.Lexeme
	path   []string // the names before a last dot
	next   blockKind
	title  string // of the declaration that has the next braces
	tag    string // the last name of a switch
}

// member is a field, a `let` or a parameter, with its type where that has a name.
type member struct{ name, typ string }

// blockKind tells braces apart.
type blockKind uint8

const (
	blockInline blockKind = iota // of a type: its names stay in it
	blockBody                    // of a declaration
	blockSplice                  // of an if or a window: its names are those of what is around
	blockEnum
	blockSwitch
	blockState
	blockSealed
	blockSet // of a rule: { 1, 2 }
)

// block is what one pair of braces holds.
type block struct {
	kind    blockKind
	title   string
	typ     string // of a switch: the type of its tag
	members []member
	first   string // of the item that holds it
	depth   int
	opener  []string
}

// maxBlocks bounds what is followed.
const maxBlocks = 256

func newSketch(all []syntax.Lexeme) *sketch {
	s := &sketch{}
	s.read(all, 1<<30)
	return s
}

// lend adds what a file declares that is imported.
func (s *sketch) lend(o *sketch, protocol string) {
	if _, packet := o.members[""]; packet { // it lends that alone, under its protocol's name
		var name strings.Builder
		for part := range strings.SplitSeq(protocol, "_") {
			if part != "" {
				name.WriteString(strings.ToUpper(part[:1]) + part[1:])
			}
		}
		s.names = append(s.names, name.String())
		s.members[name.String()] = o.members[""]
		return
	}
	s.names, s.enums, s.consts = append(s.names, o.names...), append(s.enums, o.enums...), append(s.consts, o.consts...)
	for name, list := range o.members {
		s.members[name] = list
	}
	for name, list := range o.cases {
		s.cases[name] = list
	}
}

// block is the innermost one that is open, nil outside of all.
func (s *sketch) block() *block {
	if len(s.blocks) == 0 {
		return nil
	}
	return s.blocks[len(s.blocks)-1]
}

// visible are the names that an expression can read, the innermost first.
func (s *sketch) visible() []member {
	var out []member
	for _, b := range slices.Backward(s.blocks) {
		out = append(out, b.members...)
		if b.kind == blockBody {
			break
		}
	}
	return out
}

// hidden reports whether a place is in a comment or a text.
func (s *sketch) hidden(text string, at int) bool {
	if at <= int(s.last.End.Off) && s.last.Kind == syntax.TokenString {
		return true
	}
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	from := max(0, int(s.last.End.Off)-(at-len(line)))
	return from <= len(line) && strings.Contains(line[from:], "//") || s.last.Kind == syntax.TokenBad && strings.Contains(line, `"`)
}

// opened is the word before the parentheses or brackets that are open, the innermost; "" where none are.
func (s *sketch) opened() string {
	if s.depth == 0 {
		return ""
	}
	return s.opener[len(s.opener)-1]
}

// inSum reports whether the parentheses of a checksum are open.
func (s *sketch) inSum() bool { return s.opened() == "crc" || isChecksum(s.opened()) }

// wantsType reports whether a type can be here.
func (s *sketch) wantsType() bool {
	if s.depth > 0 {
		switch s.opened() {
		case "vec2", "vec3", "vec4", "quat":
			return true
		}
		return false
	}
	if s.typed || slices.Contains(syntax.ItemWords, s.first) {
		return false
	}
	b := s.block()
	return b.kind != blockSet && b.kind != blockEnum && b.kind != blockSealed
}

// read follows the lexemes that end at a place or before.
func (s *sketch) read(all []syntax.Lexeme, to int) {
	if s.members == nil {
		s.members, s.cases = map[string][]member{}, map[string][]string{}
	}
	s.start = true
	for _, t := range all {
		if int(t.End.Off) > to || t.Kind == syntax.TokenEnd || t.Kind == syntax.TokenLine && int(t.Pos.Off) == to {
			return
		}
		s.lexeme(t)
		if t.Kind != syntax.TokenLine {
			s.last = t
		}
	}
}

func (s *sketch) lexeme(t syntax.Lexeme) {
	switch t.Kind {
	case syntax.TokenLine:
		s.item()
	case syntax.TokenComma:
		if b := s.block(); s.depth == 0 && b != nil && b.kind != blockSet {
			s.item()
		}
	case syntax.TokenLParen, syntax.TokenLBracket:
		s.start = false
		s.depth, s.opener = s.depth+1, append(s.opener, s.last.Text)
	case syntax.TokenRParen, syntax.TokenRBracket:
		if s.depth > 0 {
			s.depth, s.opener = s.depth-1, s.opener[:len(s.opener)-1]
		}
	case syntax.TokenLBrace:
		s.open()
	case syntax.TokenRBrace:
		s.close()
	case syntax.TokenDot:
		if s.last.Kind == syntax.TokenWord || s.last.Kind == syntax.TokenName {
			s.path = append(s.path, s.last.Text)
		}
		return
	case syntax.TokenWord, syntax.TokenName:
		if s.start {
			s.begin(t)
		} else {
			s.word(t)
		}
		if s.last.Kind != syntax.TokenDot {
			s.path = nil
		}
		return
	default:
		if t.Text == ":" {
			s.labels = false
			s.typed = false
		}
		s.start = false
	}
	s.path = nil
}

// item begins an item.
func (s *sketch) item() {
	if s.depth > 0 {
		return
	}
	s.start, s.typed, s.typ, s.first, s.next, s.title = true, false, "", "", blockInline, ""
	b := s.block()
	s.labels = b != nil && b.kind == blockSwitch
}

// begin reads the first word of an item.
func (s *sketch) begin(t syntax.Lexeme) {
	s.start, s.first = false, t.Text
	b := s.block()
	switch {
	case b == nil:
		switch t.Text {
		case "packet", "struct", "message":
			s.next = blockBody
		case "enum", "flags", "open":
			s.next = blockEnum
		case "state":
			s.next = blockState
		}
	case b.kind == blockEnum:
		if t.Kind == syntax.TokenName {
			s.cases[b.title] = append(s.cases[b.title], t.Text)
		}
	case b.kind == blockState:
		if t.Text != "each" {
			s.registers = append(s.registers, t.Text)
		}
	case b.kind == blockSwitch || b.kind == blockSet || b.kind == blockSealed:
	case t.Text == "if" || t.Text == "else" || t.Text == "within":
		s.next = blockSplice
	case slices.Contains(syntax.ItemWords, t.Text) || t.Kind != syntax.TokenWord:
	default:
		b.members = append(b.members, member{name: t.Text})
	}
}

// word reads a later word of an item.
func (s *sketch) word(t syntax.Lexeme) {
	b := s.block()
	switch {
	case b == nil && t.Kind == syntax.TokenName && s.title == "" && s.depth == 0:
		s.declare(t.Text)
	case b == nil && s.first == "struct" && s.depth == 1 && (s.last.Kind == syntax.TokenLParen || s.last.Kind == syntax.TokenComma):
		s.members[s.title] = append(s.members[s.title], member{name: t.Text})
	case b == nil:
	case b.kind == blockState && s.first == "each" && s.last.Text == "each":
		s.registers = append(s.registers, t.Text)
	case s.first == "let" && s.last.Text == "let":
		b.members = append(b.members, member{name: t.Text})
	case t.Text == "switch":
		s.next, s.typed = blockSwitch, true
	case t.Text == "sealed":
		s.next, s.typed = blockSealed, true
	case s.next == blockSwitch:
		s.tag = t.Text
	case s.depth == 0 && !s.typed && !slices.Contains(syntax.ItemWords, s.first) && t.Text != "optional" && t.Text != "subset" && !s.labels:
		s.typed = true
		if t.Kind == syntax.TokenName {
			s.typ = t.Text
			if n := len(b.members); n > 0 && b.members[n-1].name == s.first {
				b.members[n-1].typ = t.Text
			}
		}
	case t.Text == "in" && s.typed:
		s.next = blockSet
	}
}

// declare enters the name of a declaration.
func (s *sketch) declare(name string) {
	s.title = name
	switch s.first {
	case "struct":
		s.names = append(s.names, name)
	case "enum", "flags", "open":
		s.enums = append(s.enums, name)
	case "const", "param":
		s.consts = append(s.consts, name)
	}
}

func (s *sketch) open() {
	b := &block{kind: s.next, title: s.title, first: s.first, depth: s.depth, opener: s.opener}
	if s.next == blockSwitch {
		for _, m := range s.visible() {
			if m.name == s.tag {
				b.typ = m.typ
			}
		}
	}
	if s.block() == nil && b.kind == blockBody { // its parameters
		b.members = s.members[b.title]
	}
	if len(s.blocks) < maxBlocks {
		s.blocks = append(s.blocks, b)
	}
	s.depth, s.opener = 0, nil
	s.item()
}

func (s *sketch) close() {
	b := s.block()
	if b == nil {
		return
	}
	s.blocks = s.blocks[:len(s.blocks)-1]
	s.depth, s.opener = b.depth, b.opener
	if around := s.block(); around == nil {
		if b.kind == blockBody {
			s.members[b.title] = b.members
		}
	} else if b.kind == blockSplice {
		around.members = append(around.members, b.members...)
	}
	// `else` may follow; after a type its rule or its annotations.
	s.start = b.kind == blockSplice
	s.first, s.typed, s.labels, s.next = b.first, true, false, blockInline
}
