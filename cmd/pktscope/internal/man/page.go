// Package man makes man pages of commands and help topics.
package man

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Page is the man page of a command, in section 1, or of a help topic, in section 7.
func Page(cmd *cobra.Command, date, version string) []byte {
	m := page{date: date, version: version}
	m.command(cmd)
	return m.b
}

// Name is the file of a page.
func Name(cmd *cobra.Command) string { return title(cmd) + "." + section(cmd) }

// Has reports whether a command has a page.
func Has(cmd *cobra.Command) bool {
	return cmd.IsAvailableCommand() || cmd.IsAdditionalHelpTopicCommand()
}

func title(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func section(cmd *cobra.Command) string {
	if cmd.IsAdditionalHelpTopicCommand() {
		return "7"
	}
	return "1"
}

// page is a man page in the making, in the man macros (man 7 groff_man), in ASCII.
//
// cobra's own generator takes help texts for Markdown: it drops <b>, prints body.__x__ in bold and runs the lines of a
// table together. A help text is plain here, and its lines stay where their columns matter.
type page struct {
	b             []byte
	date, version string
}

func (m *page) command(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	name := title(cmd)
	fmt.Fprintf(m, ".TH \"%s\" %s \"%s\" \"%s\" \"%s\"\n", roff(strings.ToUpper(name)), section(cmd), roff(m.date),
		roff("pktscope "+m.version), "pktscope manual")
	fmt.Fprintf(m, ".nh\n.ad l\n.SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	if !cmd.IsAdditionalHelpTopicCommand() {
		_, rest, _ := strings.Cut(cmd.UseLine(), cmd.CommandPath())
		fmt.Fprintf(m, ".SH SYNOPSIS\n\\fB%s\\fR%s\n", roff(cmd.CommandPath()), roff(rest))
	}
	m.section("DESCRIPTION")
	if cmd.Long != "" {
		m.text(cmd.Long)
	} else {
		m.text(strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + ".")
	}
	if !cmd.IsAdditionalHelpTopicCommand() {
		m.options("OPTIONS", cmd.LocalFlags())
		m.options("OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	}
	m.commands(cmd)
	if cmd.Example != "" {
		m.section("EXAMPLES")
		m.asIs(strings.Split(cmd.Example, "\n"))
	}
	m.seeAlso(cmd)
}

func (m *page) Write(b []byte) (int, error) {
	m.b = append(m.b, b...)
	return len(b), nil
}

func (m *page) section(name string) { fmt.Fprintf(m, ".SH %s\n", name) }

// columns finds a line whose place matters: indented, a list's, a table's, a heading.
var columns = regexp.MustCompile("^([ \t|#>]|[-*] |[0-9]+\\. )")

// text writes paragraphs, those with columns as they are. Text between fences of Markdown stays as it is, too.
func (m *page) text(text string) {
	var lines []string
	fenced, asIs := false, false
	end := func() {
		if len(lines) == 0 {
			return
		}
		fmt.Fprint(m, ".PP\n")
		if asIs {
			m.asIs(lines)
		} else {
			fmt.Fprintf(m, "%s\n", roff(strings.Join(lines, "\n")))
		}
		lines, asIs = nil, false
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			end()
			fenced = !fenced
			continue
		}
		if line == "" && !fenced {
			end()
			continue
		}
		lines = append(lines, line)
		asIs = asIs || fenced || columns.MatchString(line)
	}
	end()
}

// asIs writes lines that are not filled.
func (m *page) asIs(lines []string) {
	fmt.Fprintf(m, ".nf\n%s\n.fi\n", roff(strings.Join(lines, "\n")))
}

func (m *page) options(heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	m.section(heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		fmt.Fprint(m, ".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(m, "\\fB%s\\fR, ", roff("-"+f.Shorthand))
		}
		fmt.Fprintf(m, "\\fB%s\\fR", roff("--"+f.Name))
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			fmt.Fprintf(m, " \\fI%s\\fR", roff(value))
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(m, "\n%s\n", roff(usage))
	})
}

// commands lists what is below a command, in its groups.
func (m *page) commands(cmd *cobra.Command) {
	if len(cmd.Groups()) == 0 {
		return
	}
	m.section("COMMANDS")
	list := func(heading, group string) {
		fmt.Fprintf(m, ".SS %s\n", roff(heading))
		for _, c := range cmd.Commands() {
			if c.GroupID == group && c.IsAvailableCommand() {
				fmt.Fprintf(m, ".TP\n\\fB%s\\fR(%s)\n%s\n", roff(title(c)), section(c), roff(c.Short))
			}
		}
	}
	for _, g := range cmd.Groups() {
		list(strings.TrimSuffix(g.Title, ":"), g.ID)
	}
	list("Other commands", "")
}

func (m *page) seeAlso(cmd *cobra.Command) {
	var others []string
	add := func(c *cobra.Command) {
		others = append(others, fmt.Sprintf("\\fB%s\\fR(%s)", roff(title(c)), section(c)))
	}
	if cmd.HasParent() {
		add(cmd.Parent())
	}
	for _, c := range cmd.Commands() {
		if Has(c) {
			add(c)
		}
	}
	if len(others) > 0 {
		m.section("SEE ALSO")
		fmt.Fprintf(m, "%s\n", strings.Join(others, ",\n"))
	}
}

// roff escapes text: a character that has a meaning or that troff would make prettier (a copied `-q` shall be one), all
// beyond ASCII, and what at the beginning of a line would be a request.
func roff(text string) string {
	var b strings.Builder
	start := true
	for _, r := range text {
		if start && (r == '.' || r == '\'') {
			b.WriteString(`\&`)
		}
		start = r == '\n'
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
