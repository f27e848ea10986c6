package pcap

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// From after any datagram, reading again gives what reading on gives.
func TestHere(t *testing.T) {
	need.OneGoroutine(t)
	for name, file := range partCaptures() {
		want := datagramsOf(t, readerOf(file))
		r := readerOf(file)
		r.KeepHeads()
		d := NewDatagrams(r)
		warm, heads := 0, map[*byte]bool{}
		for i := range want {
			if _, err := d.Next(); err != nil {
				t.Fatal(err)
			}
			p := d.Here()
			if p.From != r.in.off || p.Warm > p.From || p.WarmBase > p.Base {
				t.Fatalf("%s: %+v at %d", name, p, r.in.off)
			}
			if p.Warm < p.From {
				warm++
			}
			if len(p.Head) > 0 { // else from the beginning
				heads[&p.Head[0]] = true
			}
			if !need.OneIn(i, 5) {
				continue
			}
			again := NewReader(nil)
			again.ResetPart(bytes.NewReader(file[p.Warm:]), &p)
			if got := datagramsOf(t, again); !slices.Equal(got, want[i+1:]) {
				t.Fatalf("%s from after datagram %d: %d datagrams, want %d", name, i, len(got), len(want)-i-1)
			}
		}
		if warm < 20 {
			t.Errorf("%s: fragments waited at %d places: the test can not fail", name, warm)
		}
		if len(heads) > len(want)/20 {
			t.Errorf("%s: %d heads", name, len(heads))
		}
	}
}

// What expands too much ends with an error, and what came before it was given.
func TestDecompressWithin(t *testing.T) {
	whole := packed(t, "gzip", strings.Repeat("\x00", freeExpansion+(1<<20)))
	for times, wrong := range map[int64]bool{0: false, 100: true, DefaultExpansion: false} {
		d := DecompressWithin(bytes.NewReader(whole), times)
		n, err := io.Copy(io.Discard, d)
		if (err != nil) != wrong || n < freeExpansion || wrong && !strings.Contains(err.Error(), "more than 100 times") {
			t.Errorf("%d times: %d bytes, %v", times, n, err)
		}
		d.Close()
	}
	for head, want := range map[string]bool{"": false, "\x1f\x8b\x08\x00": true, "\x28\xb5\x2f\xfd": true, "\xd4\xc3\xb2\xa1": false} {
		if Compressed([]byte(head)) != want {
			t.Errorf("%q: want %t", head, want)
		}
	}
}
