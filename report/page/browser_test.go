package page

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// browser is a Chromium with one tab, which is spoken to over a pipe: what comes and goes is JSON that ends in a zero
// byte (--remote-debugging-pipe).
type browser struct {
	t       testing.TB
	to      *os.File
	session string
	id      int
	answers chan message
	mu      sync.Mutex
	logged  []string // of the console, and what the policy forbade
}

type message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

// newBrowser starts one that ends with the test.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: a browser takes seconds")
	}
	chromium := need.Program(t, need.Chromium, "chromium", "chromium-browser", "google-chrome")
	fromUs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, fromIt, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+need.Profile(t), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, fromIt}
	if err := cmd.Start(); err != nil {
		need.Skip(t, need.Chromium, fmt.Sprintf("it does not run: %v", err))
	}
	fromUs.Close()
	fromIt.Close()
	b := &browser{t: t, to: to, answers: make(chan message, 64)}
	go b.read(from)
	t.Cleanup(func() {
		to.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // that it was killed is no news
		from.Close()
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.call("Target.getTargets", nil, &targets)
	for _, one := range targets.TargetInfos {
		var attached struct{ SessionID string }
		if one.Type == "page" {
			b.call("Target.attachToTarget", map[string]any{"targetId": one.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
		}
	}
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "Audits.enable"} {
		b.call(domain, nil, nil)
	}
	return b
}

// read takes what the browser says until it ends.
func (b *browser) read(from *os.File) {
	defer close(b.answers)
	for in := bufio.NewReaderSize(from, 1<<20); ; {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		switch m.Method {
		case "":
			b.answers <- m
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Audits.issueAdded", "Network.requestWillBeSent":
			if bytes.Contains(m.Params, []byte("NavigationEntryMarkedSkippable")) {
				continue // the test went to an address, and no user did
			}
			b.mu.Lock()
			b.logged = append(b.logged, fmt.Sprintf("%s %.300s", m.Method, m.Params))
			b.mu.Unlock()
		}
	}
}

// call asks for a method, and waits a minute at most.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	ask := map[string]any{"id": b.id, "method": method}
	if params != nil {
		ask["params"] = params
	}
	if b.session != "" {
		ask["sessionId"] = b.session
	}
	text, err := json.Marshal(ask)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for late := time.After(time.Minute); ; {
		select {
		case m, ok := <-b.answers:
			switch {
			case !ok:
				b.t.Fatalf("the browser ended during %s", method)
			case m.ID != b.id:
				continue
			case m.Error != nil:
				b.t.Fatalf("%s: %s", method, m.Error)
			case result != nil:
				if err := json.Unmarshal(m.Result, result); err != nil {
					b.t.Fatalf("%s: %v", method, err)
				}
			}
			return
		case <-late:
			b.t.Fatalf("the browser does not answer %s", method)
		}
	}
}

// open opens a page and waits until its script ran.
func (b *browser) open(page []byte, hash string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + file + hash}, nil)
	b.wait("document.readyState === 'complete' && location.protocol === 'file:'")
}

// eval is what an expression gives, awaited and as JSON.
func (b *browser) eval(expression string, to any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %.500s", expression, r.ExceptionDetails)
	}
	if to != nil {
		if err := json.Unmarshal(r.Result.Value, to); err != nil {
			b.t.Fatalf("%s: %v: %s", expression, err, r.Result.Value)
		}
	}
}

// text is what a text of the page is.
func (b *browser) text(selector string) (s string) {
	b.t.Helper()
	b.eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'nothing is '+%q", selector, selector), &s)
	return s
}

// is reports whether an expression holds.
func (b *browser) is(expression string) (is bool) {
	b.t.Helper()
	b.eval("!!("+expression+")", &is)
	return is
}

// wait waits until an expression holds, 20 s at most.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for range 400 {
		if b.is(expression) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("never: %s", expression)
}

// size sets the size of the window.
func (b *browser) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// dark sets what the system wants.
func (b *browser) dark(dark bool) {
	b.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// press presses a key, as a keyboard does.
func (b *browser) press(key string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Escape": 27}
	down := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	if key == "Enter" {
		down["text"] = "\r"
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}, nil)
}

// drag moves the mouse with its button down over a node, from one part of its width to another; a click where they are
// the same.
func (b *browser) drag(selector string, from, to float64) {
	b.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	b.eval(fmt.Sprintf("(n => { n.scrollIntoView({ block: 'center' }); const { x, y, width, height } = n.getBoundingClientRect(); return { x, y, width, height }; })(document.querySelector(%q))", selector), &box)
	mouse := func(kind string, at float64, buttons int) {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X + at*box.Width, "y": box.Y + box.Height/2, "button": "left", "buttons": buttons, "clickCount": 1}, nil)
	}
	mouse("mouseMoved", from, 0)
	mouse("mousePressed", from, 1)
	if to != from {
		mouse("mouseMoved", (from+to)/2, 1)
		mouse("mouseMoved", to, 1)
	}
	mouse("mouseReleased", to, 0)
}

// hover moves the mouse over a part of a node's width.
func (b *browser) hover(selector string, at float64) {
	b.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	b.eval(fmt.Sprintf("(n => { n.scrollIntoView({ block: 'center' }); const { x, y, width, height } = n.getBoundingClientRect(); return { x, y, width, height }; })(document.querySelector(%q))", selector), &box)
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": box.X + at*box.Width, "y": box.Y + box.Height/2}, nil)
}

// shot writes what the window shows to $PKTSCOPE_SHOTS/name.png, for people; nothing without that.
func (b *browser) shot(name string, whole bool) {
	b.t.Helper()
	dir := os.Getenv("PKTSCOPE_SHOTS")
	if dir == "" {
		return
	}
	var r struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// quiet says that the browser had nothing to say so far: no message, no problem, nothing that the policy forbade.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.logged {
		b.t.Errorf("the browser says: %s", line)
	}
	b.logged = nil
}

// holds says which of some texts a part of the page does not have.
func (b *browser) holds(selector string, want ...string) {
	b.t.Helper()
	text := b.text(selector)
	for _, one := range want {
		if !strings.Contains(text, one) {
			b.t.Errorf("%s has no %q: %.900s", selector, one, text)
		}
	}
}
