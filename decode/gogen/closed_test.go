package gogen

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Support code without the lines at which secrets are hidden is never written for a protocol that has one.
func TestHidingSecretsFailsClosed(t *testing.T) {
	s, diags := schema.Load("t.pks", []byte("protocol t\norder lsb\npacket {\n n uint8 @secret\n data bytes(n)\n}\n"), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	whole := errorLine + bitLine + widthLine
	for _, text := range []string{"", bitLine + widthLine, errorLine + widthLine, errorLine + bitLine, whole + bitLine, whole} {
		func() {
			defer func() {
				if said, ok := recover().(string); (text != whole) != ok || ok && !strings.HasPrefix(said, "pktscope: internal error: gogen hides secrets at the line ") {
					t.Errorf("%q: got %q", text, said)
				}
			}()
			(&gen{p: p}).hideSecrets(text)
		}()
	}
}
