package main

import (
	"fmt"
	"strings"
	"testing"
)

// drawnScreen is as much of a terminal as the board uses: lines, the cursor's line, and what ESC [ … A, K and J do.
func drawnScreen(t *testing.T, height int, drawings ...string) []string {
	t.Helper()
	lines := make([]string, height)
	at := 0
	for _, d := range drawings {
		for d != "" {
			var up int
			switch {
			case strings.HasPrefix(d, "\x1b[K"): // the rest of the line: lines are drawn from their beginning
				d = d[3:]
			case strings.HasPrefix(d, "\x1b[J"):
				clear(lines[at:])
				d = d[3:]
			case d[0] == 0x1b:
				if _, err := fmt.Sscanf(d, "\x1b[%dA\r", &up); err != nil {
					t.Fatalf("an escape that this is no terminal for: %q", d[:min(8, len(d))])
				}
				if at -= up; at < 0 {
					t.Fatalf("the cursor goes %d lines above the screen", -at)
				}
				d = d[strings.IndexByte(d, '\r')+1:]
			default:
				line, rest, _ := strings.Cut(d, "\n")
				lines[at] = strings.TrimSuffix(line, "\x1b[K")
				d = rest
				if at++; at == height {
					t.Fatal("the screen scrolled")
				}
			}
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
	} {
		var b board
		var drawn []string
		for _, text := range row.texts {
			drawn = append(drawn, string(b.over([]byte(text), row.height)))
		}
		got := strings.TrimRight(strings.Join(drawnScreen(t, row.height, drawn...), " "), " ")
		if got != row.want {
			t.Errorf("%d lines, %q: want %q, got %q", row.height, row.texts, row.want, got)
		}
	}
}
