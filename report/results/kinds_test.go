package results

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestIsSaved(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(" {}"))
	_ = w.Close()
	for text, want := range map[string]bool{
		"": false, "{": true, "\n\t {}": true, "[]": false, " \n": false, "\xd4\xc3\xb2\xa1": false, packed.String(): true, packed.String()[:12]: false,
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			in := bufio.NewReaderSize(r, 64<<10)
			if IsSaved(in) != want {
				t.Errorf("%q: want %t", text, want)
			}
			if rest, err := io.ReadAll(in); err != nil || string(rest) != text {
				t.Errorf("%q: %q is left, %v", text, rest, err)
			}
		}
	}
}
