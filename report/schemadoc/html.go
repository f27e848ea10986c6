package schemadoc

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var pageStyle string

// htmlView is a page with what only HTML needs. The style is the only thing that its policy allows, by its hash: an
// attribute or an element that a schema's author might smuggle in would load and run nothing.
type htmlView struct {
	*page
	Style  template.CSS
	Policy string
	refs   map[string]string
}

// parsedTemplate is the template, parsed for the first page: no other command waits for it.
var parsedTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageTemplate)) })

func writeHTML(w io.Writer, d *page) error {
	style := strings.TrimSpace(pageStyle)
	sum := sha256.Sum256([]byte(style))
	v := htmlView{page: d, Style: template.CSS(style), refs: map[string]string{}}
	v.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	for _, list := range [][]*structPart{d.Packet, d.Messages, d.Structs} {
		for _, s := range list {
			v.refs[s.Name] = anchor(s.Name)
		}
	}
	for i := range d.Enums {
		v.refs[d.Enums[i].Name] = anchor(d.Enums[i].Name)
	}
	return parsedTemplate().Execute(w, &v)
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
			fmt.Fprintf(&b, "-%02x", c)
		}
	}
	return b.String()
}

// Anchor is the id of the part about a type, "" where there is none.
func (h *htmlView) Anchor(name string) string { return h.refs[name] }

// structView is a struct for its template.
type structView struct {
	*htmlView
	Struct *structPart
}

// With is the view of a struct.
func (h *htmlView) With(s *structPart) structView { return structView{h, s} }

// tableView is a table for its template.
type tableView struct {
	*htmlView
	*textTable
	Caption []string // a name and what it depends on, or none
}

// Table is the view of a table.
func (h *htmlView) Table(t *textTable, caption ...string) tableView { return tableView{h, t, caption} }

// Tone tells neighbours apart; the borders do as well.
func (g *gridCell) Tone() int { return g.Field % 2 }

// Bytes are the heads of a row's four bytes, in the order they are drawn.
func (bg *bitGrid) Bytes() []string {
	if bg.LSB {
		return []string{"31–24", "23–16", "15–8", "7–0"}
	}
	return []string{"0–7", "8–15", "16–23", "24–31"}
}

// Drawn are a row's cells from left to right.
func (bg *bitGrid) Drawn(r gridRow) []*gridCell {
	list := append([]*gridCell(nil), r.Cells...)
	if bg.LSB {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list
}
