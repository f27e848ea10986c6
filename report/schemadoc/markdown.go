package schemadoc

import (
	"fmt"
	"strings"
)

// markdown writes a page as CommonMark with GitHub's tables. Text of the schema's author is escaped so that no reader
// of Markdown sees anything but text in it; types and names are in code.
type markdown struct{ b strings.Builder }

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format, args...)
	m.b.WriteByte('\n')
}

func (m *markdown) page(d *page) {
	m.line("# Protocol %s", markdownCode(d.Name))
	m.paragraphs(d.Doc)
	m.facts(d.Facts)
	m.line("\n## Bounds\n\nProved for every datagram, whatever is in it.")
	m.facts(d.Bounds)
	if d.Constants != nil {
		m.line("\n## Constants")
		m.table(d.Constants)
	}
	m.line("\n## Packet")
	for _, s := range d.Packet {
		m.structure(s)
	}
	if d.State != nil {
		m.line("\n## State\n\nWhat is kept of a flow's packets.")
		m.table(d.State)
	}
	if len(d.Messages) > 0 {
		m.line("\n## Messages\n\nWhat fields hold, whole or in pieces, or sealed.")
	}
	for _, s := range d.Messages {
		m.structure(s)
	}
	if len(d.Structs) > 0 {
		m.line("\n## Structs")
	}
	for _, s := range d.Structs {
		m.structure(s)
	}
	if len(d.Enums) > 0 {
		m.line("\n## Enums and flags")
	}
	for i := range d.Enums {
		m.enum(&d.Enums[i])
	}
	m.line("\n## Rules\n\nWhat refuses a packet, by its stable name. A packet is refused as well where it ends too early (`past-end`), where whole bytes are left over (`trailing-bytes`), and where it is larger than a datagram may be (`datagram-size`).")
	m.rules(d.Rules)
}

func (m *markdown) rules(r *rulePart) {
	m.table(r.Listed)
	if r.More > 0 {
		m.line("\n… and %d more.", r.More)
	}
}

func (m *markdown) paragraphs(list []string) {
	for _, p := range list {
		m.line("\n%s", markdownText(p))
	}
}

func (m *markdown) facts(list []fact) {
	t := newTextTable("", "", "")
	for _, f := range list {
		t.add(0, f.Name, f.Value, f.Note)
	}
	m.table(t.done())
}

// table writes a table. A heading is a row with its first cell only.
func (m *markdown) table(t *textTable) {
	if len(t.Rows) == 0 {
		m.line("\nNone.")
		return
	}
	m.line("\n| %s |\n|%s", strings.Join(t.Heads, " | "), strings.Repeat(" --- |", len(t.Heads)))
	for _, row := range t.Rows {
		m.b.WriteString("|")
		for i := range t.Heads {
			cell := ""
			if i < len(row.Cells) {
				cell = markdownCell(row.Cells[i])
			}
			if i == 0 {
				cell = strings.Repeat("· ", row.Level) + cell
			}
			m.b.WriteString(" " + cell + " |")
		}
		m.b.WriteByte('\n')
	}
}

func markdownCell(c textCell) string {
	if c.Code {
		return markdownCode(c.Text)
	}
	return markdownText(c.Text)
}

func (m *markdown) structure(s *structPart) {
	m.line("\n### %s\n", markdownText(s.Title))
	if s.Inline {
		m.line("An inline struct. Size: %s.", markdownText(s.Size))
	} else {
		m.line("Size: %s.", markdownText(s.Size))
	}
	if s.Order != "" {
		m.line("Bit order: %s.", s.Order)
	}
	m.paragraphs(s.Doc)
	if len(s.Params) > 0 {
		m.line("")
		for _, p := range s.Params {
			m.line("- parameter %s: %s", markdownCode(p.Name), markdownText(p.Value))
		}
	}
	if s.Grid != nil {
		m.grid(s.Grid)
	}
	m.table(s.Fields)
	if len(s.Holds.Rows) > 0 {
		m.line("\nWhat its fields hold:")
		m.table(s.Holds)
	}
	for _, a := range s.Arms {
		m.line("\n%s holds, by %s:", markdownCode(a.Name), markdownCode(a.Tag))
		m.table(a.Arms)
		if !a.HasDefault {
			m.line("\nAny other tag is refused (`unknown-case`).")
		}
	}
	if s.Rules != nil {
		m.line("\nWhat refuses the message:")
		m.rules(s.Rules)
	}
}

func (m *markdown) enum(e *enumPart) {
	m.line("\n### %s\n\nBase type: %s.", markdownText(strings.TrimSpace(e.Kind+" "+e.Name+" "+e.From)), markdownCode(e.Base))
	m.paragraphs(e.Doc)
	m.table(e.Cases)
}

// markdownCode is a code span. Where a backtick, a pipe or a line end could get out of it, it is HTML with all that
// could mean something as references, which mean nothing to Markdown.
func markdownCode(s string) string {
	if s == "" {
		return ""
	}
	if !strings.ContainsAny(s, "`|\\\n\r") {
		return "`" + s + "`"
	}
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range s {
		if r < 0x80 && !isPlainASCII(byte(r)) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}

func isPlainASCII(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ' ' || c == ','
}

// markdownText escapes text for a paragraph, a heading or a cell: all that Markdown, GitHub's tables, autolinks and
// mentions give a meaning to, and what has one at the start of a line.
func markdownText(s string) string {
	var b strings.Builder
	digits := true // only digits so far: `1.` would begin a list
	for i := range len(s) {
		c, rest := s[i], s[i+1:]
		ends := rest == "" || rest[0] == ' '
		switch {
		case strings.IndexByte("\\`*_[]<>#|~&$@", c) >= 0,
			c == ':' && strings.HasPrefix(rest, "/"),
			i == 0 && (c == '=' || (c == '-' || c == '+') && (ends || rest[0] == c)),
			(c == '.' || c == ')') && digits && i > 0 && ends,
			c == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			b.WriteByte('\\')
		}
		digits = digits && c >= '0' && c <= '9'
		if c == '\n' || c == '\r' {
			c = ' '
		}
		b.WriteByte(c)
	}
	return b.String()
}
