package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const table = `# id	class	by	shows	what
range	mistake	audit	accepted-malformed the reader does not refuse out-of-range at (x|y)	no range is checked
range	mistake	audit	rejected-valid z 	no range is checked
order	policy	fuzz	not-canonical .*	any order
dies	mistake	audit	crash the reader dies in f, file.go	it ends
seen	mistake	source	-	nobody finds it
`

func TestParseKnown(t *testing.T) {
	known, err := parseKnown(table)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range known {
		ids = append(ids, m.id)
	}
	if !slices.Equal(ids, []string{"range", "order", "dies", "seen"}) || len(known[0].shows) != 2 || len(known[3].shows) != 0 {
		t.Errorf("got %q, %d and %d ways", ids, len(known[0].shows), len(known[3].shows))
	}
}

func TestParseKnownRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"a\tmistake\taudit\tx\n", "1: want 5 columns, got 4"},
		{"\n#\na\tbug\taudit\tx\ty\n", `3: class: want one of mistake, policy, got "bug"`},
		{"a\tmistake\tme\tx\ty\n", `1: by: want one of audit, fuzz, source, got "me"`},
		{"a\tmistake\taudit\t(\ty\n", "1: shows: error parsing regexp"},
		{"a\tmistake\tsource\tx\ty\n", `1: shows: nothing finds it: want -, got "x"`},
		{"a\tmistake\taudit\tx\ty\na\tpolicy\taudit\tz\ty\n", "2: a: its class, by or what is not that of its first row"},
	} {
		if _, err := parseKnown(row.text); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%q: want %q, got %v", row.text, row.want, err)
		}
	}
}

func TestJudge(t *testing.T) {
	inRange := func(at string) finding {
		return finding{Kind: "accepted-malformed", Cause: "the reader does not refuse out-of-range at " + at, Rule: at}
	}
	crash := finding{Kind: "crash", Cause: "the reader dies in f, file.go:12"}
	other := finding{Kind: "crash", Cause: "the reader dies in f, file.go:13"}
	for _, row := range []struct {
		name        string
		audit, fuzz []finding
		missed      []string
		fresh       int
		untold      int
		each        string
		failed      bool
	}{
		{"all is found", []finding{inRange("x"), crash}, []finding{inRange("y"), other}, nil, 0, 0, "1.00", false},
		{"two findings of one mistake", []finding{inRange("x"), {Kind: "rejected-valid", Rule: "z"}, crash}, nil, nil, 0, 0, "1.50", false},
		{"audit misses one that fuzz finds", []finding{inRange("x")}, []finding{crash}, []string{"dies"}, 0, 0, "1.00", true},
		{"a new one", []finding{inRange("x"), crash, inRange("xy")}, nil, nil, 1, 0, "1.00", true},
		{"a crash elsewhere", []finding{inRange("x"), crash, {Kind: "crash", Cause: "the reader dies in g, file.go:12"}}, nil, nil, 0, 0, "1.00", false},
		{"one that nobody looked into", []finding{inRange("x"), crash}, []finding{{Kind: "rejected-valid", Rule: "a", Undone: "not-tried"}}, nil, 0, 1, "1.00", false},
		{"nothing is found", nil, nil, []string{"range", "dies"}, 0, 0, "-", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			known, err := parseKnown(table)
			if err != nil {
				t.Fatal(err)
			}
			r := &result{audit: attack{Packets: 1, Findings: row.audit}, fuzz: attack{Packets: 1, Findings: row.fuzz}}
			r.judge(known)
			var c counts
			c.add(&r.verdict)
			if v := &r.verdict; !slices.Equal(v.missed, row.missed) || len(v.new) != row.fresh || v.untold != row.untold || c.each() != row.each {
				t.Errorf("got missed %q, %d new, %d untold, %s each", v.missed, len(v.new), v.untold, c.each())
			}
			var out strings.Builder
			if failed := summarize(&out, []*result{r}); failed != row.failed {
				t.Errorf("failed: want %v, got %v:\n%s", row.failed, failed, &out)
			}
			if strings.Contains(out.String(), "dies in") {
				t.Errorf("what may end a reader is told:\n%s", &out)
			}
		})
	}
}

// An audit that was ended says what it left, without a name.
func TestEnded(t *testing.T) {
	var r result
	text := `{"packets": 1, "partial": true, "unfinished": [{"rule": "a.b"}, {"rule": "c"}], "untested": [{"rule": "d", "part": "given up"}, {"rule": "e", "kind": "past-end"}]}`
	if err := json.Unmarshal([]byte(text), &r.audit); err != nil {
		t.Fatal(err)
	}
	r.reader.name, r.fuzz.Packets = "x", 1
	var out strings.Builder
	if summarize(&out, []*result{&r}); !strings.Contains(out.String(), "x: audit ended after 0 s: 2 rules not finished, 1 given up in part\n") || strings.Contains(out.String(), "a.b") {
		t.Error(out.String())
	}
}

// Every row of every table is read, and every reader has one.
func TestTables(t *testing.T) {
	for _, r := range readers {
		known, err := readKnown("readers/" + r.name + "/known.tsv")
		if err != nil || len(known) == 0 && r.name != "enet" {
			t.Errorf("%s: %d rows, %v", r.name, len(known), err)
		}
	}
}
