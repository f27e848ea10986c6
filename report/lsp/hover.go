package lsp

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/schemadoc"
)

// hover says what a name is: its declaration as written, its bits, what is refused, its doc; of a word of the language
// what the language page says.
func (s *server) hover(d *document, _ *request, at int) (any, error) {
	a := s.look(d)
	if named, span := a.at(at); named != nil {
		return hover{markup{"markdown", s.about(d, named)}, d.span(int(span.Pos.Off), int(span.End.Off), s.wide)}, nil
	}
	word, from := wordAt(a.lexemes(a.own()), at)
	text := wordRule(word)
	if text == "" || a.elsewhere(word, from) {
		return nil, nil
	}
	return hover{markup{"markdown", text}, d.span(from, from+len(word), s.wide)}, nil
}

// elsewhere reports whether a word begins a declaration or an item in other places than this one: `check` in a checksum's
// parentheses, `open` of what is sealed.
func (a *analysis) elsewhere(word string, at int) bool {
	front := &sketch{}
	front.read(a.lexemes(a.own()), at)
	return front.block() != nil && slices.Contains(syntax.DeclWords, word) || front.depth > 0 && slices.Contains(syntax.ItemWords, word)
}

// mostShown bounds what is quoted of one declaration, in bytes and in declarations.
const (
	mostShown    = 300
	mostDeclared = 4
)

// about is the text about a thing.
func (s *server) about(d *document, n *schema.Named) string {
	a := d.analysis
	var code, rest []string
	for i, at := range n.Declared {
		if i == mostDeclared {
			code = append(code, fmt.Sprintf("… and %d more", len(n.Declared)-i))
			break
		}
		f := a.Diagnostics.Files.At(at.Pos.Off)
		code = append(code, declaration(f.Src, int(at.Pos.Off-f.Base)))
		if f != a.own() {
			rest = append(rest, "declared in "+escaped(f.Name))
		}
		if doc := docAt(f, at.Pos.Off); doc != "" {
			rest = append(rest, escaped(strings.Join(strings.Fields(doc), " ")))
		}
		for _, note := range a.noted(at.Pos) {
			rest = append(rest, noteText(note)...)
			if rule := wordRule(typeWord(note.Type)); rule != "" {
				rest = append(rest, rule)
			}
		}
		if width, ok := s.widths(d)[at.Pos]; ok {
			rest = append(rest, bitCount(width))
		}
		if cost := s.cost(d, at.Pos); cost != "" {
			rest = append(rest, cost)
		}
	}
	return strings.Join(append([]string{fenced(strings.Join(code, "\n")), n.Kind}, compact(rest)...), "\n\n")
}

// compact leaves out what was said already.
func compact(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// noteText is what the documentation says of a field.
func noteText(n schemadoc.Note) (list []string) {
	if n.Bits != "" {
		list = append(list, bitCount(n.Bits))
	}
	if n.Wants != "" {
		list = append(list, "wants "+escaped(n.Wants))
	}
	if n.Refused != "" {
		list = append(list, "refuses by `"+n.Refused+"`")
	}
	if n.Unit != "" {
		list = append(list, "unit: "+escaped(n.Unit))
	}
	return list
}

// docAt is the doc text of the declaration whose name begins at an offset.
func docAt(f *syntax.File, off int32) string {
	docs := map[int32]string{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.ConstDecl:
			docs[d.Name.Pos.Off] = d.Doc
		case *syntax.ParamDecl:
			docs[d.Name.Pos.Off] = d.Doc
		case *syntax.StructDecl:
			docs[d.Name.Pos.Off] = d.Doc
		case *syntax.MessageDecl:
			docs[d.Name.Pos.Off] = d.Doc
		case *syntax.EnumDecl:
			docs[d.Name.Pos.Off] = d.Doc
			for _, c := range d.Cases {
				docs[c.Name.Pos.Off] = c.Doc
			}
		}
	}
	f.Walk(func(node any) {
		switch n := node.(type) {
		case *syntax.FieldItem:
			docs[n.Name.Pos.Off] = n.Doc
		case *syntax.LetItem:
			docs[n.Name.Pos.Off] = n.Doc
		}
	})
	return docs[off]
}

// declaration is the line that declares what is at an offset, from its first character on, cut where it is long.
func declaration(src []byte, at int) string {
	from, to := at, at
	for from > 0 && src[from-1] != '\n' && src[from-1] != '\r' && at-from < mostShown {
		from--
	}
	for to < len(src) && src[to] != '\n' && src[to] != '\r' && to-at < mostShown {
		to++
	}
	for from < at && !utf8.RuneStart(src[from]) {
		from++
	}
	for to < len(src) && to > at && !utf8.RuneStart(src[to]) {
		to--
	}
	return syntax.EscapeText(strings.TrimSpace(strings.ReplaceAll(string(src[from:to]), "\t", " ")))
}

// fenced is a block of source in Markdown, which the source cannot end.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "pks\n" + code + "\n" + fence
}

// escaped is text of a schema in Markdown, in which no character is more than itself.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range syntax.EscapeText(s) {
		if strings.ContainsRune("\\`*_{}[]()<>#+-!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// wordAt is the word of the language at an offset, with its `@`, and where it begins; "" in a comment, in a text, and
// where none is.
func wordAt(all []syntax.Lexeme, at int) (word string, from int) {
	i := sort.Search(len(all), func(i int) bool { return int(all[i].End.Off) >= at })
	for ; i < len(all) && int(all[i].Pos.Off) <= at; i++ {
		if all[i].Kind != syntax.TokenWord {
			continue
		}
		if i > 0 && all[i-1].Kind == syntax.TokenAt && all[i-1].End.Off == all[i].Pos.Off {
			return "@" + all[i].Text, int(all[i-1].Pos.Off)
		}
		return all[i].Text, int(all[i].Pos.Off)
	}
	return "", 0
}

// typeWord is the first word of a type as it is written: `[4]int(0..5)` has int.
func typeWord(text string) string {
	for _, word := range words.FindAllString(text, -1) {
		if pageRows()[word] != "" {
			return word
		}
	}
	return ""
}

var words = regexp.MustCompile(`[a-z][a-z0-9_]*`)

// wordRule is what the language page says of a word: the row of a table, or of an annotation the text about it.
func wordRule(word string) string {
	if word == "" {
		return ""
	}
	return pageRows()[word]
}

// argumentWords are what the language page lists in the parentheses after a word: client and server after `@from`.
func argumentWords(word string) []string {
	for _, rule := range []string{wordRule("@" + word), wordRule(word)} {
		if _, list, ok := strings.Cut(rule, word+"("); ok {
			list, _, _ = strings.Cut(list, ")")
			if words := strings.Split(list, "|"); len(words) > 1 && !strings.ContainsAny(list, " .`,") {
				return words
			}
		}
	}
	return nil
}

// pageRows are the words that the language page explains, each with its row: declarations, types with what they are on the
// wire and what they refuse, orders, items, displays, and annotations.
var pageRows = sync.OnceValue(func() map[string]string {
	rows, begun, declared := map[string]string{}, map[string]bool{}, map[string]string{}
	for _, name := range []string{"## A protocol file", "## Bit orders", "## Types", "## Items", "## Annotations"} {
		_, part, _ := strings.Cut(schema.Language, name)
		part, _, _ = strings.Cut(part, "\n## ")
		if name == "## Items" {
			itemRows(rows, part)
			continue
		}
		if name == "## Annotations" {
			annotationRows(rows, part)
			for word := range rows {
				begun[word] = true
			}
		}
		for line := range strings.Lines(part) {
			cells := strings.Split(strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00"), " | ")
			if !strings.HasPrefix(line, "| `") || len(cells) < 2 {
				continue
			}
			for i, cell := range cells {
				cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|"))
			}
			text := strings.Join(cells[:2], ": ")
			if len(cells) > 2 && cells[2] != "" && name == "## Types" {
				text += "; rejects: " + strings.Trim(cells[2], "| ")
			}
			for _, code := range quoted.FindAllString(cells[0], -1) {
				if name == "## A protocol file" { // `max datagram`, `open enum`
					word, _, _ := strings.Cut(code[1:], " ")
					if slices.Contains(syntax.DeclWords, word) {
						declared[word] = text
					}
					continue
				}
				for i, word := range regexp.MustCompile(`@?[a-z][a-z0-9_]+`).FindAllString(code, -1) {
					if begins := i == 0 && strings.HasPrefix(code, "`"+word); rows[word] == "" || begins && !begun[word] { // `relative(e)`, not `subset(relative) …`
						rows[word], begun[word] = text, begins
					}
				}
			}
		}
	}
	maps.Copy(rows, declared) // `max` of a list is another
	for _, word := range syntax.TypeWords() {
		switch {
		case rows[word] != "":
		case strings.HasPrefix(word, "uint"), strings.HasPrefix(word, "int"):
			rows[word] = rows["uint8"]
		}
	}
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		rows[a.Name] = fmt.Sprintf("`%s`: a checksum of %s; rejects: `crc-mismatch`", a.Name, bitCount(strconv.Itoa(a.Width)))
	}
	return rows
})

// itemRows finds the points of the list of items, each of which begins with the words that it is about. What several say
// of a word is together.
func itemRows(rows map[string]string, part string) {
	list, _, _ := strings.Cut(strings.TrimLeft(part[strings.IndexByte(part, '\n'):], "\n"), "\n\n")
	for point := range strings.SplitSeq(list, "\n- ") {
		text := strings.Join(strings.Fields(strings.TrimPrefix(point, "- ")), " ")
		head, _, _ := strings.Cut(text, "`: ")
		for _, word := range compact(words.FindAllString(head, -1)) {
			if slices.Contains(syntax.ItemWords, word) && strings.HasPrefix(text, "`") || word == "switch" && rows[word] == "" {
				rows[word] = strings.TrimPrefix(rows[word]+"\n\n"+text, "\n\n")
			}
		}
	}
}

// annotationRows finds what the first paragraph says of each annotation, one after the other.
func annotationRows(rows map[string]string, part string) {
	about, _, _ := strings.Cut(strings.TrimLeft(part, "\n"), "\n\n")
	var begins [][]int
	for _, at := range annotation.FindAllStringSubmatchIndex(about, -1) {
		if word := about[at[2]:at[3]]; rows[word] == "" {
			rows[word] = word // its text is below
			begins = append(begins, at)
		}
	}
	for i, at := range begins {
		end := len(about)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		rows[about[at[2]:at[3]]] = strings.TrimRight(strings.Join(strings.Fields(about[at[0]:end]), " "), ",. ")
	}
}

var (
	quoted     = regexp.MustCompile("`[^`]*`")
	annotation = regexp.MustCompile("`(@[a-z]+)")
)
