package lsp

import "github.com/pktscope/pktscope/decode/schema/syntax"

// The kinds of symbols.
const (
	symbolEnum     = 10
	symbolField    = 8
	symbolConstant = 14
	symbolCase     = 22
	symbolStruct   = 23
)

// maxSymbols bounds an outline, and maxPlaces the places or lenses of a reply.
const (
	maxSymbols = 20_000
	maxPlaces  = 50_000
)

// symbols are the outline: declarations with the fields that their bodies hold themselves, and cases.
func (s *server) symbols(d *document, _ *request, _ int) (any, error) {
	list := []symbol{}
	left := maxSymbols
	make := func(kind int, name syntax.Ident, detail string, at syntax.Span) symbol {
		if left--; left < 0 {
			return symbol{}
		}
		return symbol{Name: name.Text, Detail: detail, Kind: kind, Range: s.spanOf(d, at), SelectionRange: s.spanOf(d, name.Span)}
	}
	fields := func(body *syntax.Body) (list []symbol) {
		if body == nil {
			return nil
		}
		for _, it := range body.Items {
			if f, ok := it.(*syntax.FieldItem); ok && f.Name.Text != "" && left > 0 {
				list = append(list, make(symbolField, f.Name, "", f.Span))
			}
		}
		return list
	}
	for _, decl := range s.look(d).own().Decls {
		if left <= 0 {
			break
		}
		var one symbol
		switch decl := decl.(type) {
		case *syntax.ConstDecl:
			one = make(symbolConstant, decl.Name, "const", decl.Span)
		case *syntax.ParamDecl:
			one = make(symbolConstant, decl.Name, "param", decl.Span)
		case *syntax.EnumDecl:
			one = make(symbolEnum, decl.Name, "enum", decl.Span)
			for _, c := range decl.Cases[:min(len(decl.Cases), left)] {
				one.Children = append(one.Children, make(symbolCase, c.Name, "", c.Span))
			}
		case *syntax.StructDecl:
			one = make(symbolStruct, decl.Name, "struct", decl.Span)
			one.Children = fields(decl.Body)
		case *syntax.MessageDecl:
			one = make(symbolStruct, decl.Name, "message", decl.Span)
			one.Children = fields(decl.Body)
		case *syntax.PacketDecl:
			word := syntax.Ident{Span: decl.Span, Text: "packet"}
			word.End = word.Pos
			one = make(symbolStruct, word, "", decl.Span)
			one.Children = fields(decl.Body)
		}
		if one.Name != "" {
			list = append(list, one)
		}
	}
	return list, nil
}

// spanOf is a stretch of the document's own file as editors count it.
func (s *server) spanOf(d *document, at syntax.Span) span {
	return d.span(int(at.Pos.Off), int(at.End.Off), s.wide)
}
