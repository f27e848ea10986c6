package results_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/annotations"
	"github.com/pktscope/pktscope/report/junit"
	"github.com/pktscope/pktscope/report/markdown"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/sarif"
)

const (
	goodAudit    = `{"schema_version":1,"kind":"audit","protocol":"t","target":"builtin","rules":[],"findings":[]`
	goodCampaign = `{"schema_version":1,"kind":"fuzz","protocol":"t","target":"builtin","rules":[],"findings":[]`
	goodFinding  = `{"schema_version":1,"protocol":"t","kind":"crash","rule":"x","from":"client","bytes":1,"packet":"aa","count":1`
	goodRejects  = `{"schema_version":1,"kind":"rejects","protocol":"t","packets":9,"rejected":3`
)

// refused are files that are no saved results, with what is said of them.
var refused = []struct{ name, text, want string }{
	{"nothing", "", "x: no saved results: the file is empty"},
	{"spaces", " \n\t\r\n", "x: no saved results: the file is empty"},
	{"text", "\n\nhello", "x: line 3: no saved results"},
	{"a list", "[]", "x: line 1: no saved results"},
	{"an empty object", "{}", "x: line 1: saved results of version 0: want 1"},
	{"another version", `{"schema_version":2,"kind":"audit"}`, "version 2: want 1"},
	{"no known kind", `{"schema_version":1,"kind":"cake"}`, "no saved results"},
	{"a packet", `{"schema_version":1,"n":1,"direction":"client","protocol":"t","bits":8,"verdict":"accept","fields":{}}`, "packets, from decode -T json"},
	{"no end", "\n" + goodAudit, "x: line 2: it is cut"},
	{"an end in a text", `{"a":"}`, "it is cut"},
	{"an escaped quote", `{"a":"\"}`, "it is cut"},
	{"no JSON", `{a}`, "x: line 1: no JSON at byte 2 of the object"},
	{"braces that cross", `{"a":[}]`, "no JSON at byte"},
	{"a number for a text", `{"schema_version":1,"kind":7}`, "a value of the wrong kind at byte"},
	{"too deep", `{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}", "more than 32 deep"},
	{"too many elements", `{"rules":[` + strings.Repeat("{},", 1<<18) + "{}]}", "more than 262144 elements"},
	{"too many values", `{"rules":[[` + strings.Repeat("0,", 1<<21) + "0]]}", "more than 2097152 values"},
	{"stats without a part", `{"schema_version":1,"kind":"stats","protocol":"t"}`, "have no part to merge"},
	{"a damaged part", `{"schema_version":1,"kind":"stats","protocol":"t","part":"AQIDBAUGBwg="}`, "its checksum does not fit"},
	{"a budget without a schema", `{"schema_version":1,"kind":"pktscope-budget","protocol":"t"}`, "schema: it does not check"},
	{"an audit of nothing", `{"schema_version":1,"kind":"audit","target":"x"}`, "protocol: want 1..16384 bytes, got 0"},
	{"an audit of no target", `{"schema_version":1,"kind":"audit","protocol":"x"}`, "target: want 1..16384 bytes, got 0"},
	{"a negative count", goodAudit + `,"packets":-1}`, "audit: a count that is none"},
	{"a count above all", goodAudit + `,"packets":9007199254740992}`, "audit: a count that is none"},
	{"more refused than hostile", goodAudit + `,"hostile":1,"refused":2}`, "more right answers than packets"},
	{"more right than tried", goodAudit + `,"rules":[{"rule":"x","kind":"valid","tried":1,"right":2}]}`, "more right answers than packets"},
	{"a rule without a name", goodAudit + `,"rules":[{"kind":"valid"}]}`, "rule: want 1..16384 bytes"},
	{"a kind that is none", goodAudit + `,"rules":[{"rule":"x","kind":"<script>"}]}`, "rule: a kind that is none"},
	{"a long kind", goodAudit + `,"rules":[{"rule":"x","kind":"` + strings.Repeat("a", 33) + `"}]}`, "rule: a kind that is none"},
	{"a class that is none", goodAudit + `,"rules":[{"rule":"x","kind":"valid","classes":["a b"]}]}`, "class: a kind that is none"},
	{"a hash that is none", goodAudit + `,"schema":{"file":"x","sha256":"00"}}`, "schema: want 64 digits of a sha256, 0..9 and a..f"},
	{"a hash in capitals", goodAudit + `,"schema":{"file":"x","sha256":"` + strings.Repeat("A", 64) + `"}}`, "schema: want 64 digits of a sha256, 0..9 and a..f"},
	{"line 0", goodAudit + `,"rules":[{"rule":"x","kind":"valid","place":{"file":"x","line":0,"column":1}}]}`, "place: a line or column"},
	{"a place in no file", goodAudit + `,"rules":[{"rule":"x","kind":"valid","place":{"file":"","line":1,"column":1}}]}`, "place: want 1..16384 bytes"},
	{"more reached than there is", goodCampaign + `,"rules":[{"rule":"x","reached":2,"of":1}]}`, "more reached than there is"},
	{"more than all covered", goodCampaign + `,"coverage":100.1}`, "a time or coverage that is none"},
	{"a negative time", goodCampaign + `,"seconds":-1}`, "a time or coverage that is none"},
	{"a bit outside", goodFinding + `,"bit":524289}`, "bits outside of every packet"},
	{"a negative width", goodFinding + `,"width":-1}`, "bits outside of every packet"},
	{"half a byte", goodFinding + `,"packet":"a"}`, "want pairs of hexadecimal digits"},
	{"no hexadecimal", goodFinding + `,"packet":"zz"}`, "want pairs of hexadecimal digits"},
	{"a sender that is none", goodFinding + `,"from":"me"}`, "want client, server or unknown"},
	{"too many packets before", goodFinding + `,"before":[` + strings.Repeat(`{"from":"client"},`, 4096) + `{"from":"client"}]}`, "want at most 4096 packets before it"},
	{"more rejected than read", `{"schema_version":1,"kind":"rejects","protocol":"t","packets":1,"rejected":2}`, "counts that are none"},
	{"rows that sum to more", goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2},{"rule":"y","kind":"past-end","packets":2}]}`, "do not fit together"},
	{"more that is more", goodRejects + `,"more":4}`, "do not fit together"},
	{"a time that is none", goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2,"first":{"time":"9999-01-01T00:00:00Z"}}]}`, "a time that is none"},
	{"a sender of more than the rule", goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2,"senders":[{"sender":"1.2.3.4:5","packets":3,"n":1}]}]}`, "a sender that is none"},
	{"a sender's packet before the first", goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2,"senders":[{"sender":"1.2.3.4:5","packets":1,"n":-1}]}]}`, "a sender that is none"},
	{"a sender that is a name", goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2,"senders":[{"sender":"me","packets":1,"n":1}]}]}`, "cannot be read"},
	{"too many senders", goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2,"senders":[` + strings.Repeat(`{},`, 4096) + `{}]}]}`, "want at most 4096 senders"},
	{"something after", goodAudit + "}\n" + goodAudit + "}\nand\n", "x: line 3: no saved results"},
	{"cut gzip", "\x1f\x8b\x08\x00\x00\x00", "x: line 1: compressed data cut"},
}

// accepted are files that are.
var accepted = []string{
	goodAudit + "}",
	goodCampaign + "}",
	goodFinding + "}",
	goodRejects + "}",
	goodRejects + `,"rules":[{"rule":"x","kind":"past-end","packets":2,"first":{"n":1},"senders":[{"sender":"1.2.3.4:5","packets":1,"n":1}]}]}`,
	strings.ReplaceAll(goodAudit, `"kind":"audit"`, `"hostile":0`) + "}",    // of an earlier version
	strings.ReplaceAll(goodCampaign, `"kind":"fuzz"`, `"coverage":0`) + "}", // of an earlier version
	"\n " + strings.ReplaceAll(goodAudit, ",", ",\n\t") + "\n}\r\n\n" + goodRejects + "}" + goodFinding + "}",
	goodAudit + `,"protocol":"{[\"\\","later":{"a":[1,"]"]}}`,
}

func TestReadRefuses(t *testing.T) {
	for _, row := range refused {
		_, err := results.Read(strings.NewReader(row.text), "x", results.Limits{})
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

func TestLimits(t *testing.T) {
	object := goodAudit + "}\n"
	for _, row := range []struct {
		limits results.Limits
		want   string
	}{
		{results.Limits{Bytes: int64(2*len(object) - 2)}, "line 2: more than 0 MiB"},
		{results.Limits{Object: len(object) - 2}, "line 1: an object of more than 0 MiB"},
		{results.Limits{Objects: 1}, "line 2: more than 1 objects in one file"},
		{results.Limits{Objects: 2, Object: len(object) - 1, Bytes: int64(2 * len(object))}, ""},
	} {
		_, err := results.Read(strings.NewReader(object+object), "x", row.limits)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%+v: want %q, got %v", row.limits, row.want, err)
		}
	}
}

// A file is what is in it: in one line or in several, packed or not, and what was read is written so that it reads the
// same.
func TestReadAccepts(t *testing.T) {
	for _, text := range accepted {
		s := read(t, []byte(text))
		once := savedAgain(t, s)
		if again := savedAgain(t, read(t, once)); !bytes.Equal(once, again) || len(once) == 0 {
			t.Errorf("%s: once\n%sand again\n%s", text, once, again)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got := savedAgain(t, read(t, packed.Bytes())); !bytes.Equal(got, once) {
			t.Errorf("%s: packed it is another", text)
		}
	}
}

// All kinds in one file, cut anywhere: an error or the objects before it, never more.
func TestEveryTruncation(t *testing.T) {
	p, list := rtype(t), session(t)[:40]
	whole := counted(t, p, list)
	file := savedAgain(t, whole)
	file = append(file, goodAudit+`,"rules":[{"rule":"x","kind":"valid","tried":2,"right":1,"classes":["a"]}]}`+"\n"+goodCampaign+"}\n"+goodFinding+"}\n"...)
	ends := []int{}
	for i, c := range file {
		if c == '\n' {
			ends = append(ends, i, i+1) // the line end itself is not needed
		}
	}
	step := max(len(file)/need.Rounds(60, 10), 1) // the large objects are searched, the small ones at the end tried at every byte
	for n, small := 0, need.Rounds(600, 100); n < len(file); n++ {
		if n < len(file)-small && n%step != 0 && !slices.Contains(ends, n) {
			continue
		}
		_, err := results.Read(bytes.NewReader(file[:n]), "x", results.Limits{})
		if whole := slices.Contains(ends, n); (err == nil) != whole {
			t.Fatalf("cut at byte %d of %d: %v", n, len(file), err)
		}
	}
}

// Numbers at the bound add up to no negative number, however many there are.
func TestSumsStayCounts(t *testing.T) {
	line := goodAudit + `,"packets":9007199254740991,"hostile":9007199254740991,"refused":9007199254740991}` + "\n"
	s := read(t, bytes.Repeat([]byte(line), 4096))
	if a := s.Audits[0]; int64(a.Packets) != 1<<53-1 || a.Runs != 4096 || a.Refused > a.Hostile {
		t.Errorf("got %d packets of %d runs", a.Packets, a.Runs)
	}
}

// What a terminal would obey is saved so that none does, and is the same text.
func TestSavedIsPrintable(t *testing.T) {
	s := read(t, []byte(goodFinding+`,"want":"\u202e\u001b[2J\u0085\u2028<script>"}`))
	text := savedAgain(t, s)
	for _, r := range string(text) {
		if r != '\n' && (r < ' ' || r > '~') {
			t.Fatalf("%q in %q", r, text)
		}
	}
	var f report.SavedFile
	if err := json.Unmarshal(text, &f); err != nil || f.Want != "\u202e\x1b[2J\u0085\u2028<script>" {
		t.Errorf("%v, %q", err, f.Want)
	}
}

// FuzzRead reads files that nobody has thought of. What is read can be merged, listed, shown in every form and saved,
// and reads the same again.
func FuzzRead(f *testing.F) {
	for _, row := range refused {
		if len(row.text) < 4096 {
			f.Add([]byte(row.text))
		}
	}
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	f.Add([]byte(goodAudit + "}\n" + goodAudit + `,"rules":[{"rule":"x","kind":"valid","tried":2,"right":1,"classes":["a"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := results.Read(bytes.NewReader(data), "x", results.Limits{Bytes: 1 << 20, Object: 1 << 16, Objects: 64})
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 300) {
			t.Fatalf("not a line: %q", err)
		}
		once, failed := s.AppendJSON(nil)
		if failed != nil {
			t.Fatal(failed)
		}
		for _, f := range s.AllFindings() {
			if f.Count < 0 || f.Rule == "" {
				t.Fatalf("a finding that is none: %+v", f)
			}
		}
		for name, err := range map[string]error{
			"sarif": sarif.Write(io.Discard, s, "", ""), "junit": junit.Write(io.Discard, s), "markdown": markdown.Write(io.Discard, s),
			"annotations": annotations.Write(io.Discard, s, ""),
		} {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if s.Empty() {
			return
		}
		again, err := results.Read(bytes.NewReader(once), "x", results.Limits{})
		if err != nil {
			t.Fatalf("%v in %s", err, once)
		}
		twice, err := again.AppendJSON(nil)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v: once\n%s\ntwice\n%s", err, once, twice)
		}
	})
}

func Example() {
	part := `{"schema_version":1,"kind":"audit","protocol":"t","target":"builtin","packets":7,"rules":[],"findings":[]}`
	all := &results.Set{}
	for _, name := range []string{"monday.json", "tuesday.json"} {
		s, err := results.Read(strings.NewReader(part), name, results.Limits{})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := all.Add(s); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(all.Audits[0].Packets, "packets in", all.Audits[0].Runs, "runs")
	// Output: 14 packets in 2 runs
}

// The rejects by rule that are with a part are of the part's protocol, whatever else is written there.
func TestReadByRuleIsOfItsPart(t *testing.T) {
	set := counted(t, rtype(t), session(t)[:50])
	good, err := results.AppendStatistics(nil, set.Statistics[0], set.Rejects[0])
	if err != nil {
		t.Fatal(err)
	}
	if again := read(t, good); len(again.Rejects) != 1 || again.Rejects[0].Protocol != "rtype" {
		t.Errorf("what was saved is not read: %v", again.Rejects)
	}
	head, tail, ok := bytes.Cut(good, []byte(`"by_rule":`))
	changed := bytes.Replace(tail, []byte(`"protocol":"rtype"`), []byte(`"protocol":"zzz"`), 1)
	if !ok || bytes.Equal(changed, tail) {
		t.Fatal("no by_rule with a protocol")
	}
	bad := slices.Concat(head, []byte(`"by_rule":`), changed)
	const want = `x: line 1: by_rule.protocol: want "rtype", which the part is of`
	if _, err := results.Read(bytes.NewReader(bad), "x", results.Limits{}); err == nil || err.Error() != want {
		t.Errorf("want %s, got %v", want, err)
	}
}
