//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// The browser under a shell in tmux, a terminal that is not ours: tmux says what is on the screen, and the shell whether
// it has its terminal back. What is on which screen report/browse tests.

// pane is a shell in a terminal.
type pane struct {
	t    *testing.T
	tmux string
	sock string
}

// openPane begins a shell in a terminal of a size, in the directory of these tests.
func openPane(t *testing.T, width, height string, env ...string) *pane {
	t.Helper()
	p := &pane{t, need.Program(t, need.Root, "tmux"), filepath.Join(t.TempDir(), "tmux")}
	cmd := p.command(append([]string{"-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height}, "env", "-u", "NO_COLOR", "PS1=ready> ")...)
	cmd.Args = append(append(cmd.Args, env...), "bash", "--norc", "--noprofile", "-i")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v %s", err, out)
	}
	t.Cleanup(func() { _ = p.command("kill-server").Run() })
	p.sees("ready>")
	return p
}

func (p *pane) command(args ...string) *exec.Cmd {
	return exec.Command(p.tmux, append([]string{"-S", p.sock}, args...)...)
}

func (p *pane) do(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %v: %v %s", args, err, out)
	}
	return string(out)
}

// line types a line into the shell.
func (p *pane) line(text string) {
	p.t.Helper()
	p.do("send-keys", "-l", text)
	p.do("send-keys", "Enter")
}

// keys presses keys, by tmux's names.
func (p *pane) keys(keys ...string) {
	p.t.Helper()
	p.do(append([]string{"send-keys"}, keys...)...)
}

func (p *pane) screen() string { return p.do("capture-pane", "-p") }

// until waits for a screen.
func (p *pane) until(what string, ok func(screen string) bool) string {
	p.t.Helper()
	for began := time.Now(); time.Since(began) < patience/8; time.Sleep(20 * time.Millisecond) {
		if s := p.screen(); ok(s) {
			return s
		}
	}
	p.t.Fatalf("no screen with %s, but:\n%s", what, p.screen())
	return ""
}

func (p *pane) sees(texts ...string) string {
	p.t.Helper()
	return p.until(strings.Join(texts, " and "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// shell checks that the shell has its terminal: it echoes what is typed, and the browser's screen is gone.
func (p *pane) shell(name string) {
	p.t.Helper()
	prompts := func(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "ready>") }
	p.until("a prompt", prompts) // what is typed before is the browser's
	p.line("echo " + name + "-$((40+2))")
	s := p.until("the shell", func(s string) bool {
		return strings.Contains(s, "\n"+name+"-42\n") && strings.Contains(s, "echo "+name+"-$((40+2))") && prompts(s)
	})
	if strings.Contains(s, "fields of packet") {
		p.t.Errorf("%s: the browser is still on the screen:\n%s", name, s)
	}
}

// hue is a color of the eight that terminals have.
var hue = regexp.MustCompile(`\x1b\[([0-9]+;)*[34][0-7][;m]`)

func TestViewInTerminal(t *testing.T) {
	p := openPane(t, "80", "24")
	const start = "pktscope view testdata/rtype-session.pcap"
	p.line(start)
	p.sees("1 of 4994 packets", "fields of packet 1 ", "? keys  / filter")
	p.keys("r")
	p.sees("145 of 4994 packets", "✗ timestamp: past-end: want 64 bits, got 48 left")
	p.keys("/")
	p.keys("-l", "case == \"Snapshot\"")
	p.keys("Enter")
	p.sees("fields of packet 147 ", `case == "Snapshot"`)
	if s := p.do("capture-pane", "-p", "-e"); !hue.MatchString(s) {
		t.Errorf("no color: %q", s)
	}
	p.do("resize-window", "-x", "120", "-y", "40")
	p.sees("fields of packet 147 ", "packet 147", "00000000 01000000")
	p.do("resize-window", "-x", "40", "-y", "10")
	p.sees("want 60x16 cells, got 40x10")
	p.do("resize-window", "-x", "80", "-y", "24")
	p.sees("fields of packet 147 ", "? keys")

	p.keys("C-z")
	p.sees("Stopped")
	p.shell("suspended")
	p.line("fg")
	p.sees("fields of packet 147 ", "? keys")
	p.keys("Down")
	p.sees("34 of 1222 packets")
	p.keys("q")
	p.shell("quit")

	p.do("send-keys", "-R")
	p.line(start + "; echo code-$?")
	p.sees("fields of packet 1 ")
	p.keys("C-c")
	p.sees("\ncode-0\n")
	p.shell("interrupted")

	file := filepath.Join(t.TempDir(), "pid")
	p.line("clear; sh -c 'echo $$ > " + file + "; exec " + start + "'; echo code-$?")
	p.sees("fields of packet 1 ")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGTERM)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.sees("pktscope: interrupted", "\ncode-2\n")
	p.shell("terminated")

	p.line("clear; NO_COLOR=1 " + start)
	p.sees("fields of packet 1 ")
	p.keys("r")
	p.sees("fields of packet 145 ")
	if s := p.do("capture-pane", "-p", "-e"); hue.MatchString(s) || !strings.Contains(s, "\x1b[7m") {
		t.Errorf("color, or nothing reversed: %q", s)
	}
	p.keys("q")
	p.shell("plain")

	p.line("clear; gzip -c < testdata/rtype-session.pcap | pktscope view -")
	p.sees("of 4994 packets", "fields of packet 1 ")
	p.keys("End")
	p.sees("4994 of 4994 packets", "fields of packet 4994 ")
	p.keys("q")
	p.shell("pipe")
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "pktscope-view-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// What comes through an interface is followed, and held by space.
func TestViewLive(t *testing.T) {
	p := openPane(t, "80", "24")
	p.line("pktscope view -i lo")
	p.sees("waiting for packets")
	const join = "006100010000018bcfe568080008" + "0001"
	send(t, join)
	p.sees("1 of 1 packet, live", "PlayerInput", "fields of packet 1 ")
	send(t, join)
	send(t, join)
	p.sees("3 of 3 packets, live", "fields of packet 3 ")
	p.keys("Space")
	p.sees("live, paused")
	send(t, join)
	p.sees("3 of 4 packets, live, paused", "fields of packet 3 ")
	p.keys("Space")
	p.sees("4 of 4 packets, live", "fields of packet 4 ")
	p.keys("q")
	p.shell("live")
}
