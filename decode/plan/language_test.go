package plan

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
)

// Every protocol on the language's page has a plan, without a warning.
func TestExamplesOfTheLanguage(t *testing.T) {
	protocols := 0
	for i, block := range strings.Split(schema.Language, "```") {
		src := strings.TrimPrefix(block, "\n")
		if i%2 == 0 || !strings.Contains(src, "\npacket {") {
			continue
		}
		protocols++
		s, diags := schema.Load("language.pks", []byte(src), nil)
		if s == nil || len(diags) > 0 {
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
