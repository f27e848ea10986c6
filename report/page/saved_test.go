package page

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/results"
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
