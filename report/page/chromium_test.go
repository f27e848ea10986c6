package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/pktscope/pktscope/corpus/need"
)

// The page in a browser, where there is one. No request can leave it that its policy does not forbid, and whatever the
// policy forbids is in the browser's log, as every other problem does.
func TestInChromium(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a browser takes seconds")
	}
	chromium := need.Program(t, need.Chromium, "chromium", "chromium-browser", "google-chrome")
	for _, row := range []struct {
		name, hash string
		report     *Report
		want       []string // text of the page after the script ran
	}{
		{"an attack", "#packet-324", fill(t, newMaker(builtin(t, "rtype"), 0), "rtype").report(t), []string{
			"1,800 packets, 301 to 400 shown", "Packet 324 of rtype.pcap, 2024-06-01 18:00:02.333729000 UTC", "▲ health",
			"refused: body.players[0].health: out-of-range at bit 144: want 0..100 in 8 bits, got 101", "01100101",
		}},
		{"a server's states", "", statesReport(), []string{"What the server answered, by state and case", "(Challenge)", "(Hit; kicked)"}},
		{"hostile text", "#packet-1", hostileReport(t), []string{
			"Packet 1 of <script>alert(1)</script></script><!--<img src=x onerror=alert(2)>", `"<script>alert(1)</script></script><!--`, `\u202e=1+1\x1b[31m`,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "report.html")
			if err := os.WriteFile(file, write(t, row.report), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
				"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+need.Profile(t), "--enable-logging=stderr",
				"--virtual-time-budget=10000", "--dump-dom", "file://"+file+row.hash)
			var log strings.Builder
			cmd.Stderr = &log
			cmd.WaitDelay = 10 * time.Second
			dom, err := cmd.Output()
			if err != nil {
				need.Skip(t, need.Chromium, fmt.Sprintf("it does not run: %v: %.300s", err, log.String()))
			}
			for line := range strings.Lines(log.String()) {
				if strings.Contains(line, "CONSOLE") {
					t.Errorf("the browser says: %s", line)
				}
			}
			text := textOf(string(dom))
			for _, want := range row.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in the page", want)
				}
			}
		})
	}
}

// textOf is a document's text without its data and script.
func textOf(page string) string {
	var b strings.Builder
	hidden := false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken:
			name, _ := z.TagName()
			hidden = string(name) == "script" || string(name) == "style"
		case html.EndTagToken:
			hidden = false
		case html.TextToken:
			if !hidden {
				b.Write(z.Text())
			}
		}
	}
}
