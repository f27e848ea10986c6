package filter

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/pktscope/pktscope/decode/plan"
)

// Word is a word of a filter that somebody is typing.
type Word struct {
	Text  string // in the form that a filter has: an element has a number, a name is in quotes
	Type  string // of a path, as Path.Type; of a name, what it is a name of
	Doc   string
	Value bool // it is what a path is compared with
}

// Completer completes filters over packets of some plans, for terminals and shells alike.
type Completer struct {
	words  []Word            // of paths
	values map[string][]Word // of a path, what it may be compared with
}

// maxValues is how many names are offered for one path.
const maxValues = 1000

// NewCompleter makes a Completer.
func NewCompleter(plans []*plan.Plan) *Completer {
	c := &Completer{values: map[string][]Word{}}
	for _, p := range AllPaths(plans) {
		c.words = append(c.words, Word{Text: p.first(), Type: p.Type, Doc: p.Doc})
		c.offer(p.Path, p.Values, p.Type)
	}
	for _, p := range plans {
		c.offer("case", caseValues(p), "case of "+p.Schema.Name)
		c.offer("pkt.protocol", []string{p.Schema.Name}, "protocol")
		for _, section := range p.Sections {
			c.offer("msg.case", caseValues(section), "case of "+section.Schema.Name)
		}
	}
	return c
}

func (c *Completer) offer(path string, names []string, of string) {
	known := map[string]bool{"": true}
	for _, w := range c.values[path] {
		known[w.Text] = true
	}
	for _, name := range names {
		text := strconv.Quote(name)
		if !known[text] && name != "" && len(c.values[path]) < maxValues {
			known[text] = true
			c.values[path] = append(c.values[path], Word{Text: text, Type: of, Value: true})
		}
	}
}

// caseValues are the names that `case` is compared with.
func caseValues(p *plan.Plan) []string {
	if p.Case == nil || p.CaseSecret() || p.Case.Enum == nil {
		return nil
	}
	return caseNames(p.Case.Enum)
}

// Complete tells what the end of a filter that is being typed can become: the words that may be from byte at on. They
// are names after `==` and `!=` where there are any, else paths.
func (c *Completer) Complete(typed string) (at int, list []Word) {
	at = len(strings.TrimRightFunc(typed, inPath))
	if strings.Count(typed, `"`)%2 == 1 {
		at = strings.LastIndexByte(typed, '"')
	}
	begun := typed[at:]
	for _, w := range c.comparedWith(typed[:at]) {
		if strings.HasPrefix(w.Text, begun) || strings.HasPrefix(w.Text, `"`+begun) {
			list = append(list, w)
		}
	}
	if list != nil || strings.HasPrefix(begun, `"`) || c.comparedWith(typed[:at]) != nil {
		return at, list
	}
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, begun) {
			list = append(list, w)
		}
	}
	return at, list
}

// comparedWith are the values of the path before an operator that a text ends with.
func (c *Completer) comparedWith(text string) []Word {
	text = strings.TrimRight(text, " ")
	left, ok := strings.CutSuffix(text, "==")
	if !ok {
		if left, ok = strings.CutSuffix(text, "!="); !ok {
			return nil
		}
	}
	left = strings.TrimRight(left, " ")
	path := left[len(strings.TrimRightFunc(left, inPath)):]
	return c.values[anyElement(path)]
}

// inPath reports whether a path may have a rune.
func inPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.$[]*", r)
}
