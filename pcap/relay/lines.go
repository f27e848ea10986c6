package relay

import (
	"errors"
	"slices"
	"time"

	"github.com/pktscope/pktscope/pcap/relay/line"
)

// Lines pass packets on as over a bad network: two lines a client, one up to the server and one down. Make one for a
// Relay, whose Handler calls Pass.
type Lines struct {
	both    line.Both
	network *line.Network
	rate    rate
	clients uint64 // that there were
}

// ErrRate is of a packet that is lost because a second has had as many as it may.
var ErrRate = errors.New("beyond the rate")

// NewLines makes lines. The same seed means the same fates again of what the first client sends and gets, of the second
// one's, and so on. At most most packets leave in a second; 0 is no bound. It panics where a profile is out of its
// bounds.
func NewLines(both line.Both, seed uint64, most int) *Lines {
	return &Lines{both: both, network: line.NewNetwork(seed), rate: rate{most: most}}
}

// Pass sends a packet over its line. When the packet leaves, before Pass returns or later, from another goroutine,
// passed is called with its payload, which is valid from then on, and ErrRate or the system's error; twice for one that
// leaves twice, never for one that its line loses. It may not call the methods of l.
func (l *Lines) Pass(p *Packet, wish line.Wish, passed func(data []byte, err error)) (fate line.Fate) {
	lines, ok := (*p.Kept).(*[2]*line.Line)
	if !ok {
		lines = &[2]*line.Line{l.network.Line(l.both.Up, 2*l.clients), l.network.Line(l.both.Down, 2*l.clients+1)}
		l.clients++
		*p.Kept = lines
	}
	over, profile := lines[1], &l.both.Down
	if p.FromClient {
		over, profile = lines[0], &l.both.Up
	}
	now, forward := time.Now(), p.forward
	leave := func(data []byte) {
		err := ErrRate
		if !l.rate.exceeds(time.Now()) {
			err = forward(data)
		}
		passed(data, err)
	}
	l.network.Do(func() {
		fate = over.Send(now, slices.Clone(p.Data), wish, leave)
		if !profile.Delays() {
			for l.network.Pop(now) { // at once: no goroutine's turn lies between
			}
		}
	})
	return fate
}

// Run lets packets leave when they are due, until done is closed.
func (l *Lines) Run(done <-chan struct{}) { l.network.Run(done) }

// Tally is how many packets are on the way, and how many of all were held for the next to overtake them, and doubled.
func (l *Lines) Tally() (waiting int, reordered, doubled int64) {
	l.network.Do(func() { waiting, reordered, doubled = l.network.Waiting(), l.network.Reordered, l.network.Duplicated })
	return waiting, reordered, doubled
}
