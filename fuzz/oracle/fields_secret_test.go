package oracle

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// An answer that cannot be read is not quoted where it may hold a secret.
func TestAnswersOfSecretsAreNotQuoted(t *testing.T) {
	for mark, quoted := range map[string]bool{"@secret": false, "": true} {
		d, err := decode.Load("t.pks", []byte("protocol t\norder msb\npacket { key uint8 "+mark+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		var trace decode.Trace
		if err := d.Decode([]byte{7}, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		wrong := CompareFields(&trace, []byte(`{"key":Z7}`))
		if len(wrong) != 1 || strings.Contains(wrong[0].What, "'Z'") != quoted {
			t.Errorf("%q: %+v", mark, wrong)
		}
	}
}
