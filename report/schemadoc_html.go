package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed schemadoc.html
var docTemplate string

//go:embed schemadoc.css
var docStyle string

// docView is a page with what only HTML needs. The style is the only thing that its policy allows, by its hash: an
// attribute or an element that a schema's author might smuggle in would load and run nothing.
type docView struct {
	*docPage
	Style  template.CSS
	Policy string
	refs   map[string]string
}

// docHTML is the template, parsed for the first page: no other command waits for it.
var docHTML = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(docTemplate)) })

func writeDocHTML(w io.Writer, d *docPage) error {
	style := strings.TrimSpace(docStyle)
	sum := sha256.Sum256([]byte(style))
	v := docView{docPage: d, Style: template.CSS(style), refs: map[string]string{}}
	v.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	for _, list := range [][]*docStruct{d.Packet, d.Structs} {
		for _, s := range list {
			v.refs[s.Name] = anchor(s.Name)
		}
	}
	for i := range d.Enums {
		v.refs[d.Enums[i].Name] = anchor(d.Enums[i].Name)
	}
	return docHTML().Execute(w, &v)
}

// anchor makes an id of a name; what is no letter or digit becomes a dash or, where that could make two the same, its
// code.
func anchor(name string) string {
	var b strings.Builder
	b.WriteString("type-")
	for i := range len(name) {
		switch c := name[i]; {
		case c == '.':
			b.WriteByte('-')
		case isPlainASCII(c) && c != ' ' && c != ',' || c == '_':
			b.WriteByte(c)
		default:
			b.WriteString("-" + string(hexDigits[c>>4]) + string(hexDigits[c&15]))
		}
	}
	return b.String()
}

// Anchor is the id of the part about a type, "" where there is none.
func (v *docView) Anchor(name string) string { return v.refs[name] }

// structView is a struct for its template.
type structView struct {
	*docView
	Struct *docStruct
}

// With is the view of a struct.
func (v *docView) With(s *docStruct) structView { return structView{v, s} }

// tableView is a table for its template.
type tableView struct {
	*docView
	*docTable
	Caption []string // a name and what it depends on, or none
}

// Table is the view of a table.
func (v *docView) Table(t *docTable, caption ...string) tableView { return tableView{v, t, caption} }

// Tone tells neighbours apart; the borders do as well.
func (c *gridCell) Tone() int { return c.Field % 2 }

// Bytes are the heads of a row's four bytes, in the order they are drawn.
func (g *docGrid) Bytes() []string {
	if g.LSB {
		return []string{"31–24", "23–16", "15–8", "7–0"}
	}
	return []string{"0–7", "8–15", "16–23", "24–31"}
}

// Drawn are a row's cells from left to right.
func (g *docGrid) Drawn(r gridRow) []*gridCell {
	list := append([]*gridCell(nil), r.Cells...)
	if g.LSB {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list
}
