package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// verdictLine is what the session's test reads of a line of -T json.
type verdictLine struct {
	N       int             `json:"n"`
	Case    string          `json:"case"`
	Verdict string          `json:"verdict"`
	Reject  *refusal        `json:"reject"`
	Notes   []refusal       `json:"notes"`
	Fields  json.RawMessage `json:"fields"`
}

type refusal struct {
	N    int    `json:"n"`
	Kind string `json:"kind"`
	Path string `json:"path"`
	Bit  int    `json:"bit"`
}

// What `decode -T json` says about a session of R-Type is what was expected of it: every count, every refused packet
// with its kind, path and bit, and every note.
func TestSession(t *testing.T) {
	var want struct {
		Packets, Accepted, Rejected int
		Cases                       map[string]int
		Rejects                     []refusal
		Notes                       []refusal
	}
	text, err := os.ReadFile("testdata/rtype-session.expect.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command("pktscope", "decode", "-T", "json", "testdata/rtype-session.pcap")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	packets, accepted := 0, 0
	cases := map[string]int{}
	var rejects, notes []refusal
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var line verdictLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		packets++
		if line.Fields == nil {
			t.Errorf("packet %d: no fields", line.N)
		}
		switch line.Verdict {
		case "accept":
			accepted++
			cases[line.Case]++
			if line.Reject != nil {
				t.Errorf("packet %d is accepted with a reject", line.N)
			}
		case "reject":
			r := *line.Reject
			r.N = line.N
			rejects = append(rejects, r)
		default:
			t.Errorf("packet %d: verdict %q", line.N, line.Verdict)
		}
		for _, n := range line.Notes {
			notes = append(notes, refusal{N: line.N, Kind: n.Kind})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if packets != want.Packets || accepted != want.Accepted || len(rejects) != want.Rejected {
		t.Errorf("%d packets, %d accepted, %d rejected; want %d, %d, %d", packets, accepted, len(rejects), want.Packets, want.Accepted, want.Rejected)
	}
	same(t, "cases", cases, want.Cases)
	same(t, "rejects", rejects, want.Rejects)
	same(t, "notes", notes, want.Notes)
}

// same compares two things as JSON, whose maps are sorted.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	a, errA := json.MarshalIndent(got, "", " ")
	b, errB := json.MarshalIndent(want, "", " ")
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, a, b)
	}
}
