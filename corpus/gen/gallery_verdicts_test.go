package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
)

// verdictsFile has the packets of which a schema and tshark judge differently, counted by our kind of refusal.
const verdictsFile = "testdata/verdicts.txt"

// differing are the counts of one protocol: refused here and well-formed there, by kind; and accepted here, malformed there.
type differing struct {
	refused  map[string]int
	accepted int
}

// readVerdicts reads the file: why kinds differ, and the counts.
func readVerdicts(t *testing.T) (whys map[string]string, counts map[string]*differing) {
	t.Helper()
	text, err := os.ReadFile(verdictsFile)
	if err != nil {
		t.Fatal(err)
	}
	whys, counts = map[string]string{}, map[string]*differing{}
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimRight(line, "\n"), " | ")
		switch {
		case line == "\n" || line[0] == '#':
		case len(row) == 2:
			whys[row[0]] = row[1]
		case len(row) == 3:
			n, err := strconv.Atoi(row[2])
			if err != nil || n <= 0 {
				t.Fatalf("%q: want a count", line)
			}
			if counts[row[0]] == nil {
				counts[row[0]] = &differing{refused: map[string]int{}}
			}
			if row[1] == "accepted" {
				counts[row[0]].accepted = n
			} else {
				counts[row[0]].refused[row[1]] = n
			}
		default:
			t.Fatalf("%q: want two columns or three", line)
		}
	}
	return whys, counts
}

// Of every kind in which verdicts differ the file says why, and the gallery's table has the sums.
func TestGalleryVerdictsExplained(t *testing.T) {
	whys, counts := readVerdicts(t)
	for name, c := range counts {
		for kind := range c.refused {
			if whys[kind] == "" && whys[name+" "+kind] == "" {
				t.Errorf("%s: %s is not explained", name, kind)
			}
		}
		if c.accepted > 0 && whys[name+" accepted"] == "" {
			t.Errorf("%s: what it accepts and tshark has malformed is not explained", name)
		}
	}
	for _, row := range corpus.Gallery {
		c := counts[row.Protocol]
		if c == nil {
			c = &differing{}
		}
		sum := 0
		for _, n := range c.refused {
			sum += n
		}
		if row.Stricter != sum || row.Looser != c.accepted {
			t.Errorf("%s: the table has %d and %d, the file %d and %d", row.Protocol, row.Stricter, row.Looser, sum, c.accepted)
		}
	}
}

// Of packets that the mutator breaks, those that we refuse and tshark has well-formed are counted, and of those that the
// generator makes, those that we accept and tshark has malformed.
//
//	UPDATE_VERDICTS=1 go test -run TestGalleryVerdicts ./corpus/gen
//
// writes them; corpus.Gallery has the sums.
func TestGalleryVerdicts(t *testing.T) {
	need.Program(t, need.Tshark, "tshark")
	_, want := readVerdicts(t)
	got := map[string]*differing{}
	for _, g := range exhibits {
		if g.fields == nil {
			continue
		}
		d := loadDecoder(t, g.name)
		var file bytes.Buffer
		w := pcap.NewWriter(&file, pcap.Section{})
		var kinds []string // of each packet in the file, "" where it is accepted
		var trace decode.Trace
		send := func(data []byte, from decode.Direction) {
			kind := ""
			if d.Decode(data, from, &trace) != nil {
				kind = trace.Reject().Kind.String()
			}
			kinds = append(kinds, kind)
			n := len(kinds)
			client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 40000)
			server := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), d.Plan().Schema.Ports[0])
			if from == decode.Server {
				client, server = server, client
			}
			if err := w.WriteUDP(int64(n)*1e9, client, server, data); err != nil {
				t.Fatal(err)
			}
		}
		m := fuzz.NewMutator(d)
		made := 0
		for p, err := range fuzz.NewGenerator(d).Packets(1, 100, nil) {
			if err != nil {
				t.Fatal(err)
			}
			send(p.Data, p.From)
			if made++; made%10 != 0 {
				continue
			}
			n := 0
			for broken := range m.Mutations(bytes.Clone(p.Data), p.From) {
				if n++; n%7 == 0 && n <= 7*40 {
					send(broken.Data, p.From)
				}
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "packets.pcapng")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		c := &differing{refused: map[string]int{}}
		taken := map[int]bool{}
		for _, n := range strings.Fields(string(runTshark(t, append([]string{"-r", path, "-T", "fields", "-e", "frame.number", "-Y", cmp.Or(g.proto, g.name) + " && !_ws.malformed"}, g.args...)...))) {
			i, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			taken[i-1] = true
		}
		for i, kind := range kinds {
			if kind == "" && !taken[i] {
				c.accepted++
			} else if kind != "" && taken[i] {
				c.refused[kind]++
			}
		}
		got[g.name] = c
		if old := want[g.name]; os.Getenv("UPDATE_VERDICTS") == "" && (old == nil || old.accepted != c.accepted || !maps.Equal(old.refused, c.refused)) {
			t.Errorf("%s: want %v, got %v of %d packets", g.name, old, *c, len(kinds))
		}
	}
	if os.Getenv("UPDATE_VERDICTS") == "" {
		return
	}
	text, err := os.ReadFile(verdictsFile)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if strings.Count(line, " | ") < 2 {
			kept = append(kept, line)
		}
	}
	out := strings.TrimRight(strings.Join(kept, ""), "\n") + "\n\n"
	for _, name := range slices.Sorted(maps.Keys(got)) {
		for _, kind := range slices.Sorted(maps.Keys(got[name].refused)) {
			out += fmt.Sprintf("%s | %s | %d\n", name, kind, got[name].refused[kind])
		}
		if n := got[name].accepted; n > 0 {
			out += fmt.Sprintf("%s | accepted | %d\n", name, n)
		}
	}
	if err := os.WriteFile(verdictsFile, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
}
