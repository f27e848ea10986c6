//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminalPair is a pseudo terminal: what a program writes to it is collected.
type terminalPair struct {
	t        *testing.T
	terminal *os.File
	side     *os.File // the program's; closed once it runs

	mu   sync.Mutex
	text bytes.Buffer
}

func newTerminalPair(t *testing.T, columns, rows uint16) *terminalPair {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	if err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &terminalPair{t: t, terminal: terminal, side: side}
	p.resize(columns, rows)
	return p
}

// resize sets the size, of which the kernel tells the programs of the terminal.
func (p *terminalPair) resize(columns, rows uint16) {
	p.t.Helper()
	if err := unix.IoctlSetWinsize(int(p.terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		p.t.Fatal(err)
	}
}

// drawings are those that have come whole.
func (p *terminalPair) drawings() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := strings.SplitAfter(strings.ReplaceAll(p.text.String(), "\r\n", "\n"), wrapLines)
	return list[:len(list)-1]
}

func (p *terminalPair) start(cmd *exec.Cmd) {
	p.t.Helper()
	cmd.Stdin, cmd.Stdout = p.side, p.side
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.side.Close()
	go func() {
		for b := make([]byte, 4096); ; {
			n, err := p.terminal.Read(b)
			if err != nil {
				return // the program has ended
			}
			p.mu.Lock()
			p.text.Write(b[:n])
			p.mu.Unlock()
		}
	}()
}

// A terminal that changes its size gets the same board at once, as wide as it is now; of lines that a small one has no
// room for the ends are missing, and the board is drawn over as before.
func TestBoardIsResized(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 20 s of drawings")
	}
	vethPair(t)
	in := newInjector(t, "v0")
	p := newTerminalPair(t, 100, 30)
	cmd := exec.Command("pktscope", "live", "-i", "v1", "-p", "rtype", "--stats", "2s", "--color", "never")
	cmd.Env = append(os.Environ(), "TERM=xterm", "COLUMNS=")
	r := &running{t: t, cmd: cmd}
	errs, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = errs
	p.start(cmd)
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	eventually(t, "the capture", func() bool {
		text, _ := os.ReadFile(errs.Name())
		return strings.Contains(string(text), "capturing on v1")
	})
	const n = 200
	for _, frame := range sessionFrames(t, n, false) {
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	all := fmt.Sprintf("since the start %d packets", n)
	eventually(t, "a board with all packets", func() bool {
		list := p.drawings()
		return len(list) > 0 && strings.Contains(list[len(list)-1], all)
	})
	headOf := func(drawing string) string {
		drawing = strings.NewReplacer(cutLines, "", emptyScreen, "", "\x1b[K", "").Replace(drawing)
		_, drawing, _ = strings.Cut("\r"+drawing, "\r")
		head, _, _ := strings.Cut(drawing[strings.LastIndex(drawing[:strings.Index(drawing, "\n")], "\r")+1:], "\n")
		return head
	}
	for _, size := range []struct{ columns, rows uint16 }{{60, 20}, {44, 12}, {20, 8}, {132, 40}} {
		// Between two ticks nothing but the new size draws: then the head has the time of the drawing before.
		eventually(t, fmt.Sprintf("the board in %d columns, at once", size.columns), func() bool {
			p.resize(100, 30)
			before := len(p.drawings())
			eventually(t, "a drawing", func() bool { return len(p.drawings()) > before })
			list := p.drawings()
			head := headOf(list[len(list)-1])
			p.resize(size.columns, size.rows)
			eventually(t, "another drawing", func() bool { return len(p.drawings()) > len(list) })
			next := p.drawings()[len(list)]
			return strings.HasPrefix(next, cutLines+emptyScreen) && strings.HasPrefix(head, headOf(next))
		})
		// It is drawn over once more, and stays on the screen.
		seen := len(p.drawings())
		eventually(t, "the next tick", func() bool { return len(p.drawings()) > seen+1 })
		list := p.drawings()
		from := len(list) - 1
		for from > 0 && !strings.Contains(list[from], emptyScreen) {
			from--
		}
		screen := drawnScreen(t, int(size.columns), int(size.rows), list[from:]...)
		if len(list)-from < 2 || !strings.HasPrefix(screen[0], "20") || !strings.HasPrefix(screen[1], "rtype: ") {
			t.Errorf("%d columns: %q", size.columns, screen)
		}
		shown := strings.Join(screen, "\n")
		if strings.Count(shown, "rtype: ") != 1 || size.columns >= 100 && !strings.Contains(shown, all) {
			t.Errorf("%d columns:\n%s", size.columns, shown)
		}
		if size.columns >= 40 {
			for i, line := range strings.Split(strings.NewReplacer("\x1b[K", "").Replace(list[len(list)-1]), "\n") {
				if len([]rune(line)) > int(size.columns) && i > 0 && !strings.HasPrefix(line, "\x1b") {
					t.Errorf("%d columns: a line is left to the terminal to cut: %q", size.columns, line)
				}
			}
		}
	}
	r.interrupt()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
}
