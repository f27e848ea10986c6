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
		for _, part := range []string{"packet-", "peer-", "packets?find=", "packets?sender=", "packets?case=", "packets?time=", "packets?verdict=", "packet-1?file=", "", "?"} {
			for _, text := range []string{evil, "<img src=x onerror=alert(1)>", "javascript:alert(1)", "%", "__proto__", strings.Repeat("9", 400) + "-" + strings.Repeat("9", 400), strings.Repeat("a ", 5000)} {
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
