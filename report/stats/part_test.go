package stats

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/saved"
)

// smallPart is a part with something of everything, as short as may be.
func smallPart(t testing.TB) *Stats {
	t.Helper()
	c := builtin(t, "rtype")
	c.stats.KeepTime()
	client, server := addr("10.0.0.2:5000"), addr("[fd00::1]:4124")
	now := int64(1e18)
	send := func(toServer bool, payload string) {
		now += 3e8
		p := decode.Envelope{N: now / 1e8 % 100, Time: now, Src: client, Dst: server}
		if !toServer {
			p.Src, p.Dst = server, client
		}
		c.add(p, []byte(payload))
	}
	input := func(seq byte) string {
		return "\x00\x61\x00" + string(rune(seq)) + "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00" + string(rune(seq))
	}
	snapshot := func(seq, ack byte) string {
		return "\x00\x40\x00" + string(rune(seq)) + "\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x01\x00\x01\x05\x01\x00" + string(rune(ack)) + "\x01\x00\x00\x00"
	}
	for i := range byte(9) {
		send(true, input(i))
		send(false, snapshot(i, i))
	}
	send(true, "\x00\x99")
	send(true, input(20))
	now += 5e9
	send(true, input(10))
	return c.stats
}

func body(t testing.TB, s *Stats) []byte {
	t.Helper()
	c := coder{writing: true, version: partVersion}
	NewSegments(saved.Whole(7), s).code(&c)
	return c.b
}

// sealed is a line with a part of this body, its checksum right.
func sealed(body []byte) string {
	part := append([]byte{partVersion}, body...)
	sum := crc32.ChecksumIEEE(part)
	part = append(part, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
	return `{"schema_version":1,"kind":"stats","part":"` + base64.StdEncoding.EncodeToString(part) + `"}`
}

func TestReadRefuses(t *testing.T) {
	good := body(t, smallPart(t))
	line := sealed(good)
	damaged := strings.Replace(line, `"part":"Bw`, `"part":"Bx`, 1)
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "no saved statistics: the file is empty"},
		{"no JSON", "hello\n", "line 1: no saved statistics: want what `pktscope stats -T json` wrote"},
		{"other JSON", `{"n":1}`, "line 1: no saved statistics: want what `pktscope stats -T json` wrote"},
		{"a list", `[]`, "line 1: no saved statistics: want what `pktscope stats -T json` wrote"},
		{"another version", `{"schema_version":2,"kind":"stats"}`, "line 1: saved statistics of version 2: want 1"},
		{"no part", `{"schema_version":1,"kind":"stats"}`, "line 1: the saved statistics have no part to merge"},
		{"a part that is a number", `{"schema_version":1,"kind":"stats","part":7}`, "line 1: no saved statistics: want what `pktscope stats -T json` wrote"},
		{"a part that is no base64", `{"schema_version":1,"kind":"stats","part":"%%%"}`, "line 1: the saved part is no base64"},
		{"a short part", `{"schema_version":1,"kind":"stats","part":"AQ=="}`, "line 1: the saved part ends too early"},
		{"a part of another version", `{"schema_version":1,"kind":"stats","part":"CAAAAAAA"}`, "line 1: the saved part has version 8: want 1 to 7"},
		{"a damaged part", damaged, "line 1: the saved part is damaged: its checksum does not fit"},
		{"a part with something after it", sealed(append(bytes.Clone(good), 0)), "line 1: the saved part has bytes after its end"},
		{"a number too large", sealed(append([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, good...)), "line 1: a number of the saved part is too large: want 4096 at most, got 4294967295"},
		{"a name with an escape", sealed(renamed(t, good, "rt\x1bpe")), "line 1: a name of the saved part cannot be shown"},
		{"a name that is not UTF-8", sealed(renamed(t, good, "rt\xffpe")), "line 1: a name of the saved part cannot be shown"},
		{"a protocol twice", line + "\n" + line, `line 2: the protocol "rtype" comes twice`},
		{"too large a part", `{"schema_version":1,"kind":"stats","part":"` + strings.Repeat("A", maxPart/3*4+8) + `"}`, "line 1: the saved part is too large: want 33554432 bytes at most"},
		{"too long a line", strings.Repeat(" ", saved.MaxObject+1), "line 1: want 67108864 bytes at most"},
	} {
		if testing.Short() && len(row.text) > maxPart {
			continue // 100 MB of text; TestScripts/report_saved has lines that are too long
		}
		list, err := Read(strings.NewReader(row.text))
		if err == nil || err.Error() != row.want || list != nil {
			t.Errorf("%s: want %s, got %v", row.name, row.want, err)
		}
	}
}

// renamed is the body of a part with another name of the protocol.
func renamed(t *testing.T, body []byte, name string) []byte {
	t.Helper()
	out := bytes.Replace(body, []byte("\x05rtype"), append([]byte{byte(len(name))}, name...), 1)
	if bytes.Equal(out, body) {
		t.Fatal("no name")
	}
	return out
}

// A part that contradicts itself is refused, though its checksum is right.
func TestReadRefusesContradictions(t *testing.T) {
	for _, row := range []struct {
		want  string
		forge func(s *Stats)
	}{
		{"by kind are not as many as its rejected packets", func(s *Stats) { s.odd.rejects[0] += 3 }},
		{"by kind are not as many as its rejected packets", func(s *Stats) { s.total[1].Rejected.Packets += 5 }},
		{"cases of the saved part have more", func(s *Stats) { s.cases.order[0].tally.Accepted.Packets += 1000 }},
		{"cases of the saved part have more", func(s *Stats) { s.other[0].Cut.PayloadBits++ }},
		{"peers of the saved part have more", func(s *Stats) { s.peers.rest.tally[2].Accepted.OverheadBits += 1 << 40 }},
		{"peers of the saved part have more", func(s *Stats) { s.peers.inOrder()[0].halves[0].tally.NeedsContext.Packets++ }},
		{"series of the saved part has more", func(s *Stats) { s.series.buckets[0].packets += 1000 }},
		{"series of the saved part has more", func(s *Stats) { s.series.buckets[0].payload += 1 << 40 }},
		{"moments of the saved part have more", func(s *Stats) { s.peers.timeline.buckets[0].Packets += 1000 }},
		{"moments of the saved part have more", func(s *Stats) {
			m := &s.peers.timeline.buckets[0]
			m.refused = m.Packets
		}},
		{"sum does not fit its values", func(s *Stats) { s.cadences[slices.IndexFunc(s.cadences, counted)].interval.sum = 1 }},
		{"sum does not fit its values", func(s *Stats) { s.cadences[slices.IndexFunc(s.cadences, counted)].interval.sum = 1 << 60 }},
	} {
		s := smallPart(t)
		row.forge(s)
		if _, err := Read(strings.NewReader(sealed(body(t, s)))); err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "line 1: ") {
			t.Errorf("want %q, got %v", row.want, err)
		}
	}
}

func counted(k cadence) bool { return k.interval.n > 0 }

func TestReadBoundsLines(t *testing.T) {
	var lines strings.Builder
	for i := range MaxParts + 1 {
		c := newCounter(t, fmt.Sprintf("protocol p%d\norder msb\npacket {\n n uint8\n}\n", i))
		lines.WriteString(sealed(body(t, c.stats)) + "\n")
	}
	if _, err := Read(strings.NewReader(lines.String())); err == nil || err.Error() != "line 33: want 32 lines at most, one for each protocol" {
		t.Error(err)
	}
}

// A part that is cut anywhere is refused, and no byte of it can be changed so that reading, summing up, merging or
// saving it breaks.
func TestReadEveryTruncationAndByte(t *testing.T) {
	good := body(t, smallPart(t))
	for n := range good {
		if _, err := decodeBody(partVersion, good[:n]); err == nil {
			t.Fatalf("cut at byte %d of %d it is read", n, len(good))
		}
	}
	for i := range good {
		if !need.OneIn(i, 36) {
			continue
		}
		for _, to := range []byte{0, 1, 2, 0x7f, 0x80, 0xff, good[i] ^ 1, good[i] ^ 0x40} {
			changed := bytes.Clone(good)
			changed[i] = to
			use(t, changed)
		}
	}
}

// use does with a part what can be done with one that is read.
func use(t testing.TB, body []byte) {
	s, err := decodeBody(partVersion, body)
	if err != nil {
		if strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 200 {
			t.Errorf("not a line: %q", err)
		}
		return
	}
	sum := s.Summary()
	if len(sum.Peers.Listed) > mostOfPeers || len(sum.Cases) > MaxCases+3 || len(sum.Series.Buckets) > MaxBuckets {
		t.Errorf("%d peers, %d cases, %d buckets", len(sum.Peers.Listed), len(sum.Cases), len(sum.Series.Buckets))
	}
	if _, err := json.Marshal(sum); err != nil {
		t.Error(err)
	}
	other, err := decodeBody(partVersion, body)
	if err != nil {
		t.Fatalf("read twice it differs: %v", err)
	}
	if err := s.Union(other); err == nil {
		t.Error("it was counted twice")
	}
	for i := range other.list {
		other.list[i].Stream++
	}
	if err := s.Union(other); err != nil && s.Twice(other) == nil {
		t.Errorf("it does not add up with another stream: %v", err)
	}
	s.Summary()
	c := coder{writing: true, version: partVersion}
	s.code(&c)
}

func FuzzPart(f *testing.F) {
	f.Add(body(f, smallPart(f)))
	f.Add(body(f, builtin(f, "rtype").stats))
	f.Add(body(f, newCounter(f, "protocol p\norder msb\npacket {\n n uint8 @seq\n}\nexpect timeout 1s\n").stats))
	f.Fuzz(func(t *testing.T, body []byte) {
		use(t, body)
	})
}
