package editors

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Vim finds the file type, colours words, and :make fills its quickfix list with the mistakes of `pktscope schema check`.
func TestVim(t *testing.T) {
	vim := need.Program(t, need.Node, "vim")
	dir := t.TempDir()
	source := "protocol x\norder lsb\n// a comment\npacket {\n    health uint9\n    mana   uint8 @secret\n}\n"
	// What the real command prints; a script holds it to that (schema_check).
	fake := "#!/bin/sh\n[ \"$1 $2\" = 'schema check' ] || exit 3\necho \"$3:5:12: error: unknown type \\`uint9\\`\"\necho '    health uint9'\necho \"$3: 1 error\"\nexit 2\n"
	for name, text := range map[string]string{"x.pks": source, "pktscope": fake} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Abs("vim")
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Join([]string{
		"set nocompatible shortmess+=A", "set runtimepath^=" + files, "filetype plugin on", "syntax on", "edit x.pks", "redir! > out",
		"silent echo &filetype",
		"silent echo synIDattr(synID(1,1,1),'name')", "silent echo synIDattr(synID(3,4,1),'name')", "silent echo synIDattr(synID(6,12,1),'name')",
		"silent echo synIDattr(synID(6,19,1),'name')",
		"silent make!", "for e in getqflist() | silent echo e.lnum . ':' . e.col . ':' . e.type . ':' . e.text | endfor", "redir END", "qall!",
	}, "\n")
	if err := os.WriteFile(filepath.Join(dir, "script.vim"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(vim, "-N", "-u", "NONE", "-i", "NONE", "-es", "-S", "script.vim")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SHELL=/bin/sh")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(got)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, ":!") {
			lines = append(lines, line)
		}
	}
	want := "pks pksDeclaration pksComment pksType pksAnnotation 5:12:e:unknown type `uint9`"
	if got := strings.Join(lines, " "); got != want {
		t.Errorf("want %s, got %q", want, got)
	}
}
