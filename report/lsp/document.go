package lsp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// What a client may open, in documents and bytes. The text of one that is beyond is not kept: it has one diagnostic,
// which says so, until the client sends a text that is not.
const (
	maxDocuments = 1000
	maxText      = 4 << 20 // a schema has a quarter of that
	maxTexts     = 64 << 20
	maxWork      = 1 << 30 // that one message makes us copy: each of its changes is a copy of the text
)

// document is an open file.
type document struct {
	uri     string
	path    string // "" of what is no file
	version *int
	text    string
	lines   []line
	blocks  []int // UTF-16 units before each unitBlock; nil until somebody asks
	lost    bool  // the text is not kept
	imports bool  // it did when it was looked at last

	*analysis // of the text; nil until somebody asks
}

// line is where a line begins and ends, without its end.
type line struct{ start, end int }

func newDocument(uri, text string) *document {
	d := &document{uri: uri, path: pathOf(uri)}
	d.set(text)
	return d
}

// set exchanges the text.
func (d *document) set(text string) {
	if d.lost = len(text) > maxText; d.lost {
		text = ""
	}
	d.text, d.analysis, d.lines, d.blocks = text, nil, d.lines[:0], nil
	start := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\n' || c == '\r' {
			d.lines = append(d.lines, line{start, i})
			if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			start = i + 1
		}
	}
	d.lines = append(d.lines, line{start, len(text)})
}

// edit exchanges a part of the text.
func (d *document) edit(at span, text string, wide bool) {
	from, to := d.offset(at.Start, wide), d.offset(at.End, wide)
	if d.lost {
		return
	}
	if from > to {
		from, to = to, from
	}
	d.set(d.text[:from] + text + d.text[to:])
}

// pathOf is the path of a file's URI, "" of any other.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // /C:/x
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf is the URI of a path.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// name is how messages call the document, and what an import of it is.
func (d *document) name() string {
	if d.path == "" {
		return "untitled.pks"
	}
	return filepath.Base(d.path)
}

// place is an offset as editors count it: in UTF-16 units of its line, or in bytes.
func (d *document) place(offset int, wide bool) position {
	offset = max(0, min(offset, len(d.text)))
	n := sort.Search(len(d.lines), func(i int) bool { return d.lines[i].start > offset }) - 1
	at := d.lines[n]
	offset = max(at.start, min(offset, at.end))
	if !wide {
		return position{n, offset - at.start}
	}
	return position{n, d.units(offset) - d.units(at.start)}
}

// unitBlock is after how many bytes the UTF-16 units in front are kept: a line may have all of the text, and many places.
const unitBlock = 1 << 10

// units is how many UTF-16 units are before an offset.
func (d *document) units(offset int) int {
	if d.blocks == nil {
		d.blocks = make([]int, 1, len(d.text)/unitBlock+1)
		for from := 0; from+unitBlock <= len(d.text); from += unitBlock {
			d.blocks = append(d.blocks, d.blocks[len(d.blocks)-1]+countUnits(d.text[from:from+unitBlock]))
		}
	}
	block := offset / unitBlock
	return d.blocks[block] + countUnits(d.text[block*unitBlock:offset])
}

// countUnits counts characters by their first bytes.
func countUnits(text string) (n int) {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0xf0:
			n += 2
		case c < 0x80 || c >= 0xc0:
			n++
		}
	}
	return n
}

// span is a stretch of the text as editors count it.
func (d *document) span(from, to int, wide bool) span {
	return span{d.place(from, wide), d.place(to, wide)}
}

// offset is where a place is; beyond the end of a line or of the text, that end.
func (d *document) offset(p position, wide bool) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	at := d.lines[p.Line]
	if !wide {
		return min(at.start+min(max(p.Character, 0), len(d.text)), at.end)
	}
	offset := at.start
	for units := 0; offset < at.end; {
		r, size := utf8.DecodeRuneInString(d.text[offset:at.end])
		if units += utf16Width(r); units > p.Character {
			break
		}
		offset += size
	}
	return offset
}

func utf16Width(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

func (s *server) didOpen(p *request) {
	uri := p.TextDocument.URI
	if s.docs[uri] != nil {
		s.close(s.docs[uri])
	}
	if len(s.docs) >= maxDocuments {
		text := fmt.Sprintf("this file is not checked: %d others are open; close some, then open it again", maxDocuments)
		s.send(notice{"2.0", "textDocument/publishDiagnostics", published{uri, p.TextDocument.Version, []diagnostic{complaint(text)}}})
		return
	}
	d := newDocument(uri, p.TextDocument.Text)
	s.docs[uri] = d
	s.changed(d, 0, p.TextDocument.Version)
}

func (s *server) didChange(p *request) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return
	}
	before, work := len(d.text), 0
	for _, change := range p.ContentChanges {
		if work += len(d.text); work > maxWork {
			d.set("")
			d.lost = true
		}
		if change.Range == nil {
			d.set(change.Text)
		} else {
			d.edit(*change.Range, change.Text, s.wide)
		}
	}
	s.changed(d, before, p.TextDocument.Version)
}

// changed counts the text of a document, of which there were so many bytes, and forgets what was known of it.
func (s *server) changed(d *document, before int, version *int) {
	d.version = version
	if s.size += len(d.text) - before; s.size > maxTexts {
		s.size -= len(d.text)
		d.set("")
		d.lost = true
	}
	s.forget(d)
}

func (s *server) didClose(p *request) {
	if d := s.docs[p.TextDocument.URI]; d != nil {
		s.close(d)
	}
}

func (s *server) close(d *document) {
	delete(s.docs, d.uri)
	s.size -= len(d.text)
	s.forget(d) // others may import what the disk has now
	s.dirty = slices.DeleteFunc(s.dirty, func(o *document) bool { return o == d })
	s.kept = slices.DeleteFunc(s.kept, func(o *document) bool { return o == d })
	s.send(notice{"2.0", "textDocument/publishDiagnostics", published{d.uri, nil, []diagnostic{}}})
}

// forget makes what is known of a document unknown, and of those beside it that import something; nil is all.
func (s *server) forget(d *document) {
	for _, o := range s.docs {
		if o == d || d == nil || o.imports && filepath.Dir(o.path) == filepath.Dir(d.path) {
			o.analysis = nil
			if !slices.Contains(s.dirty, o) {
				s.dirty = append(s.dirty, o)
			}
		}
	}
	s.kept = slices.DeleteFunc(s.kept, func(o *document) bool { return o.analysis == nil })
	// What the user types in comes first: a reply does not wait for all that imports it.
	slices.SortFunc(s.dirty, func(a, b *document) int {
		if (a == d) != (b == d) {
			if a == d {
				return -1
			}
			return 1
		}
		return strings.Compare(a.uri, b.uri)
	})
}
