package findings

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// A finding whose words come from a hostile schema becomes files of which none obeys them: the script is one of
// comments and quoted arguments, the Go file is Go, and nothing is written outside the directory.
func TestDir(t *testing.T) {
	d, err := protocols.Load("packets")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w, err := Create(dir, d, Origin{
		Protocol: []string{"-p", "a'b; touch pwned", "-D", "N=$(id)"}, Target: "exec:'x'", Flags: []string{"--target", "exec:'x'"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f := &fuzz.Finding{
		Kind: oracle.FoundAcceptedMalformed, Rule: "x", Reject: reject.OutOfRange, Path: "../../x[3].\ny`\"", Bit: 3, Width: 4,
		Want: "a\n//go:embed passwd\n*/ \u202e", Got: `accept\`, Packet: []byte{1, 2, 3}, From: decode.Client,
		Before: []decode.Packet{{Data: []byte{9}, From: decode.Server}}, Count: 1,
	}
	for range 2 { // the second time all is there
		if err := w.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Fatalf("want 4 files, got %v, %v", entries, err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
		}
		switch {
		case strings.HasSuffix(name, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if len(file.Decls) != 2 || strings.Contains(string(text), "\n//go:") {
				t.Errorf("%s", text)
			}
		case strings.HasSuffix(name, ".sh"):
			checkScript(t, name, string(text))
		case strings.HasSuffix(name, ".json"):
			again, err := report.ParseFinding(text)
			if err != nil || string(again.Packet) != "\x01\x02\x03" || again.From != decode.Client || len(again.Before) != 1 || string(again.Before[0].Data) != "\x09" {
				t.Errorf("%+v, %v", again, err)
			}
		}
	}
}

// checkScript runs the script with a pktscope that prints its arguments.
func checkScript(t *testing.T, name, text string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	bin := t.TempDir()
	fake := "#!/bin/sh\nfor a in \"$@\"; do printf '<%s>' \"$a\"; done\necho\n"
	if err := os.WriteFile(filepath.Join(bin, "pktscope"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, name)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	base := strings.TrimSuffix(name, ".sh")
	want := "<explain><-p><a'b; touch pwned><-D><N=$(id)><-r><" + base + ".pcapng><-n><2>\n" +
		"<fuzz><-p><a'b; touch pwned><-D><N=$(id)><--target><exec:'x'><--replay><" + base + ".json>\n"
	if err != nil || string(out) != want {
		t.Errorf("got %v\n%s\nwant\n%s\nscript\n%s", err, out, want, text)
	}
}

// Of a protocol with secrets only the capture holds the packet.
func TestDirOfSecrets(t *testing.T) {
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w, err := Create(dir, d, Origin{Protocol: []string{"-p", "rtype"}, Target: "builtin"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Write(&fuzz.Finding{Packet: []byte{0xca, 0xfe, 0xba, 0xbe}, From: decode.Client, Count: 1}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("want 3 files, got %v, %v", entries, err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if capture := strings.HasSuffix(e.Name(), ".pcapng"); !capture && strings.Contains(string(text), "cafebabe") {
			t.Errorf("%s holds the packet", e.Name())
		}
	}
}
