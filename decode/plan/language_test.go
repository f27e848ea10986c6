package plan

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pktscope/pktscope/decode/schema"
)

// Every protocol on the language's page has a plan, without a warning.
func TestExamplesOfTheLanguage(t *testing.T) {
	page := fstest.MapFS{} // each example is a file that others may import
	for i, block := range strings.Split(schema.Language, "```") {
		if name, _, ok := strings.Cut(strings.TrimPrefix(block, "\nprotocol "), "\n"); ok && i%2 == 1 {
			page[name+".pks"] = &fstest.MapFile{Data: []byte(block[1:])}
		}
	}
	protocols := 0
	for i, block := range strings.Split(schema.Language, "```") {
		src := strings.TrimPrefix(block, "\n")
		if i%2 == 0 || !strings.Contains(src, "\npacket {") {
			continue
		}
		protocols++
		s, diags := schema.LoadFS(page, "language.pks", []byte(src), nil)
		if s == nil || len(diags.List) > 0 {
			t.Errorf("%v\n%s", diags, src)
			continue
		}
		if p, diags := Compile(s); p == nil {
			t.Errorf("%v\n%s", diags, src)
		}
	}
	if protocols < 8 {
		t.Errorf("only %d protocols on the page", protocols)
	}
}
