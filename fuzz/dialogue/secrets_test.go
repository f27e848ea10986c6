package dialogue

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/reject"
)

// Whatever way a program prints a secret, no part of it is left; what is near it stays, and so does what is like it.
func TestStrike(t *testing.T) {
	token := []byte("\xc0\xff\xee\x11 3'\x05")
	var s Secrets
	long := []byte(strings.Repeat("0123456789abcdefghij", 4))
	file, err := keys.Read("k", strings.NewReader("long "+hex.EncodeToString(long)))
	if err != nil {
		t.Fatal(err)
	}
	s.AddKeys(file)
	s.Add(token)
	s.Add([]byte{7})          // in any text
	s.Add([]byte{0x12, 0xd7}) // 4823
	for i, shown := range []string{
		string(token), hex.EncodeToString(token), strings.ToUpper(hex.EncodeToString(token)), fmt.Sprintf("% x", token), fmt.Sprintf("%# x", token),
		fmt.Sprintf("%q", token), `b"\xc0\xff\xee\x11 3'\x05"`, `\300\377\356\021 3'\005`, "c0:ff:ee:11:20:33:27:05", "c0ffee11-20332705", "%C0%FF%EE%11%20%33%27%05",
		fmt.Sprint(token), "[-64, -1, -18, 17, 32, 51, 39, 5]", "0x53" /* not it */, fmt.Sprint(uint64(0xc0ffee1120332705)), fmt.Sprint(-int64(1<<64 - 0xc0ffee1120332705)),
		fmt.Sprint(uint64(0x0527332011eeffc0)), "0xC0FFEE1120332705", base64.StdEncoding.EncodeToString(token), base64.RawURLEncoding.EncodeToString(token),
		"4823", "12d7", "0x12d7", "d7 12", hex.EncodeToString(long), base64.StdEncoding.EncodeToString(long), string(long),
	} {
		got := s.Strike("at 7: t=" + shown + "; ok")
		if want := "at 7: t=" + reject.Masked + "; ok"; i == 13 {
			if got != "at 7: t="+shown+"; ok" {
				t.Errorf("what is no secret: %s", got)
			}
		} else if strings.ReplaceAll(strings.ReplaceAll(strings.NewReplacer("b\"", "", "[", "", "]", "", "\"", "", "0x", "").Replace(got), reject.Masked+reject.Masked, reject.Masked), "-"+reject.Masked, reject.Masked) != want {
			t.Errorf("%s: got %s", shown, got)
		}
	}
	if same := "frame 14823 at 0x7f001, 48230"; s.Strike(same) != same {
		t.Errorf("got %s", s.Strike(same))
	}
	for i := range 2 * maxSecrets {
		s.Add([]byte{1, byte(i >> 8), byte(i)})
	}
	if len(s.pieces) != maxSecrets+s.keys || s.keys != 2 || strings.Contains(s.Strike(string(long)), "abc") {
		t.Errorf("%d pieces, of them %d of keys", len(s.pieces), s.keys)
	}
}
