package editors

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// Neovim's own client speaks with `pktscope lsp`: mistakes, hover, definitions in two files, new names in two files,
// completion, formatting, lenses, the end.
func TestNeovim(t *testing.T) {
	nvim := need.Program(t, need.Node, "nvim")
	dir := t.TempDir()
	server(t, dir)
	files, err := filepath.Glob("../../../report/lsp/testdata/dir/*")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range append(files, "testdata/session.lua") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile session.lua")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v on %s\n%s", err, runtime.GOOS, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	want := "" +
		"diagnostic 13:10-22 `int(0..Most)` uses a bit for one value: it has one more than 2 bits hold; 0..3 fits 2 bits\n" +
		"hover ```pks|count int(0..Most)|```||field||3 bits||wants 0..4||refuses by `out-of-range`||`int(a..e)`: `bits_required` bits holding `value - a`; " +
		"zero bits where they are equal; `e - a` at most 2^64-1; the upper end may be an expression; rejects: `out-of-range` above it||costs 5.4 % of the capture, 3.0 bits a packet\n" +
		"definition 14:5\n" +
		"definition common.pks 7:8\n" +
		"rename     number int(0..Most)     shots [number]Shot\n" +
		"rename     shots [number]Bullet struct Bullet {\n" +
		"diagnostic 12:12-15 unknown type `bit`; did you mean `bool`?\n" +
		"diagnostic 13:11-23 `int(0..Most)` uses a bit for one value: it has one more than 2 bits hold; 0..3 fits 2 bits\n" +
		"completion true true true true nil\n" +
		"format     owner  bits(5) in 0..20     number int(0..Most)\n" +
		"lens 9: at least 2 bytes; the longest packet has 13\n" +
		"lens 10: costs 3.6 % of the capture, 2.0 bits a packet\n" +
		"lens 12: costs 8.9 % of the capture, 5.0 bits a packet\n" +
		"stopped\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", strings.TrimSpace(string(got)), want)
	}
}

// server builds pktscope in a directory.
func server(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "pktscope")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// The protocol as Microsoft's own packages have it: each answer is of its form, positions are those of VS Code's
// documents, edits give the texts that these documents have, and diagnostics after edits are those of the whole text.
func TestProtocol(t *testing.T) {
	node := need.Program(t, need.Node, "node")
	if out, err := exec.Command(node, "-e", "require('vscode-languageserver-protocol/node'); require('vscode-languageserver-textdocument')").CombinedOutput(); err != nil {
		need.Skip(t, need.Node, fmt.Sprintf("no vscode-languageserver-protocol in NODE_PATH: %.80s", out))
	}
	dir := t.TempDir()
	program := server(t, t.TempDir())
	for _, pattern := range []string{"../../../decode/protocols/*.pks", "../../../report/lsp/testdata/dir/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, %v", files, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, "testdata/protocol.js", program, dir).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "ok: true true" {
		t.Errorf("%v\n%.4000s", err, got)
	}
}
