package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// How far a capture has been read: one line on stderr that is written over and gone at the end.
//
// It shows only where a person waits and nothing else would be disturbed: stderr is a terminal that knows more than
// lines, stdout is no pipe (a pager has the screen then), the capture is a file whose size is known, and half a second
// has passed.
const (
	progressAfter  = 500 * time.Millisecond
	progressEvery  = 200 * time.Millisecond
	progressCells  = 24 // of the bar
	progressName   = 20 // of the file's name, at most
	progressColumn = 79 // no line is longer: one that wraps cannot be written over
)

// progress counts the bytes that are read through it. Read is one goroutine's, the line that of another, which holds
// the output's lock while it draws: rows and the line may share a terminal.
type progress struct {
	src   io.Reader
	read  atomic.Int64 // bytes
	total int64        // bytes, of the file
	name  string
	to    io.Writer
	drawn int // cells on the terminal; under the output's lock
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	p.read.Add(int64(n))
	return n, err
}

// withProgress returns f, read with a line of progress where that is of use. stop ends the line, and is called once.
func (p *program) withProgress(f *os.File) (r io.Reader, stop func()) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || !p.showsProgress() {
		return f, func() {}
	}
	g := &progress{src: f, total: info.Size(), name: f.Name(), to: p.stderr}
	if isTerminal(p.stdout) {
		p.out.setErase(g.erase)
	}
	ticker := time.NewTicker(progressEvery)
	done, ended := make(chan struct{}), make(chan struct{})
	start := time.Now()
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				if passed := time.Since(start); passed >= progressAfter {
					p.out.between(func() { g.draw(passed) })
				}
			case <-done:
				return
			}
		}
	}()
	return g, func() {
		ticker.Stop()
		close(done)
		<-ended
		p.out.setErase(nil)
		g.erase() // nobody else draws any more
	}
}

func (p *program) showsProgress() bool {
	if p.quiet || os.Getenv("TERM") == "dumb" || !isTerminal(p.stderr) {
		return false
	}
	info, err := p.stdout.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0
}

// draw writes the line over the one before. What stderr does with it is nobody's concern.
func (p *progress) draw(passed time.Duration) {
	line := p.line(p.read.Load(), passed)
	cells := utf8.RuneCountInString(line)
	_, _ = io.WriteString(p.to, "\r"+line+strings.Repeat(" ", max(p.drawn-cells, 0)))
	p.drawn = cells
}

// erase removes the line, if there is one.
func (p *progress) erase() {
	if p.drawn > 0 {
		_, _ = io.WriteString(p.to, "\r"+strings.Repeat(" ", p.drawn)+"\r")
		p.drawn = 0
	}
}

// line is the line after so many bytes and so much time:
//
//	game.pcap [########                ]  33%  1.2 of 3.6 GB  12s left
//
// A file that grew while it was read is at 100%.
func (p *progress) line(read int64, passed time.Duration) string {
	read = min(read, p.total)
	part := float64(read) / float64(p.total)
	unit, name := unitOf(p.total)
	filled := int(part * progressCells)
	line := fmt.Sprintf("%s [%s%s] %3d%%  %.1f of %.1f %s", shortName(p.name), strings.Repeat("#", filled),
		strings.Repeat(" ", progressCells-filled), int(part*100), float64(read)/unit, float64(p.total)/unit, name)
	// Compared before it becomes a Duration, which the first byte of a large file would overflow.
	if left := float64(passed) * (1/part - 1); read > 0 && left < float64(100*time.Hour) {
		line += fmt.Sprintf("  %s left", time.Duration(left).Round(time.Second))
	}
	if r := []rune(line); len(r) > progressColumn {
		line = string(r[:progressColumn])
	}
	return line
}

// unitOf is the decimal unit in which so many bytes are a small number.
func unitOf(bytes int64) (float64, string) {
	switch {
	case bytes >= 1e9:
		return 1e9, "GB"
	case bytes >= 1e6:
		return 1e6, "MB"
	}
	return 1e3, "kB"
}

// shortName is a file's name as a terminal may see it, its end left out when it is long.
func shortName(path string) string {
	name := []rune(syntax.EscapeText(filepath.Base(path)))
	if len(name) > progressName {
		name = append(name[:progressName-1], '…')
	}
	return string(name)
}
