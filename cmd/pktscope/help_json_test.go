package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report"
)

// What -T json prints of a session with all verdicts but `cut` fits the JSON Schema that `help json` shows: its keys at
// the top, in a reject and in a note.
func TestHelpJSONSchema(t *testing.T) {
	type object struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	var top, reject object
	var notes struct{ Items object }
	must := func(data []byte, into any) {
		t.Helper()
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	must([]byte(report.PacketSchema), &top)
	must(top.Properties["reject"], &reject)
	must(top.Properties["notes"], &notes)
	fits := func(got map[string]json.RawMessage, want *object, line []byte) {
		t.Helper()
		for key := range got {
			if want.Properties[key] == nil {
				t.Fatalf("the key %q is not in the schema: %s", key, line)
			}
		}
		for _, key := range want.Required {
			if got[key] == nil {
				t.Fatalf("no key %q: %s", key, line)
			}
		}
	}
	out, err := exec.Command("pktscope", "decode", "-q", "-T", "json", "testdata/rtype-session.pcap").Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for line := range bytes.Lines(out) {
		var got, inner map[string]json.RawMessage
		must(line, &got)
		fits(got, &top, line)
		if got["reject"] != nil {
			must(got["reject"], &inner)
			fits(inner, &reject, line)
			if got["rest"] == nil {
				t.Fatalf("a reject without rest: %s", line)
			}
			seen = append(seen, "reject")
		}
		if got["notes"] != nil {
			var list []map[string]json.RawMessage
			must(got["notes"], &list)
			fits(list[0], &notes.Items, line)
			seen = append(seen, "note")
		}
	}
	if !slices.Contains(seen, "reject") || !slices.Contains(seen, "note") {
		t.Errorf("the session has only %d packets with rejects or notes", len(seen))
	}
}

// The keys of what infer prints are those that its part of the help names.
func TestHelpJSONOfInfer(t *testing.T) {
	if testing.Short() {
		t.Skip("a draft of a whole session")
	}
	out, err := exec.Command("pktscope", "infer", "-q", "-T", "json", "testdata/rtype-session.pcap").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, about, _ := strings.Cut(helpJSON, "pktscope infer prints")
	about, _, _ = strings.Cut(about, "\n\n")
	var got map[string]json.RawMessage
	var fields []map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(out, &got), json.Unmarshal(got["fields"], &fields)); err != nil || len(fields) == 0 {
		t.Fatalf("%v: %s", err, out)
	}
	keys := map[string]bool{}
	for _, object := range append(fields, got) {
		for key := range object {
			keys[key] = true
		}
	}
	for key := range keys {
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(about) {
			t.Errorf("the help has no %s:%s", key, about)
		}
	}
	if len(keys) < 20 {
		t.Errorf("%d keys", len(keys))
	}
}
