package tsgen_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/tsgen"
	"github.com/pktscope/pktscope/pcap"
)

// A page of a browser reads packets with a module as it is, and says of them what the decoder says.
func TestInChromium(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a browser takes seconds")
	}
	chromium := need.Program(t, need.Chromium, "chromium", "chromium-browser", "google-chrome")
	program := need.Program(t, need.Chromium, "node")
	if why := lacking(program); why != "" {
		need.Skip(t, need.Chromium, "no typescript: "+why)
	}
	d, dir := load(t, "rtype"), t.TempDir()
	var all [][]byte
	var lines strings.Builder
	datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(corpus.Capture("rtype"))))
	for n := 0; len(all) < 200; n++ {
		g, err := datagrams.Next()
		if err != nil {
			break
		}
		data := bytes.Clone(g.Payload)
		if n%5 == 4 {
			data[n%len(data)] ^= 0x40
		}
		all = append(all, data)
		lines.WriteString(hex.EncodeToString(data) + "\n")
	}
	module, packets, page := filepath.Join(dir, "rtype.ts"), filepath.Join(dir, "packets"), filepath.Join(dir, "page.html")
	for name, text := range map[string]string{module: tsgen.Source(d.Plan(), "-p rtype", "rtype.ts"), packets: lines.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(program, "testdata/page.cjs", module, packets, page).CombinedOutput(); err != nil {
		t.Fatalf("node: %v\n%.2000s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+need.Profile(t), "--enable-logging=stderr",
		"--virtual-time-budget=10000", "--dump-dom", "file://"+page)
	var log strings.Builder
	cmd.Stderr = &log
	cmd.WaitDelay = 10 * time.Second
	dom, err := cmd.Output()
	if err != nil {
		need.Skip(t, need.Chromium, "it does not run: "+err.Error())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser says: %s", line)
		}
	}
	_, text, _ := strings.Cut(string(dom), `<pre id="out">`)
	text, _, _ = strings.Cut(text, "</pre>")
	said := strings.Split(html.UnescapeString(text), "\n")
	if len(said) != len(all) {
		t.Fatalf("the page says %d lines of %d packets: %.500s", len(said), len(all), text)
	}
	var trace decode.Trace
	accepted := 0
	for i, data := range all {
		var got any
		if err := json.Unmarshal([]byte(said[i]), &got); err != nil {
			t.Fatal(err)
		}
		if d.Decode(data, decode.FromUnknown, &trace) == nil {
			accepted++
		}
		if why := differs(got, expected(&trace), ""); why != "" {
			t.Errorf("%x: %s", data, why)
		}
	}
	if accepted < 100 || accepted == len(all) {
		t.Errorf("%d of %d packets are accepted", accepted, len(all))
	}
}
