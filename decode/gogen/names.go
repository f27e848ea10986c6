package gogen

import (
	"fmt"
	"go/token"
	"strings"
	"unicode"

	"github.com/pktscope/pktscope/decode/plan"
)

// A schema can come from a stranger, and its names and comments become source text here. Every Go identifier is built
// from the letters, digits and underscores that the language allows in names, and is never a keyword (it starts with a
// capital); comments are one `// ` line each; everything else that is quoted goes through strconv.

// camel is a schema's name in Go's form: `player_count` is PlayerCount.
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, c := range name {
		switch {
		case c == '_':
			up = true
			continue
		case c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = true
			continue
		case up:
			c = unicode.ToUpper(c)
		}
		up = false
		b.WriteRune(c)
	}
	s := b.String()
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		s = "X" + s
	}
	return s
}

// names hands out names that are not taken yet, and keeps what it had to change.
type names struct {
	taken   map[string]bool
	mangled *[]string
}

// pick gives name, or name with the first free number after it.
func (n *names) pick(name, of string) string {
	got := name
	for i := 2; n.taken[got]; i++ {
		got = fmt.Sprintf("%s%d", name, i)
	}
	n.taken[got] = true
	if got != name {
		*n.mangled = append(*n.mangled, fmt.Sprintf("%s is %s: %s is taken", of, got, name))
	}
	return got
}

// PackageName is what a plan's package is called unless it is told: after the protocol, or after the message that the
// plan reads.
func PackageName(p *plan.Plan) string {
	if m := p.Schema.Message; m != nil {
		return packageName(m.Name)
	}
	return packageName(p.Schema.Name)
}

// packageName makes a package's name of a protocol's.
func packageName(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "")
	if name == "" || name[0] < 'a' || token.IsKeyword(name) || name == "main" || name == "init" || name == "internal" || name == "vendor" {
		return "pks" + name
	}
	return name
}

// validPackage reports whether a name can be that of a package.
func validPackage(name string) bool {
	for _, c := range name {
		if c < '0' || c > '9' && c < 'a' || c > 'z' {
			return false
		}
	}
	return name != "" && name == packageName(name)
}

// comment turns text from a schema into comment lines. Nothing in it can end the comment or be a directive: each line
// has its own `// `, control and format characters are dropped, and a line that begins as a build constraint does not.
func comment(indent, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.Map(func(c rune) rune {
			if c == '\t' {
				return ' '
			}
			if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029' || c == unicode.ReplacementChar {
				return -1
			}
			return c
		}, line)
		line = strings.TrimRight(strings.TrimSpace(line), "\\ ")
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "go:") {
			line = "- " + line
		}
		b.WriteString(indent + "// " + line + "\n")
	}
	return b.String()
}
