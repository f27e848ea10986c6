package main

import (
	"fmt"
	"strings"
	"testing"
)

// drawnScreen is as much of a terminal as the board uses: lines that are cut, the cursor's line, and what its escapes do.
// Lines that would be wrapped, and a screen that scrolls, fail the test.
func drawnScreen(t *testing.T, width, height int, drawings ...string) []string {
	t.Helper()
	lines := make([]string, height)
	at, cut := 0, false
	for _, d := range drawings {
		for d != "" {
			var up int
			skip := 0
			switch {
			case strings.HasPrefix(d, cutLines):
				cut, skip = true, len(cutLines)
			case strings.HasPrefix(d, wrapLines):
				cut, skip = false, len(wrapLines)
			case strings.HasPrefix(d, emptyScreen):
				clear(lines)
				at, skip = 0, len(emptyScreen)
			case strings.HasPrefix(d, "\x1b[K"): // the rest of the line: lines are drawn from their beginning
				skip = 3
			case strings.HasPrefix(d, "\x1b[J"):
				clear(lines[at:])
				skip = 3
			case d[0] == 0x1b:
				if _, err := fmt.Sscanf(d, "\x1b[%dA\r", &up); err != nil {
					t.Fatalf("an escape that this is no terminal for: %q", d[:min(8, len(d))])
				}
				if at -= up; at < 0 {
					t.Fatalf("the cursor goes %d lines above the screen", -at)
				}
				skip = strings.IndexByte(d, '\r') + 1
			default:
				line, _, _ := strings.Cut(d, "\n")
				skip = min(len(line)+1, len(d))
				cells := []rune(strings.TrimSuffix(strings.TrimSuffix(line, "\r"), "\x1b[K"))
				if len(cells) > width {
					if !cut {
						t.Fatalf("%q is wrapped", line)
					}
					cells = cells[:width]
				}
				lines[at] = string(cells)
				if at++; at == height {
					t.Fatal("the screen scrolled")
				}
			}
			d = d[skip:]
		}
		if cut {
			t.Fatal("lines are cut from now on")
		}
	}
	return lines
}

// Each drawing replaces the one before, whether it is longer or shorter, and never scrolls.
func TestBoardDrawsOver(t *testing.T) {
	for _, row := range []struct {
		height int
		texts  []string
		want   string
	}{
		{5, []string{"a\nb\n"}, "a b"},
		{5, []string{"a\nb\n", "c\nd\ne\n"}, "c d e"},
		{5, []string{"a\nb\nc\n", "d\n"}, "d"},
		{4, []string{"a\nb\nc\nd\ne\nf\n", "g\nh\ni\nj\nk\n"}, "g h i"},
		{4, []string{"a\nb\nc\nd\ne\nf\n", "g\n", "h\ni\n"}, "h i"},
		{4, []string{"a line that is too long\nb\n", "c\nand another one\n"}, "c and anothe"},
	} {
		var b board
		var drawn []string
		for _, text := range row.texts {
			drawn = append(drawn, string(b.over([]byte(text), 10, row.height)))
		}
		got := strings.TrimRight(strings.Join(drawnScreen(t, 10, row.height, drawn...), " "), " ")
		if got != row.want {
			t.Errorf("%d lines, %q: want %q, got %q", row.height, row.texts, row.want, got)
		}
	}
}

// A terminal of another size may have put the lines anywhere: the board begins anew in it.
func TestBoardInAnotherSize(t *testing.T) {
	var b board
	b.over([]byte("a\nb\nc\n"), 80, 24)
	for _, size := range [][2]int{{40, 24}, {40, 10}, {80, 24}} {
		text := string(b.over([]byte("d\ne\n"), size[0], size[1]))
		if !strings.HasPrefix(text, cutLines+emptyScreen+"d") {
			t.Errorf("%v: %q", size, text)
		}
		if text := string(b.over([]byte("d\n"), size[0], size[1])); !strings.HasPrefix(text, cutLines+"\x1b[2A\rd") {
			t.Errorf("%v again: %q", size, text)
		}
		b.over([]byte("d\ne\nf\n"), size[0], size[1])
	}
}
