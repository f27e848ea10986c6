package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/protocols"
)

// The table that `pktscope protocols --table` prints says what these tests do: a row for each shipped protocol, its
// capture, the other reader, how many values that has named, and what is compared of generated packets.
func TestGalleryTable(t *testing.T) {
	var names []string
	for _, row := range corpus.Gallery {
		names = append(names, row.Protocol)
		if row.Capture != "" {
			if _, err := os.Stat(filepath.Join("../..", row.Capture)); err != nil {
				t.Error(err)
			}
		}
		i := slices.IndexFunc(exhibits, func(g exhibit) bool { return g.name == row.Protocol })
		if i < 0 {
			if row.Values != 0 || strings.HasPrefix(row.Judge, "tshark") {
				t.Errorf("%s: nothing here is compared with %s", row.Protocol, row.Judge)
			}
			continue
		}
		g := exhibits[i]
		made := "generated: fields"
		switch {
		case g.fields == nil: // a library of its own, in a test of its own
			made = row.Beside
		case len(g.firm) > 0:
			made = "generated: fixed fields"
		case g.loose != "":
			made = "generated: well-formed"
		}
		if row.Beside != made {
			t.Errorf("%s: of generated packets is compared %q, the table says %q", row.Protocol, made, row.Beside)
		}
		if g.least == 0 {
			if row.Capture != "" || row.Values != 0 {
				t.Errorf("%s has no capture", row.Protocol)
			}
			continue
		}
		if want := filepath.ToSlash(g.file("pcap")[len("../"):]); "corpus/"+want != row.Capture {
			t.Errorf("%s: the capture is corpus/%s, the table says %s", row.Protocol, want, row.Capture)
		}
		fields, err := os.ReadFile(g.file("fields"))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(fields), "\n")
		head = strings.Replace(head, "TShark (Wireshark)", "tshark", 1)
		if values := bytes.Count(fields, []byte("\n")) - 1; values != row.Values || !strings.HasPrefix(head, "# "+row.Judge) {
			t.Errorf("%s: %d values, %q; the table says %d, %s", row.Protocol, values, head, row.Values, row.Judge)
		}
	}
	if want := protocols.ShippedNames(); !slices.Equal(names, want) {
		t.Errorf("the table has %q, want %q", names, want)
	}
}
