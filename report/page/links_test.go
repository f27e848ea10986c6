package page

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// What an address may ask for, it gets; what a stranger writes there does nothing.
func TestLinksInChromium(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	page := write(t, planned(t).report(t))
	for _, row := range []struct{ hash, selector, want string }{
		{"#packet-324", "#packet-title", "Packet 324"},
		{"#packet-324?verdict=1", "#status", "2,289 packets, 301 to 400 shown"}, // it is not refused: the filter gives way
		{"#packet-99999", "#status", "Packet 99999 is not among those of this page."},
		{"#packets?verdict=1", "#status", "6 packets of 2,289"},
		{"#packets?case=State&time=1767362400000000000-1767362401000000000", "#status", "19 packets of 2,289"},
		{"#packets?case=Nothing&verdict=77&time=x&unknown=1", "#status", "2,289 packets, 1 to 100 shown"},
		{"#packets?find=buttons%3D99", "#status", "6 packets of 2,289"},
		{"#peer-10.0.0.66:6666", "#status", "6 packets of 2,289"},
		{"#peer-10.0.0.66:6666", "tr.marked-row", "10.0.0.66:6666"},
		{"#peer-10.0.0.66%3a6666", "#status", "6 packets of 2,289"},
		{"#peer-%E0%A4%A", "#status", "2,289 packets"},
		{"#packets?sender=10.0.0.66%3A6666", "#status", "6 packets of 2,289"},
	} {
		b.open(page, row.hash)
		if got := b.text(row.selector); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s is %q, want %q", row.hash, row.selector, got, row.want)
		}
	}
	b.quiet()
	hostile := write(t, hostileReport(t))
	for _, page := range [][]byte{page, hostile} {
		b.open(page, "#packets?find="+url.QueryEscape(evil))
		for _, part := range []string{"packet-", "peer-", "packets?find=", "packets?sender=", "packets?case=", "packets?time=", "packets?verdict=", "packet-1?file=", "time-0?look-0=", "packets?bars=", "packets?page=", "peers-0?sort-0=", "", "?"} {
			for _, text := range []string{evil, "<img src=x onerror=alert(1)>", "javascript:alert(1)", "%", "__proto__", "NaN-NaN", "-1--9", "9-1", "1e99-Infinity", "0", "-0", "9999999999999999999-99999999999999999999", strings.Repeat("9", 400) + "-" + strings.Repeat("9", 400), strings.Repeat("a ", 5000)} {
				b.eval(fmt.Sprintf("new Promise((done) => { location.hash = %q; setTimeout(done, 10); })", "#"+part+url.QueryEscape(text)), nil)
				if b.is("document.querySelector('img, iframe, object, embed, base') || document.scripts.length !== 2") {
					t.Errorf("%s%.40q made an element", part, text)
				}
			}
		}
	}
	b.quiet()
}

// What was filtered and opened is in the address, and the address of a second page does the same again.
func TestAddressKeepsFilters(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	page := write(t, planned(t).report(t))
	b.open(page, "")
	b.eval("(() => { const find = document.getElementById('find'); find.value = '99'; find.dispatchEvent(new Event('input', { bubbles: true })); document.getElementById('verdict').value = '1'; document.getElementById('filter').dispatchEvent(new Event('input')); })()", nil)
	b.wait("location.hash === '#packets?verdict=1&find=99'")
	b.eval("document.querySelector('#list tbody tr').click()", nil)
	b.wait("location.hash.startsWith('#packet-') && location.hash.endsWith('?verdict=1&find=99')")
	var hash string
	b.eval("location.hash", &hash)
	status := b.text("#status")
	title := b.text("#packet-title")
	b.open(page, hash)
	if got := b.text("#status"); got != status || b.text("#packet-title") != title {
		t.Errorf("%s: %q and %q, want %q and %q", hash, got, b.text("#packet-title"), status, title)
	}
	// The command, the hex and the path of the packet that is open; the field that was refused is the one that is marked.
	b.eval("navigator.clipboard.writeText = async (text) => { window.copiedText = text; }", nil)
	for label, want := range map[string]string{"Copy hex": "01000000000063", "Copy path": "body.buttons", "Copy command": "pktscope explain -r session.pcap -n "} {
		b.eval(fmt.Sprintf("[...document.querySelectorAll('#copies button')].find((n) => n.textContent === %q).click()", label), nil)
		b.wait("window.copiedText")
		var got string
		if b.eval("window.copiedText", &got); !strings.HasPrefix(got, want) {
			t.Errorf("%s copies %q, want %q", label, got, want)
		}
		b.eval("window.copiedText = ''", nil)
	}
	b.quiet()
}

// viewed is what a page shows, whatever its address.
const viewed = `JSON.stringify([document.querySelector('svg.bars').getAttribute('viewBox'), document.querySelector('#status')?.textContent, document.querySelector('#packet')?.hidden ? '' : document.querySelector('#packet-title')?.textContent,
	document.querySelector('#bars canvas')?.getAttribute('aria-label'), [...document.querySelectorAll('[aria-sort]')].map((n) => n.textContent + n.ariaSort), document.querySelector('#peers-0 ~ * tbody th')?.textContent])`

// What is seen is in the address: it is seen again where the address is opened, and back and forward go through its
// steps. A page without packets does the same.
func TestAddressKeepsTheView(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	r := planned(t).report(t)
	for _, page := range [][]byte{write(t, r), write(t, savedAgain(t, r))} {
		listed := bytes.Contains(page, []byte(`id="list"`))
		b.open(page, "")
		type step struct {
			do   func()
			wait string // of the address
		}
		click := func(selector string) func() {
			return func() { b.eval(fmt.Sprintf("document.querySelector(%q).click()", selector), nil) }
		}
		steps := []step{
			{func() { b.drag("#time-0-loss svg.bars", 0.25, 0.75) }, "location.hash.startsWith('#time-0?look-0=1767362')"},
			{click("table.sortable th button"), "location.hash.includes('sort-0=')"},
		}
		if listed {
			steps = append(steps, step{click("#on"), "location.hash.startsWith('#packets?') && location.hash.includes('page=2')"},
				step{click(".bars-in"), "location.hash.includes('bars=')"},
				step{click("#list tbody tr"), "location.hash.startsWith('#packet-101?')"})
		}
		var hashes, views []string
		see := func() (hash, view string) {
			b.eval("location.hash", &hash)
			b.eval(viewed, &view)
			return hash, view
		}
		hash, view := see()
		hashes, views = append(hashes, hash), append(views, view)
		for _, one := range steps {
			one.do()
			b.wait(one.wait)
			hash, view := see()
			if view == views[len(views)-1] {
				t.Fatalf("%s shows nothing else", hash)
			}
			if listed && one.wait == steps[3].wait { // the bars are no step: they are part of the one before
				hashes, views = hashes[:len(hashes)-1], views[:len(views)-1]
			}
			hashes, views = append(hashes, hash), append(views, view)
		}
		at := len(hashes) - 1
		for _, by := range []int{-1, -1, 1, -2, 2} {
			if at+by < 0 || at+by >= len(hashes) {
				continue
			}
			at += by
			b.eval(fmt.Sprintf("history.go(%d)", by), nil)
			b.wait(fmt.Sprintf("location.hash === %q", hashes[at]))
			b.wait(viewed + fmt.Sprintf(" === %q", views[at]))
		}
		b.eval("new Promise((done) => setTimeout(done, 400))", nil)
		if hash, view := see(); hash != hashes[at] || view != views[at] {
			t.Errorf("after a while the address is %s, want %s", hash, hashes[at])
		}
		for i, hash := range hashes { // a link that was copied
			b.open(page, hash)
			b.wait(viewed + fmt.Sprintf(" === %q", views[i]))
		}
		b.quiet()
		// What makes no sense shows all, and nothing is said of it.
		for _, hash := range []string{"#time-0?look-0=5-1", "#time-0?look-0=NaN-1", "#time-0?look-0=-9-1", "#time-0?look-0=9999999999999999999-99999999999999999999", "#time-0?look-1=1767362410000000000-1767362420000000000",
			"#packets?bars=9-1&page=0", "#packets?bars=99999-999999", "#x?sort-0=99&sort-99=1&sort-0=-0", "#<script>?look-0=<script>"} {
			b.open(page, hash)
			if hash != "#packets?bars=9-1&page=0" && b.is("document.querySelector('svg.bars').getAttribute('viewBox') !== '0 0 10000 200'") {
				t.Errorf("%s looks at a part", hash)
			}
			var view string
			if b.eval(viewed, &view); view != views[0] {
				t.Errorf("%s: %s, want %s", hash, view, views[0])
			}
		}
		b.quiet()
	}
}

// A command that is copied is one word for a shell, whatever the file is called.
func TestCommandsAreQuoted(t *testing.T) {
	b := newBrowser(t)
	m := newMaker(compile(t, plannedSchema), 0)
	m.send(1, "10.0.0.2:5000", "10.0.0.1:4000", []byte{1, 0, 1, 0, 0, 0, 0})
	for _, g := range m.collector.groups {
		g.list[0].packet.File = "-a'; rm -rf $HOME `id` \"x\".pcap"
	}
	r := m.report(t)
	r.Protocol = "my schema.pks"
	b.open(write(t, r), "#packet-1")
	b.eval("navigator.clipboard.writeText = async (text) => { window.copiedText = text; }", nil)
	b.eval("[...document.querySelectorAll('#copies button')].find((n) => n.textContent === 'Copy command').click()", nil)
	b.wait("window.copiedText")
	var got string
	b.eval("window.copiedText", &got)
	if want := `pktscope explain -p 'my schema.pks' -r './-a'\''; rm -rf $HOME ` + "`id`" + ` "x".pcap' -n 1`; got != want {
		t.Errorf("copies %s\nwant   %s", got, want)
	}
	if bytes.Contains([]byte(got), []byte("\n")) {
		t.Error("two lines")
	}
	b.quiet()
}
