package target_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/target"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// What a target printed has no key and no value of a param, neither whole nor the half of one that a cut leaves.
func TestPrintedSecretsAreStruckOut(t *testing.T) {
	d, err := decode.Load("g.pks", []byte("protocol g\norder msb\nenum K : uint8 { Join = 1 }\npacket { k K, body switch k { Join: { token bytes(8) @secret } } }\n"))
	if err != nil {
		t.Fatal(err)
	}
	const token = "c0ffee1122334455"
	script := filepath.Join(t.TempDir(), "dies")
	text := fmt.Sprintf("if [ $# = 1 ]; then dd bs=1 count=13 2>/dev/null >/dev/null; printf A; dd bs=1 count=13 2>/dev/null >/dev/null; fi\nprintf 'token=%s\\n%04000d' 1 >&2; printf 'token %s\\nlast c0:ff:ee:11:22:33:44:55\\n' >&2; kill -ABRT $$\n", token, 0, token)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := keys.Read("k", strings.NewReader("game "+token))
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("g.pkd", []byte("dialogue g\nparam Token bytes(8) @secret\nsend Join { token = Token }\nstate In\nalive any\nattack Join\n"), d)
	if err != nil {
		t.Fatal(err)
	}
	values := talk.NewValues()
	if err := values.Set("Token", token); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		spec    string
		options target.Options
	}{
		{"exec:sh " + script, target.Options{Keys: file}},
		{"exec+persistent:sh " + script + " answers", target.Options{Server: target.ServerOptions{Talk: &udp.Talk{Dialogue: talk, Values: values}}}},
	} {
		r, err := target.Open(context.Background(), d, row.spec, row.options)
		if err != nil {
			t.Fatal(err)
		}
		one, err := r.NewTarget(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		reply, err := one.Send([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, decode.FromUnknown)
		shown := fmt.Sprint(reply.Report, err)
		if strings.Contains(shown, "44") || strings.Contains(shown, "c0ff") || !strings.Contains(shown, "last ‹secret›") {
			t.Errorf("%s: got %s", row.spec, shown)
		}
		_, _ = one.Close(), r.Close() // nothing is left of it
	}
}
