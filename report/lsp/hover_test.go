package lsp

import (
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Text of a schema is no Markdown: it ends no block, links to nothing, and is no HTML.
func TestHoverIsNoMarkdownOfTheSchema(t *testing.T) {
	text, offset := at(t, "protocol x\norder lsb\npacket {\n"+
		"    // <script>x</script> [y](command:z) ![i](http://h) `c` *b* | t \x1b[31m\n"+
		"    ‹a bytes(4) == \"```\" @unit(\"<b>\\\\\") // ````\n}\n")
	s, d := local("/x/a.pks", text, nil)
	got, err := s.hover(d, nil, offset)
	if err != nil {
		t.Fatal(err)
	}
	code, rest, ok := strings.Cut(strings.TrimPrefix(got.(hover).Contents.Value, "`````pks\n"), "\n`````\n")
	if !ok || strings.Contains(code, "`````") || !strings.HasPrefix(code, "a bytes(4)") {
		t.Errorf("the block ends early: %q", got.(hover).Contents.Value)
	}
	const want = `\<script\>x\</script\> \[y\]\(command:z\) \!\[i\]\(http://h\) \` + "`c\\`" + ` \*b\* \| t \\x1b\[31m ` + "\\`\\`\\`\\`"
	if doc := strings.Split(rest, "\n\n"); len(doc) < 2 || doc[1] != want {
		t.Errorf("got %q, want %q", doc, want)
	}
}

// Every word that completes as a declaration, a type, an order, an item or an annotation has a text about it from the
// language page.
func TestEveryWordIsExplained(t *testing.T) {
	for _, word := range syntax.ItemWords {
		if text := wordRule(word); !strings.HasPrefix(text, "`") {
			t.Errorf("%s: %q", word, text)
		}
	}
	for _, word := range slices.Concat(syntax.TypeWords(), syntax.OrderWords, syntax.DeclWords) {
		if text := wordRule(word); text == "" || strings.ContainsAny(text, "\n") {
			t.Errorf("%s: %q", word, text)
		}
	}
	for _, word := range schema.AnnotationWords() {
		switch word {
		case "fragment", "message": // have a part of the page
			continue
		}
		if text := wordRule("@" + word); !strings.HasPrefix(text, "`@"+word) {
			t.Errorf("@%s: %q", word, text)
		}
	}
	for word, want := range map[string]string{"uint16": "fixed width", "int": "bits_required", "crc16_modbus": "a checksum of 16 bits", "order": "fill bytes", "max": "max datagram 1200", "open": "unlisted-value", "align": "nonzero-padding", "check": "end of packet", "else": "if e {", "switch": "unknown-case", "msb": "big-endian", "@ipv4": "32 bits", "@secret": "masked"} {
		if text := wordRule(word); !strings.Contains(text, want) {
			t.Errorf("%s: %q", word, text)
		}
	}
}

// A word is explained where it begins something, not where it is a word of something else.
func TestHoverKnowsThePlace(t *testing.T) {
	for text, want := range map[string]string{
		"protocol x\n‹order lsb\npacket { a uint8 }\n":                         "fill bytes",
		"protocol x\norder lsb\npacket { a uint8\n ‹align }\n":                 "nonzero-padding",
		"protocol x\norder lsb\npacket { ‹check 0x12345678 }\n":                "check-mismatch",
		"protocol x\norder lsb\npacket { a crc32(‹check 0xCBF43926) }\n":       "",
		"protocol x\norder lsb\npacket { a uint8\n if a > 1 { } ‹else { } }\n": "if e {",
	} {
		text, offset := at(t, text)
		s, d := local("/x/a.pks", text, nil)
		got, err := s.hover(d, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		h, _ := got.(hover)
		if !strings.Contains(h.Contents.Value, want) || want == "" && got != nil {
			t.Errorf("%s: got %q, want %q", text, h.Contents.Value, want)
		}
	}
}
