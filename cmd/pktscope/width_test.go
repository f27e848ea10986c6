//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
)

// tableCommands print tables or lines that a terminal's width shapes.
var tableCommands = []string{
	"stats testdata/rtype-session.pcap",
	"stats --by case testdata/rtype-session.pcap",
	"stats --by peer testdata/rtype-session.pcap",
	"stats --by direction testdata/rtype-session.pcap",
	"budget testdata/rtype-session.pcap",
}

// onTerminal runs pktscope with a terminal of a size as its stdout, and gives what the terminal is sent.
func onTerminal(t *testing.T, columns, rows uint16, env string, args ...string) string {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
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
	if err := unix.IoctlSetWinsize(int(side.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pktscope", args...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1", env)
	cmd.Stdout = side
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	side.Close()
	text, _ := io.ReadAll(terminal) // its end is an error: the other side is closed
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func widestLine(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		most = max(most, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return most
}

// A terminal's width and height shape tables; COLUMNS wins.
func TestTablesOnTerminals(t *testing.T) {
	for _, command := range tableCommands[:need.Rounds(len(tableCommands), 1)] {
		args := strings.Fields(command)
		for _, row := range []struct {
			columns, rows uint16
			env           string
			most          int
		}{{80, 24, "A=", 80}, {72, 24, "A=", 72}, {132, 60, "A=", 132}, {80, 24, "COLUMNS=100", 100}, {132, 24, "COLUMNS=70", 70}, {80, 24, "COLUMNS=50", 50}, {40, 24, "A=", 40}, {0, 0, "COLUMNS=none", 80}} {
			text := onTerminal(t, row.columns, row.rows, row.env, args...)
			if got := widestLine(text); got > row.most {
				t.Errorf("%s in %+v: %d cells:\n%s", command, row, got, text)
			}
			if strings.Contains(command, "--by") {
				continue
			}
			if lines := strings.Count(text, "\n"); row.most >= 80 && row.rows > 0 && lines > int(row.rows)-1 { // below lines wrap
				t.Errorf("%s in %+v: %d lines", command, row, lines)
			}
		}
		if wide, narrow := widestLine(onTerminal(t, 132, 50, "A=", args...)), widestLine(onTerminal(t, 80, 50, "A=", args...)); wide <= narrow &&
			!strings.Contains(command, "direction") {
			t.Errorf("%s: %d cells in 132 columns, %d in 80", command, wide, narrow)
		}
	}
	tall, small := onTerminal(t, 80, 60, "A=", "budget", "testdata/rtype-session.pcap"), onTerminal(t, 80, 24, "A=", "budget", "testdata/rtype-session.pcap")
	if tall, small := strings.Count(tall, "\n"), strings.Count(small, "\n"); tall < small+30 {
		t.Errorf("budget: %d lines in 60 rows, %d in 24", tall, small)
	}
}

// A pipe or a file gets everything: no text is cut, no column and no row of a budget left out, unless COLUMNS says how
// wide it may be.
func TestTablesInPipes(t *testing.T) {
	cut := regexp.MustCompile(`…|more kinds|\([0-9]+ of [0-9]+\)`)
	for i, command := range tableCommands {
		if !need.OneIn(i, 3) {
			continue
		}
		for _, columns := range []string{"", "72"} {
			cmd := exec.Command("pktscope", strings.Fields(command)...)
			cmd.Env = append(os.Environ(), "COLUMNS="+columns)
			text, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			switch got := widestLine(string(text)); {
			case columns != "" && got > 72:
				t.Errorf("%s with COLUMNS=%s: %d cells:\n%s", command, columns, got, text)
			case columns == "" && cut.Match(text):
				t.Errorf("%s: %s is cut:\n%s", command, cut.Find(text), text)
			}
			if columns == "" && strings.Contains(command, "stats") && !strings.Contains(string(text), "rejected") {
				t.Errorf("%s: no column of rejects:\n%s", command, text)
			}
		}
	}
	text, err := exec.Command("pktscope", "stats", "testdata/rtype-session.pcap").Output()
	if err != nil || !strings.Contains(string(text), "  bytes\n") {
		t.Errorf("stats: no column of bytes: %v\n%s", err, text)
	}
}
