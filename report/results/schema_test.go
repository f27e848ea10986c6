package results_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// validator judges lines of JSON by the schema of all that is saved.
func validator(t *testing.T) func(line []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(results.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("saved.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("saved.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(line []byte) error {
		object, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatalf("%v in %.300s", err, line)
		}
		return compiled.Validate(object)
	}
}

// everySaved is what all that saves writes: of a session, of an audit with findings and of one without a packet, of a
// campaign with a crash that has all that a crash can have, and that crash's file.
func everySaved(t *testing.T) []byte {
	t.Helper()
	p := rtype(t)
	crash := largest(0)
	crash.Before, crash.Report = crash.Before[:3], crash.Report[:64]
	campaign := report.Campaign{Protocol: "rtype", Target: "t", Plan: p, Workers: 1, Passed: time.Hour,
		State: &fuzz.CampaignState{Coverage: coverage.New(p), Findings: []*fuzz.Finding{&crash}, Lost: 7}}
	var out bytes.Buffer
	if err := campaign.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	list := session(t)
	for i := len(list) / 2; i < len(list); i++ {
		list[i].Time += 1e10 // after a silence
	}
	all := counted(t, p, list)
	statistics, err := results.AppendStatistics(nil, all.Statistics[0], all.Rejects[0])
	if err != nil {
		t.Fatal(err)
	}
	file := report.AppendFinding(nil, &report.Origin{Protocol: "rtype", Target: "t", Plan: p}, &crash)
	out.Write(statistics)
	for _, s := range []*results.Set{all, audited(t, p, broken(t, p)), audited(t, p, []decode.Packet{{}}), read(t, file)} {
		out.Write(savedAgain(t, s))
	}
	return out.Bytes()
}

// What every writer saves fits the JSON Schema that `pktscope help json` shows, and little else does.
func TestSchema(t *testing.T) {
	valid := validator(t)
	kinds := map[string]int{}
	for line := range bytes.Lines(everySaved(t)) {
		if err := valid(line); err != nil {
			t.Errorf("%v in %.2000s", err, line)
		}
		_, kind, _ := strings.Cut(string(line), `"kind":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		kinds[kind]++
		if kind == "audit" || kind == "fuzz" || kind == "rejects" {
			if valid(bytes.Replace(line, []byte(`"kind":`), []byte(`"more_than_is_known":1,"kind":`), 1)) == nil {
				t.Errorf("%s: a key that is none is valid", kind)
			}
		}
		if kind == "stats" && (!bytes.Contains(line, []byte(`"file":"game.pcap","ms":`)) ||
			valid(bytes.Replace(line, []byte(`"file":"game.pcap","ms":`), []byte(`"files":"game.pcap","ms":`), 1)) == nil) {
			t.Error("a silence names no file, or may have any key")
		}
		if valid(bytes.Replace(line, []byte(`"schema_version":1`), []byte(`"schema_version":2`), 1)) == nil || valid(bytes.Replace(line, []byte(`"protocol"`), []byte(`"p"`), 1)) == nil {
			t.Errorf("%s: another version, or none of a protocol, is valid", kind)
		}
	}
	for kind, n := range map[string]int{"stats": 2, "pktscope-budget": 1, "rejects": 1, "audit": 2, "fuzz": 1, "crash": 1} {
		if kinds[kind] != n {
			t.Errorf("%d of %s were tried, want %d", kinds[kind], kind, n)
		}
	}
}

// The budgets and the statistics of all built-in protocols fit one file, with others.
func TestBuiltinsFit(t *testing.T) {
	if n := len(protocols.Names()); n < 10 || n+8 > saved.MaxProtocols {
		t.Errorf("%d protocols are built in, and a file has at most %d", n, saved.MaxProtocols)
	}
}
