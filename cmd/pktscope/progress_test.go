package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

func TestProgressLine(t *testing.T) {
	for _, row := range []struct {
		name, file  string
		read, total int64
		passed      time.Duration
		want        string
	}{
		{"nothing read", "a.pcap", 0, 2e9, time.Second, "a.pcap [                        ]   0%  0.0 of 2.0 GB"},
		{"a third", "dir/a.pcap", 1e9, 3e9, time.Second, "a.pcap [########                ]  33%  1.0 of 3.0 GB  2s left"},
		{"all", "a.pcap", 5e6, 5e6, time.Second, "a.pcap [########################] 100%  5.0 of 5.0 MB  0s left"},
		{"the file grew", "a.pcap", 9e6, 5e6, time.Second, "a.pcap [########################] 100%  5.0 of 5.0 MB  0s left"},
		{"a byte", "a.pcap", 1, 1, time.Second, "a.pcap [########################] 100%  0.0 of 0.0 kB  0s left"},
		{"for ages", "a.pcap", 1, 1 << 62, time.Second, "a.pcap [                        ]   0%  0.0 of 4611686018.4 GB"},
		{"a name for a terminal", "\x1b[2J.pcap", 0, 2e9, time.Second, `\x1b[2J.pcap [                        ]   0%  0.0 of 2.0 GB`},
		{"a long name", strings.Repeat("é", 30), 0, 2e9, time.Second, strings.Repeat("é", 19) + "… [                        ]   0%  0.0 of 2.0 GB"},
	} {
		g := progress{total: row.total, name: row.file}
		if got := g.line(row.read, row.passed); got != row.want {
			t.Errorf("%s:\nwant %q\ngot  %q", row.name, row.want, got)
		}
	}
}

// No line is longer than a terminal's, whatever is read.
func TestProgressLineFits(t *testing.T) {
	for total := int64(1); total > 0; total *= 3 {
		for _, read := range []int64{0, 1, total / 3, total - 1, total} {
			for _, passed := range []time.Duration{1, time.Second, 99 * time.Hour} {
				g := progress{total: total, name: strings.Repeat("a", 300)}
				if line := g.line(read, passed); utf8.RuneCountInString(line) > progressColumn || strings.ContainsAny(line, "\r\n") {
					t.Errorf("%d of %d bytes in %s: %q", read, total, passed, line)
				}
			}
		}
	}
}

// terminal shows what a terminal's last line would hold.
type terminal struct {
	cells []rune
	at    int
}

func (t *terminal) Write(b []byte) (int, error) {
	for _, r := range string(b) {
		switch r {
		case '\r':
			t.at = 0
		case '\n':
			t.cells, t.at = nil, 0
		default:
			if t.at == len(t.cells) {
				t.cells = append(t.cells, 0)
			}
			t.cells[t.at] = r
			t.at++
		}
	}
	return len(b), nil
}

func (t *terminal) line() string { return strings.TrimRight(string(t.cells), " ") }

// The line is written over by the next, is gone before rows come to the same terminal and at the end, and does not come
// in the middle of a row.
func TestProgressShares(t *testing.T) {
	screen := &terminal{}
	out := newOutput(screen)
	g := &progress{src: strings.NewReader(strings.Repeat("x", 1000)), total: 1000, name: "a.pcap", to: screen}
	out.setErase(g.erase)
	read := func(n int64) {
		t.Helper()
		if _, err := io.CopyN(io.Discard, g, n); err != nil {
			t.Fatal(err)
		}
	}
	draw := func() { out.between(func() { g.draw(10 * time.Second) }) }
	write := func(s string) {
		t.Helper()
		if _, err := out.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	want := func(line string) {
		t.Helper()
		if got := screen.line(); got != line {
			t.Fatalf("want %q, got %q", line, got)
		}
	}
	read(100)
	draw()
	want("a.pcap [##                      ]  10%  0.1 of 1.0 kB  1m30s left")
	read(800)
	draw()
	want("a.pcap [#####################   ]  90%  0.9 of 1.0 kB  1s left")
	write("a row\nhalf")
	want("half")
	draw()
	want("half")
	write(" a row\n")
	want("")
	draw()
	want("a.pcap [#####################   ]  90%  0.9 of 1.0 kB  1s left")
	out.setErase(nil)
	g.erase()
	want("")
	g.erase()
	if g.drawn != 0 {
		t.Error("still drawn")
	}
}

// Under the race detector: reading, rows and the line are three goroutines'. What is read and what is written stay
// whole.
func TestProgressGoroutines(t *testing.T) {
	var rows bytes.Buffer
	out := newOutput(&rows)
	data := strings.Repeat("x", 1<<16)
	g := &progress{src: strings.NewReader(data), total: int64(len(data)), name: "a.pcap", to: io.Discard}
	out.setErase(g.erase)
	var all sync.WaitGroup
	all.Go(func() {
		got, err := io.ReadAll(g)
		if err != nil || string(got) != data {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
	})
	all.Go(func() {
		for range 100 {
			out.between(func() { g.draw(time.Second) })
		}
	})
	for range 100 {
		_, _ = out.Write([]byte("row\n"))
		_ = out.Flush()
	}
	all.Wait()
	if want := strings.Repeat("row\n", 100); rows.String() != want {
		t.Errorf("rows: %q", rows.String())
	}
}

// Where no terminal is, the file itself is read.
func TestProgressNowhere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.pcap")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	p := &program{stdout: f, stderr: f, out: newOutput(f)}
	r, stop := p.withProgress(f)
	if r != io.Reader(f) {
		t.Errorf("a reader between: %T", r)
	}
	stop()
}
