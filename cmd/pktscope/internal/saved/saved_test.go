package saved_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What every command saves fits the JSON Schema that `help json` shows of it, and little else does.
func TestHelpSavedSchema(t *testing.T) {
	dir := t.TempDir()
	pktscope := filepath.Join(dir, "pktscope")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", pktscope, "github.com/pktscope/pktscope/cmd/pktscope").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	help, err := exec.Command(pktscope, "help", "json").Output()
	_, text, ok := strings.Cut(string(help), "\nSaved results\n")
	_, text, ok2 := strings.Cut(text, "\n{\n")
	if err != nil || !ok || !ok2 {
		t.Fatalf("help json has no schema of saved results: %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader("{\n" + text))
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
	valid := func(line []byte) error {
		object, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatalf("%v in %.300s", err, line)
		}
		return compiled.Validate(object)
	}
	const session = "../../testdata/rtype-session.pcap"
	found, small := filepath.Join(dir, "found"), filepath.Join(dir, "small.pks") // each packet costs a process
	if err := os.WriteFile(small, []byte("protocol small\norder lsb\npacket { n int(0..4) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	target := []string{"-p", small, "--target", "exec:true", "--fail-on", "none", "-T", "json"}
	kinds := map[string]bool{}
	for _, args := range [][]string{
		{"stats", "-q", "-T", "json", session},
		{"budget", "-q", "-T", "json", session},
		{"report", "-q", "-T", "json", session},
		{"audit", "-p", "course", "-T", "json"},
		append([]string{"audit", "--hex", "00", "--hex", "07", "--hex", ""}, target...),
		append([]string{"fuzz", "--seed", "1", "-n", "300", "-q", "--findings", found}, target...),
		{"report", "-T", "json", found},
	} {
		out, err := exec.Command(pktscope, args...).Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		for line := range bytes.Lines(out) {
			if err := valid(line); err != nil {
				t.Errorf("%q: %v in %.2000s", args, err, line)
			}
			_, kind, _ := strings.Cut(string(line), `"kind":"`)
			kind, _, _ = strings.Cut(kind, `"`)
			kinds[kind] = true
			if kind == "audit" || kind == "fuzz" || kind == "rejects" {
				if valid(bytes.Replace(line, []byte(`"kind":`), []byte(`"more_than_is_known":1,"kind":`), 1)) == nil {
					t.Errorf("%s: a key that is none is valid", kind)
				}
			}
			if valid(bytes.Replace(line, []byte(`"schema_version":1`), []byte(`"schema_version":2`), 1)) == nil || valid(bytes.Replace(line, []byte(`"protocol"`), []byte(`"p"`), 1)) == nil {
				t.Errorf("%s: another version, or none of a protocol, is valid", kind)
			}
		}
	}
	for _, kind := range []string{"stats", "pktscope-budget", "rejects", "audit", "fuzz", "accepted-malformed"} {
		if !kinds[kind] {
			t.Errorf("no %s was tried", kind)
		}
	}
}
