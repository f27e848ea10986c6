package decode_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

func TestParseParam(t *testing.T) {
	for _, row := range []struct{ text, want, err string }{
		{"N=8", "8", ""},
		{"N=-0x10", "-16", ""},
		{"N=18446744073709551615", "18446744073709551615", ""},
		{"N", "", `"N": want Name=value, such as MaxPlayers=8`},
		{"=8", "", `"=8": want Name=value, such as MaxPlayers=8`},
		{"N=", "", `N: want a whole number, got ""`},
		{"N=many", "", `N: want a whole number, got "many"`},
		{"N=" + strings.Repeat("9", 81), "", `N: want a whole number, got "` + strings.Repeat("9", 81) + `"`},
	} {
		p, err := decode.ParseParam(row.text)
		if err != nil && err.Error() != row.err || err == nil && (row.err != "" || p.Name != "N" || p.Value.String() != row.want) {
			t.Errorf("%s: %v, %v; want %s%s", row.text, p, err, row.want, row.err)
		}
	}
}
