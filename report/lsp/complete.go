package lsp

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// complete lists the words that can be at a place. While somebody types, the text does not parse: what is in front
// of the cursor is read by its words and brackets (sketch.go).
func (s *server) complete(d *document, _ *request, at int) (any, error) {
	from := at
	for from > 0 && isWordByte(d.text[from-1]) {
		from--
	}
	var lists listed
	a, front := s.look(d), &sketch{}
	all := a.lexemes(a.own())
	front.read(all, from)
	if front.hidden(d.text, from) {
		return []completion{}, nil
	}
	known := newSketch(all)
	for _, f := range a.Diagnostics.Files[1:] {
		known.lend(newSketch(a.lexemes(f)), f.Protocol.Text)
	}
	lists.at(front, known)
	return lists.out(), nil
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// maxCompletions bounds a reply; the client asks again when more is typed.
const maxCompletions = 2000

// listed collects completions.
type listed struct {
	list []completion
	seen map[string]bool
}

func (l *listed) add(kind int, detail string, words ...string) {
	for _, word := range words {
		if word == "" || l.seen[word] || len(l.list) >= maxCompletions {
			continue
		}
		if l.seen == nil {
			l.seen = map[string]bool{}
		}
		l.seen[word] = true
		c := completion{Label: word, Kind: kind, Detail: detail}
		if kind == kindType || kind == kindKeyword {
			c.Documentation = documentation(word)
		}
		if kind == kindType && isChecksum(word) {
			c.SortText = "~" + word // after the types that most fields have
		}
		l.list = append(l.list, c)
	}
}

func isChecksum(word string) bool {
	for i := range wire.Algorithms {
		if wire.Algorithms[i].Name == word {
			return true
		}
	}
	return false
}

func (l *listed) out() []completion {
	if l.list == nil {
		return []completion{}
	}
	return l.list
}

// at adds what can be after the last word of a sketch.
func (l *listed) at(front, known *sketch) {
	block := front.block()
	var arguments []string
	if front.last.Kind == syntax.TokenLParen {
		arguments = argumentWords(front.opened())
	}
	switch {
	case front.last.Kind == syntax.TokenAt:
		for _, word := range schema.AnnotationWords() {
			l.list = append(l.list, completion{Label: word, Kind: kindProperty, Documentation: documentation("@" + word)})
		}
	case front.last.Kind == syntax.TokenDot:
		l.inside(front, known)
	case block == nil:
		l.declaration(front, known)
	case block.kind == blockEnum:
		if !front.start {
			l.constants(known)
		}
	case block.kind == blockSwitch && front.labels:
		l.add(kindMember, block.typ, known.cases[block.typ]...)
		l.add(kindKeyword, "", "default")
		l.constants(known)
		l.add(kindEnum, "enum", known.enums...)
	case front.start && block.kind == blockState:
		l.add(kindKeyword, "", "each")
	case front.start && block.kind == blockSealed:
		l.add(kindKeyword, "", "key", "nonce", "ad", "open", "at")
	case front.start:
		l.add(kindKeyword, "", syntax.ItemWords...)
	case arguments != nil:
		l.add(kindKeyword, "", arguments...)
	case front.last.Text == "quat":
		l.add(kindProperty, "", "smallest3")
	case front.inSum() && (front.last.Kind == syntax.TokenLParen || front.last.Kind == syntax.TokenComma):
		l.add(kindProperty, "", syntax.SumWords...)
	case front.inSum() && front.last.Text == ":":
		l.add(kindType, "", syntax.WholeWords()...)
	case front.wantsType():
		l.types(known)
		if block.kind == blockSwitch {
			l.add(kindKeyword, "", "empty")
		}
	default:
		if front.last.Kind == syntax.TokenLBracket {
			l.add(kindKeyword, "", "until", "while")
		}
		l.add(kindMember, front.typ, known.cases[front.typ]...) // a rule names the cases of its type alone
		if front.typed && front.depth == 0 && front.next != blockSwitch {
			l.add(kindKeyword, "", syntax.RuleWords...)
		}
		for _, m := range front.visible() {
			if m.name != front.first { // which is being declared
				l.add(kindField, m.typ, m.name)
			}
		}
		l.add(kindKeyword, "", syntax.ExprWords...)
		if len(known.registers) > 0 {
			l.add(kindKeyword, "", "state")
		}
		l.constants(known)
		l.add(kindEnum, "enum", known.enums...)
	}
}

func documentation(word string) *markup {
	if rule := wordRule(word); rule != "" {
		return &markup{"markdown", rule}
	}
	return nil
}

func (l *listed) constants(known *sketch) { l.add(kindConstant, "constant", known.consts...) }

func (l *listed) types(known *sketch) {
	l.add(kindType, "", syntax.TypeWords()...)
	l.add(kindKeyword, "", syntax.ValueWords...)
	l.add(kindEnum, "enum", known.enums...)
	l.add(kindStruct, "struct", known.names...)
}

// declaration adds what can be outside of all braces.
func (l *listed) declaration(front, known *sketch) {
	switch {
	case front.start:
		l.add(kindKeyword, "", syntax.DeclWords...)
	case front.last.Text == "order":
		l.add(kindKeyword, "", syntax.OrderWords...)
	case front.last.Text == "max" && front.first == "max":
		l.add(kindKeyword, "", syntax.LimitWords...)
	case front.last.Text == "expect":
		l.add(kindKeyword, "", "timeout")
	case front.last.Text == "open":
		l.add(kindKeyword, "", "enum")
	case front.last.Kind == syntax.TokenWord || front.last.Kind == syntax.TokenString: // a name of one's own
	case front.first == "enum" || front.first == "flags" || front.first == "open":
		l.types(known)
	default:
		l.constants(known)
		l.add(kindEnum, "enum", known.enums...)
	}
}

// inside adds what is in what the path before a dot names: the cases of an enum, the fields of a struct, registers.
func (l *listed) inside(front, known *sketch) {
	path := front.path
	if len(path) == 0 {
		return
	}
	if path[0] == "state" && len(known.registers) > 0 {
		if len(path) == 1 {
			l.add(kindVariable, "register", known.registers...)
		} else {
			l.add(kindKeyword, "", "peer", "client", "server")
		}
		return
	}
	typ := ""
	if slices.Contains(known.enums, path[0]) || slices.Contains(known.names, path[0]) {
		typ = path[0] // Kind.A, @ack(Input.sequence)
	}
	for _, m := range front.visible() {
		if m.name == path[0] {
			typ = m.typ
		}
	}
	for _, name := range path[1:] {
		next := ""
		for _, m := range known.members[typ] {
			if m.name == name {
				next = m.typ
			}
		}
		typ = next
	}
	l.add(kindMember, typ, known.cases[typ]...)
	for _, m := range known.members[typ] {
		l.add(kindField, m.typ, m.name)
	}
}
