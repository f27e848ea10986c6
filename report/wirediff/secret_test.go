package wirediff_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/wirediff"
)

// What an @secret field may hold is in no form of a report: not as text, not in a packet, not in the line of the schema.
func TestSecrets(t *testing.T) {
	const one = `packet {
    n     uint8 in 0..9
    token bytes(8) == "hunter2!" @secret
    pin   uint32 == 424242 @secret
    magic uint8 in 1..3
}`
	for name, changed := range map[string]string{
		"other secrets": strings.NewReplacer("hunter2!", "swordfsh", "424242", "434343").Replace(one),
		"a secret less": strings.Replace(one, "424242 @secret", "424243", 1),
		"another field": strings.Replace(one, "0..9", "0..8", 1),
		"what is after": strings.Replace(one, "in 1..3", "in 1..4", 1),
	} {
		report := wirediff.Compare(load(t, one), load(t, changed), drawn(200))
		if len(report.Cases) == 0 {
			t.Fatalf("%s: no difference", name)
		}
		for _, form := range wirediff.Forms {
			text := string(form.Append(nil, report, "old.pks", "new.pks"))
			for _, secret := range []string{"hunter2!", "swordfsh", "424242", "434343", hex.EncodeToString([]byte("hunter2!")), hex.EncodeToString([]byte("swordfsh"))} {
				if strings.Contains(strings.ToLower(text), secret) {
					t.Errorf("%s: %s has %q:\n%s", name, form.Word, secret, text)
				}
			}
		}
	}
}
