package corpus

import (
	"bytes"
	"strings"
	"testing"
)

func TestParseHex(t *testing.T) {
	for _, row := range []struct {
		text string
		want []byte
		err  string
	}{
		{"0", nil, "want pairs of digits, got an odd number of them"},
		{"0 1", nil, `want pairs of digits, got a single '0' before character 2`},
		{"0x0g", nil, `want hexadecimal digits, got 'g' at character 4`},
		{"00x1", nil, `want hexadecimal digits, got 'x' at character 3`},
		{"é0", nil, "want hexadecimal digits"},
		{strings.Repeat("00", 65508), nil, "want at most 65507 bytes, which is all that UDP carries"},
		{strings.Repeat(" ", MaxHex+1), nil, "want at most 1048576 bytes of text"},
		{"", nil, ""},
		{" \t\r\n,:", nil, ""},
		{"0aFf", []byte{0x0a, 0xff}, ""},
		{"0x0a 0XFF, 01:02", []byte{0x0a, 0xff, 1, 2}, ""},
		{strings.Repeat("00", 65507), make([]byte, 65507), ""},
	} {
		got, err := ParseHex(row.text)
		switch {
		case row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)):
			t.Errorf("%.20q: got %v, want %s", row.text, err, row.err)
		case row.err == "" && (err != nil || !bytes.Equal(got, row.want)):
			t.Errorf("%.20q: got %x, %v; want %x", row.text, got, err, row.want)
		}
	}
}
