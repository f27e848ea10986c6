package page

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

const sharedHost = `protocol t
order msb
port 4000
packet {
    n uint8
    list [n]uint8 in 0..9
    check "end"
}
`

// sharing is two clients and a server on one address. The second client sends what is refused, at several places; the
// server sends one such packet too.
func sharing(t testing.TB) *maker {
	m := newMaker(compile(t, sharedHost), 0)
	good := []byte{1, 2}
	good = append(good, checkOf(t)...)
	const server, client, bad = "127.0.0.1:4000", "127.0.0.1:5001", "127.0.0.1:5002"
	n := int64(0)
	send := func(src, dst string, payload []byte) {
		n++
		m.send(n, src, dst, payload)
	}
	for range 20 {
		send(client, server, good)
		send(server, client, good)
		send(bad, server, good)
		send(server, bad, good)
		send(bad, server, []byte{2, 3, 77})
		send(bad, server, []byte{1, 2, 0, 0, 0, 0})
		send(bad, server, append(bytes.Clone(good), 0))
	}
	send(server, bad, []byte{9})
	return m
}

// checkOf is the four bytes of the check "end", as the decoder wants them.
func checkOf(t testing.TB) []byte {
	t.Helper()
	m := newMaker(compile(t, sharedHost), 0)
	m.send(1, "127.0.0.1:1", "127.0.0.1:4000", []byte{0, 0, 0, 0, 0})
	r := m.trace.Reject()
	if r == nil || r.Width != 32 {
		t.Fatalf("no check was refused: %v", r)
	}
	var want uint32
	for _, c := range strings.TrimPrefix(r.Want(), "0x") {
		want = want<<4 | uint32(strings.IndexRune("0123456789abcdef", c))
	}
	return []byte{byte(want >> 24), byte(want >> 16), byte(want >> 8), byte(want)}
}

// savedAgain is a report of what a report's results are when they were saved and read again.
func savedAgain(t testing.TB, r *Report) *Report {
	t.Helper()
	file, err := r.Results.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := results.Read(bytes.NewReader(file), "all.json", results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	set.Merge()
	return &Report{Tool: r.Tool, Sources: r.Sources, Results: set}
}

// The page of captures and that of their saved results say the same of everything but the list of packets, which only
// captures have.
func TestSavedResultsAreTheSamePage(t *testing.T) {
	for name, m := range map[string]*maker{"one address": sharing(t), "rtype": captured(t, "rtype", 0), "gaffer": captured(t, "gaffer", 0), "packets": captured(t, "packets", 0)} {
		of := m.report(t)
		live, kept := newView(of), newView(savedAgain(t, of))
		for i := range live.Protocols {
			if len(live.Protocols[i].Rejects.Reasons) == 0 || live.Protocols[i].Summary.Attacker.Places == "" {
				t.Errorf("%s: no reason, no place", name)
			}
			live.Protocols[i].Summary.Attacker.Filter = ""
			for j := range live.Protocols[i].Rejects.Reasons {
				one := &live.Protocols[i].Rejects.Reasons[j]
				one.N, one.File, one.Protocol = 0, "", ""
			}
		}
		if !reflect.DeepEqual(live.Protocols, kept.Protocols) {
			for i := range live.Protocols {
				a, b := reflect.ValueOf(live.Protocols[i]), reflect.ValueOf(kept.Protocols[i])
				for f := range a.NumField() {
					if x, y := a.Field(f), b.Field(f); !reflect.DeepEqual(x.Interface(), y.Interface()) {
						t.Errorf("%s: %s\nof captures\n%+v\nof what was saved\n%+v", name, a.Type().Field(f).Name, reflect.Indirect(x), reflect.Indirect(y))
					}
				}
			}
		}
	}
}

// The page of pieces that were counted apart, saved and merged in any order draws the same over time as that of the
// capture.
func TestMergedPiecesAreTheSameTime(t *testing.T) {
	need.OneGoroutine(t)
	const pieces = 5
	for _, name := range []string{"rtype", "gaffer", "packets"} {
		want := newView(captured(t, name, 0).report(t)).Protocols[0].Time
		if want == nil || len(want.Plots) < 4 || len(want.Lanes) == 0 || len(want.Notes) > 0 {
			t.Fatalf("%s: %+v", name, want)
		}
		list := capture(t, name)
		set := &results.Set{}
		for _, i := range []uint64{3, 0, 4, 2, 1} {
			m := newMaker(builtin(t, name), 0)
			for _, d := range list[int(i)*len(list)/pieces : int(i+1)*len(list)/pieces] {
				m.add(&d, name+".pcap")
			}
			one := &results.Set{}
			of := saved.Piece{Stream: 1, Plan: 1, From: i, To: i + 1, Of: pieces}
			if err := one.AddStatistics(stats.NewSegments(of, m.stats)); err != nil {
				t.Fatal(err)
			}
			file, err := one.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			read, err := results.Read(bytes.NewReader(file), "part.json", results.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := set.AddStatistics(read.Statistics[0]); err != nil {
				t.Fatal(err)
			}
		}
		set.Merge()
		if got := newView(&Report{Results: set}).Protocols[0].Time; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\nof pieces\n%+v\nof the capture\n%+v", name, got, want)
		}
	}
}

// Statistics without times say so, and do not pass for a connection without losses.
func TestSavedWithoutTimes(t *testing.T) {
	file, err := os.ReadFile("../stats/testdata/part-5.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := results.Read(bytes.NewReader(file), "old.json", results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	set.Merge()
	v := newView(&Report{Results: set}).Protocols[0].Time
	if len(v.Plots) != 3 || len(v.Notes) != 1 || !strings.HasPrefix(v.Notes[0], "Losses, RTT, jitter and peers over time are unknown") {
		t.Errorf("%d plots, %q", len(v.Plots), v.Notes)
	}
	r := captured(t, "rtype", 0).report(t)
	r.Against, r.AgainstName = set, "old.json"
	if v := newView(r).Protocols[0].Time; len(v.Notes) != 1 || !strings.HasPrefix(v.Notes[0], "old.json has no lines here") {
		t.Errorf("%q", v.Notes)
	}
}

// A sender is an endpoint: who shares an address with an attacker is not accused, nor is the server.
func TestSenderIsAnEndpoint(t *testing.T) {
	r := sharing(t).report(t)
	for _, of := range []*Report{r, savedAgain(t, r)} {
		v := newView(of).Protocols[0]
		s := v.Rejects.Senders
		if len(s) != 2 || s[0].Sender != "127.0.0.1:5002" || s[0].Rejected != "60" || s[0].Sent != "80" || s[1].Sender != "127.0.0.1:4000" || s[1].Rejected != "1" {
			t.Fatalf("senders %+v", s)
		}
		if s[0].Kinds != "20 × check-mismatch, 20 × out-of-range, 20 × trailing-bytes" || s[1].Kinds != "1 × past-end" {
			t.Errorf("why: %q and %q", s[0].Kinds, s[1].Kinds)
		}
		a := v.Summary.Attacker
		if a.Sender != "127.0.0.1:5002" || a.Places != "packet (40), list[*] (20)" || v.Summary.Verdict != "61 of 141 packets (43.3 %) were refused, from 2 senders." {
			t.Errorf("accused: %+v; %s", a, v.Summary.Verdict)
		}
		for _, one := range v.Rejects.Reasons {
			if one.Place != "packet" && one.Place != "list[*]" && one.Place != "list" {
				t.Errorf("a place has the name %q", one.Place)
			}
		}
	}
}
