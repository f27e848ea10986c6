package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report/results"
)

// diffLines is what diff -T json writes of two captures.
const diffLines = `{"schema_version":1,"kind":"differs","a":{"name":"client.pcap:3","n":3,"src":"10.0.0.2:5000","dst":"10.0.0.1:4124","protocol":"rtype","case":"PlayerInput","bits":128,"verdict":"accept"},"b":{"name":"server.pcap:2","n":2,"src":"10.0.0.2:5000","dst":"10.0.0.1:4124","protocol":"rtype","case":"PlayerInput","bits":128,"verdict":"accept"},"first":{"bit":107,"in":"field","path":"body.keys"},"differences":[{"path":"body.keys","a":{"bit":96,"width":16,"code":"4","value":["Left"]},"b":{"bit":96,"width":16,"code":"20","value":["Left","Shoot"]}}]}
{"schema_version":1,"kind":"differs","a":{"name":"client.pcap:1","n":1,"case":"JoinGame","bits":408,"verdict":"accept"},"b":{"name":"server.pcap:5","n":5,"case":"JoinGame","bits":408,"verdict":"reject"},"first":{"bit":96,"in":"field","path":"body.token","secret":true},"differences":[{"path":"body.token","a":{"bit":96,"width":256,"value":"‹secret 32 B›"}}],"unread_b":7}
{"schema_version":1,"kind":"only","in":"a","packet":{"schema_version":1,"n":4,"file":"client.pcap","src":"10.0.0.2:5000","dst":"10.0.0.1:4124","case":"PlayerInput","bits":128,"verdict":"accept"}}
{"schema_version":1,"kind":"only_message","in":"client.pcap","n":9,"src":"10.0.0.2:5000","dst":"10.0.0.1:4124","section":"Game","bits":64,"again":true}
{"schema_version":1,"kind":"paired","a":{"src":"10.0.0.2:1","dst":"10.0.0.1:2"},"b":{"src":"10.0.0.3:1","dst":"10.0.0.1:2"},"payloads":5}
{"schema_version":1,"kind":"summary","same":2,"differ":4,"not_compared":0,"only_a":1,"only_b":1,"reordered":1,"paired_flows":0,"unpaired_a":0,"unpaired_b":0}
`

// differences takes lines byte by byte.
func differences(t testing.TB, lines string) *Differences {
	t.Helper()
	d := &Differences{Names: [2]string{"client.pcap", "server.pcap"}}
	for i := range len(lines) {
		if _, err := d.Write([]byte(lines[i : i+1])); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func budgetAlone(t testing.TB) *results.Set {
	t.Helper()
	set := &results.Set{}
	if err := set.AddBudgets(planned(t).budget); err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDifferences(t *testing.T) {
	page := write(t, &Report{Title: "pktscope diff", Differences: differences(t, diffLines)})
	held(t, page)
	text := textOf(string(page))
	for _, want := range []string{
		"Of 8 packets, 6 differ or are missing.", "client.pcap:3 PlayerInput and server.pcap:2 PlayerInput", "They part at bit 107, in field body.keys.",
		`["Left"] at 96+16`, `["Left","Shoot"] at 96+16`, "‹secret 32 B› at 96+256", "server.pcap:5 JoinGame (reject)", "7 fields where reading the other had ended",
		"packet 4", "Game of packet 9, which the other has less often", "in another order",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "There are no packets") || strings.Contains(text, "There is nothing") {
		t.Error("the page says that something is missing")
	}
	if same := newDiff(differences(t, `{"kind":"equal","a":{},"b":{}}`+"\n")); same.Tone != "good" || same.Verdict != "Nothing differs." {
		t.Errorf("%+v", same)
	}
	if same := newDiff(differences(t, `{"kind":"summary","same":2}`+"\n")); same.Tone != "good" {
		t.Errorf("%+v", same)
	}
	if _, err := new(Differences).Write([]byte("{}\n")); err == nil {
		t.Error("what is no diff is taken")
	}
	if _, err := new(Differences).Write([]byte("no JSON\n")); err == nil {
		t.Error("what is no JSON is taken")
	}
}

// What a stranger has in a packet is text, and however much differs, the page is bounded.
func TestDifferencesAreBounded(t *testing.T) {
	need.OneGoroutine(t)
	quoted := fmt.Sprintf("%q", "<script>alert(1)</script>")
	long := strings.Repeat(`{"path":"x","a":{"bit":1,"width":2,"value":`+quoted+`}},`, 2000)
	pair := `{"kind":"differs","a":{"name":` + quoted + `},"b":{"name":"b"},"differences":[` + strings.TrimSuffix(long, ",") + `]}` + "\n"
	d := &Differences{Names: [2]string{evil, evil}}
	for range 150 {
		if _, err := d.Write([]byte(pair)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Write([]byte(`{"kind":"only","in":"` + strings.Repeat("x", 3<<20) + `"}` + "\n" + `{"kind":"only","in":"a"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	page := write(t, &Report{Differences: d})
	held(t, page)
	if len(page) > 8<<20 || d.kept > maxDiffBytes || d.left+len(d.pairs)+len(d.only) != 152 || cap(d.line) > 4*maxDiffLine {
		t.Errorf("%d bytes of page, %d kept, %d left out, %d pairs, %d only", len(page), d.kept, d.left, len(d.pairs), len(d.only))
	}
	if !strings.Contains(string(page), "more differences") {
		t.Error("the page does not say what is missing")
	}
}

// What one command writes becomes its page: a diff in any pieces, others when they are whole; what is no result is none.
func TestResult(t *testing.T) {
	var diff, audit, nothing strings.Builder
	d := NewResult(&diff, "pktscope diff", "test", "client.pcap", "server.pcap")
	for _, part := range strings.SplitAfter(diffLines, ",") {
		if _, err := d.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil || !strings.Contains(diff.String(), "Of 8 packets, 6 differ") {
		t.Error(err)
	}
	held(t, []byte(diff.String()))
	a := NewResult(&audit, "pktscope audit and fuzz", "test")
	fmt.Fprintln(a, `{"schema_version":1,"kind":"audit","protocol":"p","target":"t","findings":[{"kind":"crash","rule":"count","reject":"past-end","from":"client","count":2}]}`)
	if err := a.Close(); err != nil || !strings.Contains(audit.String(), "Audits and fuzzing found 1 mistake.") || strings.Contains(audit.String(), `id="packets"`) {
		t.Error(err)
	}
	n := NewResult(&nothing, "pktscope budget", "test")
	fmt.Fprintln(n, "no JSON")
	if err := n.Close(); err == nil || nothing.Len() > 0 {
		t.Errorf("%v: %d bytes of a page of nothing", err, nothing.Len())
	}
}
