package schemadoc

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Markdown writes the documentation of a protocol as Markdown (CommonMark with GitHub's tables): what a packet and
// its messages may be, what a flow keeps, a bit diagram and a table for each struct, the enums, and every rule that
// refuses a packet or a message, by its stable name. The error is the writer's.
func Markdown(w io.Writer, p *plan.Plan) error {
	m := &markdown{}
	m.page(newPage(p))
	_, err := io.WriteString(w, m.b.String())
	return err
}

// HTML writes the same as one HTML file that loads nothing, runs nothing and links to nothing but itself: its
// Content-Security-Policy allows only its own style. Light or dark follows the reader's preference. The error is the
// writer's.
func HTML(w io.Writer, p *plan.Plan) error { return writeHTML(w, newPage(p)) }

// page is the documentation of one protocol.
type page struct {
	Name      string
	Doc       []string // paragraphs
	Facts     []fact
	Bounds    []fact
	Constants *textTable    // nil without any
	Packet    []*structPart // the packet, then the inline structs in it
	State     *textTable    // nil without any
	Messages  []*structPart // each with the inline structs in it
	Structs   []*structPart
	Enums     []enumPart
	Rules     *rulePart
}

// fact is something about the whole protocol.
type fact struct{ Name, Value, Note string }

// enumPart is an enum or a flags type.
type enumPart struct {
	Name, Kind, Base string
	From             string // (file), of one that is imported
	Doc              []string
	Cases            *textTable
}

var orderNotes = map[schema.Order]string{
	schema.MSB:      "network order: bits fill each byte from the most significant, integers are big-endian",
	schema.LSB:      "bits fill each byte from the least significant, integers are little-endian",
	schema.Bytewise: "bits fill each byte from the most significant, values go out in groups of 8 bits, lowest group first",
}

func newPage(p *plan.Plan) *page {
	s := p.Schema
	d := &page{Name: plainText(s.Name), Doc: paragraphs(s.Doc)}
	d.Facts = append(d.Facts, fact{"bit order", s.Order.String(), orderNotes[s.Order]})
	if len(s.Ports) > 0 {
		d.Facts = append(d.Facts, fact{"server's UDP port", schema.PortList(s.Ports), ""})
	}
	if len(s.Files) > 1 {
		var names []string
		for _, f := range s.Files[1:] {
			names = append(names, plainText(s.Origin(schema.Pos{Off: f.Base, Line: 1, Col: 1})))
		}
		d.Facts = append(d.Facts, fact{"imports", strings.Join(names, ", "), ""})
	}
	d.Facts = append(d.Facts, fact{"largest datagram", syntax.Count(int64(s.MaxDatagram), "byte"), ""})
	if s.Timeout > 0 {
		d.Facts = append(d.Facts, fact{"timeout", durationText(s.Timeout), "a peer silent for longer is reported"})
	}
	b := &p.Bound
	d.Bounds = []fact{
		{"shortest packet", syntax.Count(b.MinBits, "bit"), bytesText(b.MinBits)},
		{"longest packet", syntax.Count(b.MaxBits, "bit"), bytesText(b.MaxBits)},
		{"most fields", fmt.Sprint(b.MaxFields), "in one packet, each element of an array counted"},
		{"most steps", fmt.Sprint(b.MaxSteps), "of work on one datagram, whatever is in it"},
		{"loops in loops", fmt.Sprint(b.MaxLoops), ""},
	}
	src := newWritten(s.Files)
	d.Constants = constantTable(s, src)
	w := newMaker(s, src)
	d.Packet = w.tree(s.Packet, "packet")
	d.Packet[0].Size = sizeText(uint64(b.MinBits), uint64(b.MaxBits)) // which knows where padding begins
	d.State, d.Messages = stateTable(s), w.messageParts(p.Sections)
	w = w.anywhere()
	for _, st := range s.Structs {
		d.Structs = append(d.Structs, w.tree(st, st.Name)...)
	}
	for _, e := range s.Enums {
		d.Enums = append(d.Enums, newEnumPart(s, e, src))
	}
	d.Rules = ruleTable(p)
	return d
}

func constantTable(s *schema.Schema, src *written) *textTable {
	t := newTextTable("`Name", "`Value", "May be set to", "Description")
	for _, f := range s.Files {
		for _, d := range f.Decls {
			constant(t, s, src, d)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t.done()
}

// constant adds a declaration to the table, where it is that of a constant.
func constant(t *textTable, s *schema.Schema, src *written, d syntax.Decl) {
	doc := func(text string) string { return strings.TrimSpace(oneDoc(text) + " " + fromText(s, d.Place().Pos)) }
	switch d := d.(type) {
	case *syntax.ConstDecl:
		if rows, ok := d.Value.(*syntax.TableExpr); ok {
			for _, r := range rows.Rows {
				t.add(0, d.Name.Text+"("+src.labels(r)+")", src.text(r.Value.Place()), "", doc(d.Doc))
			}
			return
		}
		t.add(0, d.Name.Text, src.text(d.Value.Place()), "", doc(d.Doc))
	case *syntax.ParamDecl:
		i := slices.IndexFunc(s.Params, func(c *schema.Const) bool { return c.Pos == d.Name.Pos })
		if i < 0 { // imported: nothing sets it
			t.add(0, d.Name.Text, src.text(d.Value.Place()), "", doc(d.Doc))
			return
		}
		c := s.Params[i]
		t.add(0, c.Name, c.Value.String(), schema.RangeText(c.Lo, c.Hi), doc(d.Doc))
	}
}

// fromText says which imported file something is of; "" for what is the schema's own.
func fromText(s *schema.Schema, at schema.Pos) string {
	if from := s.Origin(at); from != "" {
		return "(" + plainText(from) + ")"
	}
	return ""
}

func newEnumPart(s *schema.Schema, e *schema.Enum, src *written) enumPart {
	d := enumPart{Name: e.Name, Kind: "enum", Base: plainText(e.Base.Type.(fmt.Stringer).String()), Doc: paragraphs(e.Doc)}
	if e.Flags {
		d.Kind = "flags"
	}
	if e.Open {
		d.Kind = "open " + d.Kind
	}
	d.From = fromText(s, e.Pos)
	t := newTextTable("`Name", "`Value", "Decimal", "Description")
	for i := range e.Cases {
		c := &e.Cases[i]
		value, number := c.Value.String(), ""
		if n := src.cases[c.Pos.Off]; n != nil {
			if as := src.text(n.Value.Place()); as != value {
				value, number = as, value
			}
		}
		t.add(0, c.Name, value, number, oneDoc(c.Doc))
	}
	d.Cases = t.done()
	return d
}

// plainText is text of a schema's author as it may be shown: see syntax.AppendEscaped.
func plainText(s string) string { return syntax.EscapeText(s) }

// paragraphs cuts a doc text at its empty lines.
func paragraphs(doc string) (list []string) {
	for _, part := range strings.Split(doc, "\n\n") {
		if text := oneDoc(part); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// oneDoc is a doc text on one line.
func oneDoc(doc string) string {
	lines := strings.Split(doc, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(plainText(strings.ReplaceAll(line, "\t", " ")))
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}
