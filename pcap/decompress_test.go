package pcap

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func packed(t *testing.T, kind, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if kind == "zstd" {
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is packed comes out as it was, and at every truncation as an error or, at its very start, as it is.
func TestDecompress(t *testing.T) {
	text := strings.Repeat("what was saved\n", 20)
	for _, kind := range []string{"gzip", "zstd"} {
		whole := packed(t, kind, text)
		for n := range whole {
			d := Decompress(bytes.NewReader(whole[:n]))
			got, err := io.ReadAll(d)
			if n >= 4 && err == nil || n < 4 && string(got) != string(whole[:n]) || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%s cut at %d: %q, %v", kind, n, got, err)
			}
			d.Close()
		}
		d := Decompress(bytes.NewReader(whole))
		if got, err := io.ReadAll(d); err != nil || string(got) != text {
			t.Errorf("%s: %v, %q", kind, err, got)
		}
		d.Close()
		if _, err := d.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: it reads on after Close", kind)
		}
	}
	for _, plain := range []string{"", "{", text} {
		if got, err := io.ReadAll(Decompress(strings.NewReader(plain))); err != nil || string(got) != plain {
			t.Errorf("%q: %v, %q", plain, err, got)
		}
	}
}
