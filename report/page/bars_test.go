package page

import (
	"bytes"
	"net/netip"
	"os"
	"testing"

	"github.com/pktscope/pktscope/pcap"
)

// many is a session of so many packets, of which every thousandth is refused.
func many(t testing.TB, n int) *maker {
	m := newMaker(compile(t, plannedSchema), n)
	client, server := netip.MustParseAddrPort("10.0.0.2:5000"), netip.MustParseAddrPort("10.0.0.1:4000")
	state := append([]byte{2, 0, 0, 0, 0}, bytes.Repeat([]byte{1, 2, 3, 4, 100, 1}, 4)...)
	for i := range n {
		d := pcap.Datagram{N: int64(i + 1), Time: plannedStart + int64(i)*1e6, Src: client, Dst: server, Payload: []byte{1, byte(i >> 8), byte(i), 0, 0, 0, 3}}
		if i%2 == 1 {
			d.Src, d.Dst, d.Payload = server, client, state
		}
		if i%1000 == 998 {
			d.Payload = []byte{1, 0, 0, 0, 0, 0, 99}
		}
		d.Size = len(d.Payload)
		m.add(&d, "many.pcap")
	}
	return m
}

// The bars: a click opens the packet under it, the keyboard goes where the mouse goes.
func TestBarsInChromium(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	b.open(write(t, planned(t).report(t)), "#packets?verdict=1")
	b.holds("#status", "6 packets of 2,289")
	b.holds(".bars-legend", "State", "Input", "refused")
	b.drag("#bars canvas", 0.9, 0.9) // the last of six
	b.wait("!document.getElementById('packet').hidden")
	b.holds("#packet-head", "refused: body.buttons")
	last := b.text("#packet-title")
	b.eval("document.querySelector('#bars canvas').focus()", nil)
	b.press("Home")
	b.holds(".bars-told", "out-of-range", "56 bits")
	b.press("Enter")
	if first := b.text("#packet-title"); first == last || first == "Packet" {
		t.Errorf("the first is %q, the last %q", first, last)
	}
	b.shot("bars-refused", false)
	b.open(write(t, planned(t).report(t)), "#packets?find=")
	b.eval("document.querySelector('#bars').scrollIntoView({ block: 'start' })", nil)
	b.shot("bars", false)
	// What is refused is red, in whatever colours.
	red := "(() => { const c = document.querySelector('#bars canvas'); const copy = document.createElement('canvas'); copy.width = c.width; copy.height = 4; const k = copy.getContext('2d', { willReadFrequently: true }); k.drawImage(c, 0, 0); const d = k.getImageData(0, 0, c.width, 4).data; let n = 0; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 0 && d[i] > 150 && d[i + 1] < 140) n++; return n; })()"
	for _, dark := range []bool{false, true} {
		b.dark(dark)
		b.wait(red + " >= 6 * 4")
	}
	b.quiet()
}

// A hundred thousand packets: they load, and no step of a zoom or a pan draws more than the columns need. How long the
// steps take is in the log: that is the machine's as well.
func TestManyBarsInChromium(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	page := write(t, many(t, 100_000).report(t))
	b.open(page, "")
	b.holds("#status", "100,000 packets, 1 to 100 shown")
	var frames struct{ N, Slow, Worst, Most, Width float64 }
	b.eval(`new Promise((done) => {
		const canvas = document.querySelector('#bars canvas');
		canvas.scrollIntoView({ block: 'center' });
		const box = canvas.getBoundingClientRect();
		let n = 0, slow = 0, worst = 0, drawn = 0, most = 0;
		const pen = CanvasRenderingContext2D.prototype;
		for (const name of ['fillRect', 'strokeRect', 'clearRect', 'fillText', 'rect', 'lineTo', 'moveTo', 'drawImage']) {
			const draw = pen[name];
			pen[name] = function (...how) { drawn++; return draw.apply(this, how); };
		}
		const wheel = (options) => canvas.dispatchEvent(new WheelEvent('wheel', { cancelable: true, clientX: box.x + 400, ...options }));
		function step() {
			const began = performance.now();
			if (n < 30) wheel({ ctrlKey: true, deltaY: -1 });
			else if (n < 60) wheel({ deltaX: 40 });
			else wheel({ ctrlKey: true, deltaY: 1 });
			requestAnimationFrame(() => {
				const now = performance.now();
				worst = Math.max(worst, now - began);
				most = Math.max(most, drawn);
				drawn = 0;
				if (now - began > 50) slow++;
				if (++n < 90) step();
				else done({ N: n, Slow: slow, Worst: worst, Most: most, Width: canvas.width });
			});
		}
		step();
	})`, &frames)
	t.Logf("%v frames, %v of more than 50 ms, the worst %.1f ms; at most %v strokes on %v columns; the page has %d bytes", frames.N, frames.Slow, frames.Worst, frames.Most, frames.Width, len(page))
	if frames.Most < 100 || frames.Most > 4*frames.Width {
		t.Errorf("a frame takes %v strokes on %v columns", frames.Most, frames.Width)
	}
	b.shot("bars-many", false)
	if name := os.Getenv("PKTSCOPE_SHOTS"); name != "" {
		b.eval("document.querySelector('.bars-all').click()", nil)
		b.wait("document.querySelector('.bars-all').disabled")
		b.shot("bars-many-all", false)
	}
	b.quiet()
}
