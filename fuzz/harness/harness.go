// Package harness writes the file that puts a user's reader after the target exec+persistent: one file, which compiles
// with nothing but a compiler, and in which one function is the user's to fill in. It lists the paths of a plan's
// fields as display filters name them. See fuzz/process for what a harness talks to.
package harness

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
)

//go:embed *.tmpl
var templates embed.FS

// language is one that a harness can be written in.
type language struct {
	name, extension string
	indent          string // of a comment in its function
}

var languages = []language{
	{"c", "c", "    //   "},
	{"cpp", "cpp", "    //   "},
	{"go", "go", "\t//   "},
	{"rust", "rs", "    //   "},
	{"cs", "cs", "        //   "},
}

// of is the row of a name, which must be one of Languages.
func of(name string) language {
	at := slices.IndexFunc(languages, func(l language) bool { return l.name == name })
	if at < 0 {
		panic(fmt.Sprintf("pktscope: internal error: no harness in %q", name))
	}
	return languages[at]
}

// Languages are the languages that a harness can be written in.
func Languages() (names []string) {
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// FileName is what a harness's file is called when nobody says otherwise.
func FileName(language string) string { return "harness." + of(language).extension }

// maxPaths is how many of the protocol's fields a harness lists.
const maxPaths = 40

// Source is the text of a harness for a protocol. protocol is the flags of a command that name it, file what the text
// is going to be called, both as a shell takes them. The language must be one of Languages.
func Source(language string, p *plan.Plan, protocol, file string) string {
	l := of(language)
	text := strings.NewReplacer("@HELPERS@\n", template("helpers"), "@BODY@\n", template("body"), "@FIELDS@", fields(p, l.indent)).Replace(template(l.name))
	return strings.NewReplacer("@PROTOCOL@", comment(p.Schema.Name), "@FLAGS@", comment(protocol), "@FILE@", comment(file)).Replace(text)
}

func template(name string) string {
	text, err := templates.ReadFile(name + ".tmpl")
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	return string(text)
}

// fields lists the paths of a protocol's values, as comments.
func fields(p *plan.Plan, indent string) string {
	var lines []string
	for _, path := range filter.Paths(p) {
		line := indent + strings.ReplaceAll(comment(path.Path), "[*]", "[i]")
		if path.Scale != 0 {
			line += fmt.Sprintf("   as shown: the number times %v", path.Scale)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if n := len(lines); n > maxPaths {
		lines = append(lines[:maxPaths], fmt.Sprintf("%sand %d more: see pktscope schema doc", indent, n-maxPaths))
	}
	return strings.Join(lines, "\n")
}

// comment makes a text harmless in a line comment: a file's name is the user's, and may hold what ends the line, or a
// backslash that continues it.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\\' || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return '?'
		}
		return r
	}, text)
}
