package filter

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// The text of a filter is scanned and parsed by expr's own lexer and parser, so that it means what expr's users expect.
// In between is a list of what may occur at all: the parser recurses as deep as brackets nest, and most of the
// language (ranges, maps, variables, pipes) has no place in a filter.

// operators are the operator tokens of filters.
var operators = map[string]bool{
	"||": true, "&&": true, "or": true, "and": true, "not": true, "!": true,
	"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true,
	"in": true, "contains": true, "startsWith": true, "endsWith": true, "matches": true,
	"+": true, "-": true, "*": true, "%": true, ",": true, ".": true, "#": true,
}

// instead says what to write for operators that filters do not have.
var instead = map[string]string{
	"..": "write 1 <= x && x <= 5", "|": "`or` is ||", "&": "`and` is &&, and a flag is tested by \"Up\" in keys",
	"=": "`equal` is ==", "?.": "an absent field needs no `?.`: its comparison is unknown", "??": "an absent field needs no `??`: its comparison is unknown",
	"/": "filters compute with integers: + - * %", "{": "a closure is written without braces: any(list, .x > 1)",
}

// parse turns the text into expr's tree. Positions in the tree are those of the text: at counts characters, so it is
// given byte offsets by c.byteAt.
func (c *compiler) parse() ast.Node {
	if len(c.src) > maxSource {
		c.fail(maxSource, maxSource+1, "", "the filter is too long: want %d bytes at most, got %d", maxSource, len(c.src))
		return nil
	}
	if !utf8.ValidString(c.src) {
		bad := strings.IndexFunc(c.src, func(r rune) bool { return r == utf8.RuneError })
		c.fail(bad, bad+1, "", "the filter is not UTF-8")
		return nil
	}
	c.bytes = make([]int, 0, len(c.src)+1)
	for i := range c.src {
		c.bytes = append(c.bytes, i)
	}
	c.bytes = append(c.bytes, len(c.src))
	text, ok := c.scan()
	if !ok {
		return nil
	}
	tree, err := parser.ParseWithConfig(text, &conf.Config{DisableIfOperator: true, MaxNodes: maxTokens})
	if err != nil {
		c.libraryError(err)
		return nil
	}
	return tree.Node
}

// scan checks every token and returns the text with each number replaced by a name as long: expr's parser knows numbers
// only as int64 and float64, and here they are exact.
func (c *compiler) scan() (string, bool) {
	lex := lexer.New()
	lex.DisableIfOperator = true
	lex.Reset(file.NewSource(c.src))
	text := []byte(c.src)
	open, row := 0, 0
	for count := 0; ; count++ {
		tok, err := lex.Next()
		if err != nil {
			c.libraryError(err)
			return "", false
		}
		if tok.Kind == lexer.EOF {
			if count == 0 {
				c.fail(0, 0, "", "the filter is empty")
				return "", false
			}
			return string(text), true
		}
		off, end := c.byteAt(tok.From), c.byteAt(tok.To)
		if count >= maxTokens {
			c.fail(off, end, "", "the filter is too long: want %d words and signs at most", maxTokens)
			return "", false
		}
		sign := false
		switch tok.Kind {
		case lexer.Number:
			if tok.Value[0] == '.' && off > 0 && strings.ContainsRune(")]_$", rune(c.src[off-1])) || off > 0 && isWord(c.src[off-1]) {
				c.fail(off, end, "an element is list[5]", "%s is not expected here", quote(tok.Value))
			}
			text[off] = '$'
			for i := off + 1; i < end; i++ {
				text[i] = '_'
			}
		case lexer.Identifier:
			if tok.Value[0] == '$' && tok.Value != "$env" || tok.Value == "if" || tok.Value == "else" {
				c.fail(off, end, "", "%s is not part of filters", quote(tok.Value))
			}
		case lexer.Operator:
			sign = tok.Value == "!" || tok.Value == "not" || tok.Value == "-" || tok.Value == "+"
			if !operators[tok.Value] {
				c.fail(off, end, instead[tok.Value], "%s is not part of filters", quote(tok.Value))
			}
		case lexer.Bracket:
			switch tok.Value {
			case "(", "[":
				open++
			case ")", "]":
				open--
			default:
				c.fail(off, end, instead[tok.Value], "%s is not part of filters", quote(tok.Value))
			}
		}
		if row++; !sign {
			row = 0
		}
		if open > maxNesting || row > maxNesting {
			c.fail(off, end, "", "the filter is nested too deep: want %d levels at most", maxNesting)
		}
		if c.err != nil {
			return "", false
		}
	}
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b >= utf8.RuneSelf
}

// byteAt turns a position in characters into one in bytes.
func (c *compiler) byteAt(char int) int { return c.bytes[min(max(char, 0), len(c.bytes)-1)] }

// libraryError takes an error of expr's lexer or parser over: its place, and in our words what it most often says.
func (c *compiler) libraryError(err error) {
	var e *file.Error
	if !errors.As(err, &e) {
		c.fail(0, len(c.src), "", "%s", err)
		return
	}
	off, end := c.byteAt(e.From), c.byteAt(e.To)
	message, _, _ := strings.Cut(e.Message, "\n")
	switch {
	case strings.HasPrefix(message, "unexpected token EOF"), strings.HasPrefix(message, "unexpected end"):
		c.fail(len(c.src), len(c.src), "", "the filter ends too early")
	case strings.HasPrefix(message, "unexpected token"):
		c.fail(off, end, "", "%s is not expected here", quote(c.src[off:end]))
	case strings.HasPrefix(message, "bad number syntax"):
		c.fail(off, end, "", "this is no number")
	default:
		if len(message) > 100 {
			message = message[:100]
		}
		c.fail(off, end, "", "%s", strings.ToLower(message))
	}
}
