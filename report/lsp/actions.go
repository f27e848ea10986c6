package lsp

import (
	"slices"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What mends a mistake. A diagnostic says what to write; in place of what, its own place does not always say: of
// `uint8_t health` it is the type alone. So places are tried, and the checker decides.

// mostTried bounds the texts that are checked for one request, and longestTried each of them, in bytes.
const (
	mostTried    = 16
	longestTried = 64 << 10
)

// actions offer what the diagnostics in a range say to write.
func (s *server) actions(d *document, p *request, _ int) (any, error) {
	list := []codeAction{}
	if d.lost {
		return list, nil
	}
	a := s.look(d)
	from, to := d.offset(p.Range.Start, s.wide), d.offset(p.Range.End, s.wide)
	before, tries := -1, mostTried // errors of the document, once they are asked for
	for _, one := range a.Diagnostics.List {
		f, local := a.Diagnostics.Files.Local(one)
		text := one.Replacement()
		if f != a.own() || text == "" || int(local.End.Off) < from || to < int(local.Pos.Off) {
			continue
		}
		at := local.Span
		if one.IsAdvice() {
			if len(d.text) > longestTried {
				continue
			}
			if before < 0 {
				before = s.errors(d, d.text)
			}
			var ok bool
			if at, ok = s.mends(d, local.Span, text, before, &tries); !ok {
				continue
			}
		}
		list = append(list, codeAction{"write `" + syntax.EscapeText(text) + "`", "quickfix", []diagnostic{s.diagnostic(d, one)},
			workspaceEdit{map[string][]textEdit{d.uri: {{d.span(int(at.Pos.Off), int(at.End.Off), s.wide), text}}}}})
	}
	return list, nil
}

// mends finds the place in which a text mends a mistake: with it the document has fewer errors than before, and no word
// that was there is lost.
func (s *server) mends(d *document, at schema.Span, text string, before int, tries *int) (schema.Span, bool) {
	for _, place := range places(d.text, s.look(d).lexemes(s.look(d).own()), at, text) {
		if *tries--; *tries < 0 {
			break
		}
		tried := d.text[:place.Pos.Off] + text + d.text[place.End.Off:]
		if s.errors(d, tried) < before {
			return place, true
		}
	}
	return at, false
}

// errors is how many errors a text has: those of its syntax first, since behind them the checker says little.
func (s *server) errors(d *document, text string) (n int) {
	count := func(list []schema.Diagnostic) {
		for _, one := range list {
			if one.Severity == syntax.Error {
				n++
			}
		}
	}
	_, list := syntax.Parse(d.name(), []byte(text))
	count(list)
	if n > 0 {
		return n << 16
	}
	count(inspect(s.beside(d.path, nil), d.name(), text).Diagnostics.List)
	return n
}

// places are those of a source that a text can replace: what a diagnostic is about; from there to the end of the item, or
// from the last place before it where the text's own first word is. What is outside of what the diagnostic is about, the
// text has, too. There are none for a text with words that nobody wrote (`[rest, max n]T`): it is an example.
func places(src string, all []syntax.Lexeme, at schema.Span, text string) (list []schema.Span) {
	own, bad := syntax.Scan([]byte(text))
	said := strings.ToLower(strings.ReplaceAll(src[at.Pos.Off:at.End.Off], "_", ""))
	for _, l := range own {
		if l.Kind != syntax.TokenWord && l.Kind != syntax.TokenName && l.Kind != syntax.TokenString || wordRule(l.Text) != "" || slices.Contains(otherWords, l.Text) {
			continue
		}
		if !has(all, l.Text) && strings.ToLower(strings.ReplaceAll(l.Text, "_", "")) != said { // `player_count` of `playerCount`
			return nil
		}
	}
	if len(bad) > 0 {
		return nil
	}
	starts, ends := []syntax.Pos{at.Pos}, []syntax.Pos{at.End}
	first := sort.Search(len(all), func(i int) bool { return all[i].End.Off > at.Pos.Off || all[i].Kind == syntax.TokenEnd })
	for _, l := range all[first:] {
		if l.Pos.Off < at.End.Off {
			continue
		}
		if l.Kind == syntax.TokenLine && int(l.Pos.Off) < len(src) && src[l.Pos.Off] == ';' {
			l.End.Off = l.Pos.Off + 1
			ends = append(ends, l.End)
		}
		if !has(own, l.Text) && !slices.Contains(punctuation, l.Kind) {
			break
		}
		ends = append(ends, l.End)
	}
	for i := first - 1; i >= 0 && has(own, all[i].Text); i-- {
		if all[i].Text == own[0].Text {
			starts = append(starts, all[i].Pos)
			break
		}
	}
	for _, end := range slices.Backward(ends) {
		for _, start := range slices.Backward(starts) {
			if start.Off < end.Off {
				list = append(list, schema.Span{Pos: start, End: end})
			}
		}
	}
	return list
}

// otherWords are those of the language that the language page has no row about.
var otherWords = slices.Concat(syntax.RuleWords, syntax.SumWords, syntax.LimitWords, syntax.ExprWords, syntax.ValueWords)

// punctuation holds what it is between, and goes with it.
var punctuation = []syntax.Token{syntax.TokenLParen, syntax.TokenRParen, syntax.TokenLBracket, syntax.TokenRBracket}

// has reports whether lexemes with text have one of a text.
func has(list []syntax.Lexeme, text string) bool {
	return text != "" && slices.ContainsFunc(list, func(l syntax.Lexeme) bool { return l.Text == text })
}
