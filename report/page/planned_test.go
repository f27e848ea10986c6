package page

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/stats"
)

// A session whose figures are known before anything is counted: what the first screen has to say.
//
//	20 inputs a second for 60 s, but for 3 s from 30 s on: 1,140 sent; the silence is from 29.95 s to 33 s
//	every 20th of them is lost: 57, which is 5 %
//	each that came is acknowledged 80 ms later by a state, of which none is lost
//	every 2nd state is 1 ms late, every 10th 10 ms: intervals are 1 ms from 50 ms, or 9 ms
//	six packets are refused, of somebody else
const plannedSchema = `protocol planned
order msb
port 4000
enum Kind : uint8 { Input = 1, State = 2 }
packet {
    kind Kind
    body switch kind {
        Input: Input @from(client)
        State: State @from(server) @every(50ms)
    }
}
struct Input { n uint16 @seq, aim uint16, buttons uint16 in 0..15 }
struct State { n uint16 @seq, seen uint16 @ack(Input.n), players [4]Player }
struct Player { x uint16 in 0..4095, y uint16 in 0..4095, health uint8 in 0..100, alive bool8 }
expect timeout 2s
`

const plannedStart = int64(1_767_362_400_000_000_000) // 14:00:00 UTC

// planned is that session, as the server's end captured it; the attacker's packets are beside it.
func planned(t testing.TB) *maker { return session{lostOf: 20, latency: 80}.make(t) }

// session is what was planned of one: of so many inputs one is lost; a state comes so many ms after its input.
type session struct {
	lostOf  uint16
	latency int64
}

func (s session) make(t testing.TB) *maker {
	m := newMaker(compile(t, plannedSchema), 0)
	client, server, attacker := netip.MustParseAddrPort("10.0.0.2:5000"), netip.MustParseAddrPort("10.0.0.1:4000"), netip.MustParseAddrPort("10.0.0.66:6666")
	var list []pcap.Datagram
	send := func(ms int64, src, dst netip.AddrPort, payload ...byte) {
		list = append(list, pcap.Datagram{Time: plannedStart + ms*int64(time.Millisecond), Src: src, Dst: dst, Payload: payload, Size: len(payload)})
	}
	sent, seen := uint16(0), uint16(0)
	for tick := range int64(1200) {
		at := 50 * tick
		if tick < 600 || tick >= 660 { // else it is silent
			sent++
			if sent%s.lostOf != s.lostOf/2 { // else it is lost
				send(at, client, server, 1, byte(sent>>8), byte(sent), byte(tick*7), byte(tick), 0, byte(tick%16))
				seen = sent
			}
		}
		late := tick % 2
		if tick%10 == 0 {
			late = 10
		}
		state := []byte{2, byte(tick >> 8), byte(tick), byte(seen >> 8), byte(seen)}
		for i := range byte(4) {
			state = append(state, 1+i, byte(tick), 2+i, byte(3*tick), 100, 1)
		}
		send(at+s.latency+late, server, client, state...)
		if tick%200 == 199 {
			send(at+1, attacker, server, 1, 0, 0, 0, 0, 0, 99)
		}
	}
	slices.SortStableFunc(list, func(a, b pcap.Datagram) int { return cmp.Compare(a.Time, b.Time) })
	for i := range list {
		list[i].N = int64(i + 1)
		m.add(&list[i], "session.pcap")
	}
	return m
}

// The first screen has the planned figures.
func TestPlannedSessionOnTheFirstScreen(t *testing.T) {
	v := newView(planned(t).report(t))
	want := []tile{
		{Name: "Lost from client / server", Value: "5.0 % / 0 %", Note: "57 of 1,140 / 0 of 1,200 counted packets"},
		{Name: "RTT p50 / p99", Value: "81 ms / 90 ms", Note: "from Input.n to its @ack"},
		{Name: "Jitter p50 / p99", Value: "1 ms / 9 ms", Note: "State, every 50 ms: 20 a second of 20"},
		{Name: "Silences", Value: "1", Note: "longest 3.05 s: 10.0.0.2:5000, from 14:00:29.950"},
		{Name: "Payload a second", Value: "5.65 kbit/s", Note: "14.2 kbit/s with IP and UDP"},
	}
	for i, got := range v.Protocols[0].Summary.Health {
		if got.Name != want[i].Name || got.Value != want[i].Value || got.Note != want[i].Note || got.Spark == "" || got.To == "" {
			t.Errorf("%+v\nwant %+v", got, want[i])
		}
	}
	if len(v.Protocols[0].Summary.Health) != len(want) {
		t.Errorf("%d figures", len(v.Protocols[0].Summary.Health))
	}
}

func TestPlannedSessionInChromium(t *testing.T) {
	b := newBrowser(t)
	page := write(t, planned(t).report(t))
	held(t, page)
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1440, 900, false}, {"dark", 1440, 900, true}, {"narrow", 400, 800, false}} {
		b.size(look.width, look.height)
		b.dark(look.dark)
		b.open(page, "")
		b.wait("document.querySelector('.readout').textContent !== ''")
		b.shot("first-"+look.name, false)
		b.shot("whole-"+look.name, true)
		b.holds("#overview ~ .summary", "5.0 % / 0 %", "57 of 1,140", "81 ms / 90 ms", "1 ms / 9 ms", "3.05 s", "6 of 2,289 packets (0.3 %) were refused")
		if below := b.is("[...document.querySelectorAll('.tile')].some((n) => n.getBoundingClientRect().bottom > innerHeight)"); below && look.width > 600 {
			t.Errorf("%s: a figure is below the first screen", look.name)
		}
		if wide := b.is("document.documentElement.scrollWidth > innerWidth"); wide {
			t.Errorf("%s: the page scrolls sideways", look.name)
		}
	}
	b.quiet()
}

// One brush for all plots: by mouse and by keyboard; a click lists the packets of a column, or of a peer's column.
func TestBrushInChromium(t *testing.T) {
	b := newBrowser(t)
	b.size(1440, 900)
	b.open(write(t, planned(t).report(t)), "")
	b.wait("document.querySelector('.readout').textContent !== ''")
	if got := b.text(".readout"); got != "14:00:00 to 14:01:01" {
		t.Errorf("the plots show %q", got)
	}
	ticks := b.text(".grid")
	for _, want := range []string{"14:00:10", "14:00:30", "14:00:50"} {
		if !strings.Contains(ticks, want) {
			t.Errorf("no tick at %s: %q", want, ticks)
		}
	}
	views := "[...new Set([...document.querySelectorAll('svg.bars')].map((n) => n.getAttribute('viewBox')))].join()"
	b.drag("#time-0-loss svg.bars", 0.25, 0.75)
	var view string
	b.eval(views, &view)
	var from, width float64
	if _, err := fmt.Sscanf(view, "%f 0 %f 200", &from, &width); err != nil || math.Abs(from-2500) > 30 || math.Abs(width-5000) > 60 {
		t.Errorf("after the mouse went over a quarter to three quarters the plots show %q", view)
	}
	b.eval("document.querySelector('.brush-from').focus()", nil)
	b.press("End")
	b.eval(views, &view)
	if _, err := fmt.Sscanf(view, "%f 0 %f 200", &from, &width); err != nil || math.Abs(from+width-7500) > 30 || width > 20 {
		t.Errorf("after End at the first slider the plots show %q", view)
	}
	b.press("Tab")
	b.press("Tab")
	if !b.is("document.activeElement.matches('.brush-all')") {
		t.Error("after the sliders the keyboard is not at the button that shows all")
	}
	b.press("Enter")
	if b.eval(views, &view); view != "0 0 10000 200" {
		t.Errorf("all is %q", view)
	}
	b.drag("#time-0-packets svg.bars", 0.5/61, 0.5/61) // the first second: 20 inputs, 1 of them lost, and the states from 80 ms on
	b.holds("#status", "38 packets of 2,289")
	b.holds("#within", "14:00:00.000 to 14:00:01.000")
	b.drag(".lane ~ .lane svg.bars", 9.96/61, 9.96/61) // the attacker's at 9.951 s
	b.holds("#status", "1 packet of 2,289")
	b.holds("#list tbody", "10.0.0.66:6666")
	b.eval("document.querySelector('#within-any').click()", nil)
	b.holds("#status", "6 packets of 2,289")
	b.quiet()
}

// What several counters of a side lost is one figure, which says so.
func TestLossOfSeveralCounters(t *testing.T) {
	row := func(side schema.Direction, lost, received uint64) stats.SequenceRow {
		return stats.SequenceRow{Direction: side.String(), SequenceCounts: stats.SequenceCounts{Lost: lost, Received: received}}
	}
	for _, c := range []struct {
		rows []stats.SequenceRow
		note string
	}{
		{[]stats.SequenceRow{row(schema.Client, 1, 9), row(schema.Server, 2, 18), row(schema.Client, 0, 0)}, "1 of 10 / 2 of 20 counted packets"},
		{[]stats.SequenceRow{row(schema.Client, 1, 9), row(schema.Client, 3, 17)}, "4 of 30, all counters (@seq) together"},
	} {
		if got := lossTile(&stats.Summary{Sequences: c.rows}); got.Note != c.note {
			t.Errorf("%q, want %q", got.Note, c.note)
		}
	}
}
