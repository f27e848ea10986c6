package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/relay"
	"github.com/pktscope/pktscope/pcap/relay/line"
	"github.com/pktscope/pktscope/report/scan"
)

// tapping is one run of `tap`: what becomes of each datagram that the relay has.
type tapping struct {
	*program
	view   *view
	flags  *tapFlags
	listen netip.AddrPort
	server netip.AddrPort // as it is shown
	relay  *relay.Relay

	// Under the relay's lock.
	lines   *relay.Lines
	losing  *decode.Decoder // of --drop-if and --delay-if; nil without
	dropIf  *filter.Matcher
	delayIf *filter.Matcher
	trace   decode.Trace

	// Of the goroutine that shows.
	board *board // of --stats; nil without
	take  func(d *pcap.Datagram, records ...pcap.Record) error
	tally func() scan.Tally

	shows  chan pcap.Datagram // what passed, on its way to take
	queued atomic.Int64       // bytes of it

	met         atomic.Int64  // datagrams
	left        atomic.Int64  // passed on, each copy
	dropped     atomic.Int64  // of them: by the lines' drop, and --drop-if
	crowded     atomic.Int64  // by the lines' bandwidth
	limited     atomic.Int64  // by --rate
	undelivered atomic.Int64  // not taken by the system
	unshown     atomic.Int64  // passed on, and not shown
	arrived     chan struct{} // tells that -a packets: is reached and nothing is on the way any more
}

// What waits to be shown at most.
const (
	maxQueued      = 16 << 20 // bytes
	maxQueuedCount = 1 << 14  // datagrams
)

// errDone ends the relay when a number of packets was reached.
var errDone = errors.New("done")

// prepare chooses the protocol by the ports, where -p does not, and makes what decides about losses.
func (t *tapping) prepare(cmd *cobra.Command, to netip.AddrPort) error {
	v, f := t.view, t.flags
	decoders := v.scan.Decoders
	decoder, ok := 0, false
	t.server, ok = serverOf(decoders.AllPorts(), t.listen, to)
	if decoders.Ports() {
		if !ok {
			return fmt.Errorf("neither %d nor %d is the port of a built-in protocol: %s; name the protocol with -p", t.listen.Port(), to.Port(), decoders)
		}
		decoder = decoders.Index(t.server, t.server)
	}
	for _, of := range []struct {
		flag, expr string
		matcher    **filter.Matcher
	}{{"--drop-if", f.dropIf, &t.dropIf}, {"--delay-if", f.delayIf, &t.delayIf}} {
		if of.expr == "" {
			continue
		}
		programs, err := t.compileFilter(of.flag, of.expr, []*decode.Decoder{decoders.At(decoder)})
		if err != nil {
			return err
		}
		t.losing, *of.matcher = decoders.At(decoder), programs[0].NewMatcher()
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = rand.Uint64N(1 << 32) // short enough to be typed again
	}
	t.lines = relay.NewLines(f.both, f.seed, f.rate)
	t.shows, t.arrived = make(chan pcap.Datagram, maxQueuedCount), make(chan struct{}, 1)
	if t.board != nil {
		t.take, t.tally = serially(v.scan, scan.Join(t.board.counter.Stage(), v.stage()))
	} else {
		t.take, t.tally = serially(v.scan, v.stage())
	}
	return nil
}

func (t *tapping) run(interrupt chan os.Signal) error {
	done := make(chan struct{})
	var running, showing sync.WaitGroup
	running.Go(func() { t.lines.Run(done) })
	go t.watch(interrupt, done)
	var failed error // of what is shown
	showing.Go(func() { failed = t.showAll() })
	stop := t.out.flushEvery(flushInterval)
	err := t.relay.Run()
	stop()
	close(done)
	running.Wait()
	close(t.shows)
	showing.Wait()
	if err == nil || err == errDone {
		err = failed
	}
	if err == errDone {
		err = nil
	}
	if t.board != nil && err == nil {
		err = asWrite(t.board.draw(t.progress(), time.Now()))
	}
	return err
}

// watch ends the relay at Ctrl-C, when its time is over, and when all has left that -a packets: lets in.
func (t *tapping) watch(interrupt chan os.Signal, done <-chan struct{}) {
	var timeUp <-chan time.Time
	if d := t.flags.stopAt.duration; d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeUp = timer.C
	}
	for {
		select {
		case <-interrupt:
			signal.Stop(interrupt) // the next one ends it whatever it waits for: stdout can be a pipe that nobody reads
		case <-timeUp:
		case <-t.arrived:
			if waiting, _, _ := t.lines.Tally(); waiting > 0 {
				continue
			}
		case <-done:
			return
		}
		t.relay.Close()
	}
}

// handle passes a datagram on or loses it. It never waits for what is shown.
func (t *tapping) handle(p *relay.Packet) error {
	if t.full() {
		return nil // others are still on the way
	}
	src, dst := p.Client, t.server
	if !p.FromClient {
		src, dst = dst, src
	}
	d := pcap.Datagram{N: t.met.Add(1), Src: src, Dst: dst}
	switch t.lines.Pass(p, t.wish(&d, p.Data), func(data []byte, err error) { t.passed(d, data, err) }) {
	case line.Dropped:
		t.dropped.Add(1)
	case line.Crowded:
		t.crowded.Add(1)
	case line.Sent:
	}
	if t.full() {
		if waiting, _, _ := t.lines.Tally(); waiting == 0 {
			return errDone
		}
	}
	return nil
}

// full reports whether -a packets: is reached.
func (t *tapping) full() bool {
	most := t.flags.stopAt.packets
	return most > 0 && t.met.Load() == most
}

// wish is what --drop-if and --delay-if say of a datagram.
func (t *tapping) wish(d *pcap.Datagram, payload []byte) line.Wish {
	if t.losing == nil {
		return line.Usual
	}
	from := decode.DirectionOf(t.losing.Plan().Schema, d.Src.Port(), d.Dst.Port())
	_ = t.losing.Decode(payload, from, &t.trace) // its error is the trace's reject
	envelope := &decode.Envelope{N: d.N, Time: time.Now().UnixNano(), Src: d.Src, Dst: d.Dst}
	switch {
	case t.dropIf != nil && t.dropIf.Match(&t.trace, envelope):
		return line.Lost
	case t.delayIf != nil && !t.delayIf.Match(&t.trace, envelope):
		return line.Undelayed
	}
	return line.Usual
}

// passed has a datagram shown that has left. It never waits.
func (t *tapping) passed(d pcap.Datagram, payload []byte, err error) {
	switch {
	case err == relay.ErrRate:
		t.limited.Add(1)
		return
	case err != nil:
		t.undelivered.Add(1) // nobody listens there
		return
	}
	t.left.Add(1)
	if t.full() {
		select {
		case t.arrived <- struct{}{}:
		default: // it is told
		}
	}
	d.Time, d.Payload, d.Size, d.WireLen = time.Now().UnixNano(), payload, len(payload), len(payload)
	if t.queued.Add(int64(len(payload))) <= maxQueued {
		select {
		case t.shows <- d:
			return
		default:
		}
	}
	t.queued.Add(-int64(len(payload)))
	t.unshown.Add(1)
}

// showAll shows and saves what has left until there is no more, and draws the board.
func (t *tapping) showAll() error {
	flush := time.NewTicker(time.Second) // so that a process that is killed leaves all but the last moments
	defer flush.Stop()
	var drawn <-chan time.Time
	var resizes chan os.Signal
	if t.board != nil {
		resizes = t.board.resizes
		draws := time.NewTicker(t.flags.stats)
		defer draws.Stop()
		drawn = draws.C
	}
	var failed error
	for {
		var err error
		select {
		case d, ok := <-t.shows:
			if !ok {
				return failed
			}
			t.queued.Add(-int64(len(d.Payload)))
			if failed == nil {
				err = t.show(&d)
			}
		case <-flush.C:
			if t.view.save != nil && failed == nil {
				err = asWrite(t.view.save.flush())
			}
		case now := <-drawn:
			if failed == nil {
				err = asWrite(t.board.draw(t.progress(), now))
			}
		case <-resizes:
			if failed == nil {
				err = asWrite(t.board.show())
			}
		}
		if err != nil {
			failed = err
			t.relay.Close()
		}
	}
}

// show shows and saves a datagram.
func (t *tapping) show(d *pcap.Datagram) error {
	matched := t.tally().Matched
	err := t.take(d)
	done := errors.Is(err, batch.ErrStop)
	if err != nil && !done {
		return err
	}
	if save := t.view.save; save != nil && t.tally().Matched > matched {
		if err := save.addUDP(d.Time, d.Src, d.Dst, d.Payload); err != nil {
			return asWrite(err)
		}
	}
	if done {
		return errDone
	}
	return nil
}

// serially is a scan of datagrams that come one by one.
func serially[B any](o scan.Options, s scan.Stage[B]) (take func(*pcap.Datagram, ...pcap.Record) error, tally func() scan.Tally) {
	one := scan.NewSerial(o, s)
	return one.Take, one.Tally
}

// progress is what the head of a board says of the relay.
func (t *tapping) progress() string {
	return fmt.Sprintf("passed on: %d of %s", t.left.Load(), syntax.Count(t.met.Load(), "datagram"))
}

// summary is a line on what was passed on and what was not.
func (t *tapping) summary(r *relay.Relay) string {
	list := []string{t.progress()}
	dropped := fmt.Sprintf("%d dropped", t.dropped.Load())
	if len(t.flags.asked) > 0 {
		dropped += fmt.Sprintf(" (%s --seed %d)", strings.Join(t.flags.asked, " "), t.flags.seed)
	}
	if len(t.flags.asked) > 0 || t.dropIf != nil {
		list = append(list, dropped)
	}
	waiting, reordered, doubled := t.lines.Tally()
	for _, of := range []struct {
		n    int64
		what string
	}{
		{t.crowded.Load(), "beyond --bandwidth"},
		{reordered, "reordered"},
		{doubled, "passed on twice"},
		{int64(waiting), "still on the way"},
		{t.limited.Load(), "beyond --rate"},
		{t.undelivered.Load(), "undelivered"},
		{r.Missed(), "lost before tap could read them"},
		{r.Crowded(), fmt.Sprintf("of clients beyond %d", relay.MaxClients)},
		{t.unshown.Load(), "passed on and not shown: stdout was too slow"},
	} {
		if of.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return strings.Join(list, ", ") + "\n"
}
