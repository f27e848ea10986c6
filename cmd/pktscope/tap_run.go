package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/relay"
	"github.com/pktscope/pktscope/report/scan"
)

// tapping is one run of `tap`: what becomes of each datagram that the relay has. All but run is under the relay's lock.
type tapping struct {
	*program
	view   *view
	flags  *tapFlags
	listen netip.AddrPort
	server netip.AddrPort // as it is shown
	board  *board         // of --stats; nil without
	take   func(d *pcap.Datagram, records ...pcap.Record) error
	tally  func() scan.Tally

	loss    *relay.Loss
	losing  *decode.Decoder // of --drop-if; nil without
	matcher *filter.Matcher
	trace   decode.Trace

	met         int64 // datagrams
	dropped     int64 // of them: by --drop and --drop-if
	limited     int64 // by --rate
	undelivered int64 // not taken by the system
}

// errDone ends the relay when a number of packets was reached.
var errDone = errors.New("done")

// prepare chooses the protocol by the ports, where -p does not, and makes what decides about losses.
func (t *tapping) prepare(cmd *cobra.Command, to netip.AddrPort) error {
	v, f := t.view, t.flags
	decoders := v.scan.Decoders
	decoder, ok := 0, false
	t.server, ok = serverOf(portsOf(v.scan.Decoders), t.listen, to)
	if decoders.Ports() {
		if !ok {
			return fmt.Errorf("neither %d nor %d is the port of a built-in protocol: %s; name the protocol with -p", t.listen.Port(), to.Port(), decoders)
		}
		decoder = decoders.Index(t.server, t.server)
	}
	if f.dropIf != "" {
		programs, err := t.compileFilter("--drop-if", f.dropIf, decoders.All()[decoder:decoder+1])
		if err != nil {
			return err
		}
		t.losing, t.matcher = decoders.All()[decoder], programs[0].NewMatcher()
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = rand.Uint64N(1 << 32) // short enough to be typed again
	}
	t.loss = relay.NewLoss(f.part, f.seed, f.rate)
	if t.board != nil {
		t.take, t.tally = serially(v.scan, scan.Join(t.board.counter.Stage(), v.stage()))
	} else {
		t.take, t.tally = serially(v.scan, v.stage())
	}
	return nil
}

func (t *tapping) run(r *relay.Relay, interrupt chan os.Signal) error {
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-interrupt:
			signal.Stop(interrupt) // the next one ends it whatever it waits for: stdout can be a pipe that nobody reads
			r.Close()
		case <-done:
		}
	}()
	go func() {
		defer close(watched)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		var drawn <-chan time.Time
		if t.board != nil {
			draws := time.NewTicker(t.flags.stats)
			defer draws.Stop()
			drawn = draws.C
		}
		var timeUp <-chan time.Time
		if d := t.flags.stopAt.duration; d > 0 {
			timer := time.NewTimer(d)
			defer timer.Stop()
			timeUp = timer.C
		}
		for {
			select {
			case <-timeUp:
				r.Close()
			case <-ticker.C: // so that a process that is killed leaves all but the last moments
				r.Do(func() error {
					if t.view.save == nil {
						return nil
					}
					return asWrite(t.view.save.flush())
				})
			case now := <-drawn:
				r.Do(func() error { return asWrite(t.board.draw(t.progress(), now)) })
			case <-done:
				return
			}
		}
	}()
	stop := t.out.flushEvery(flushInterval)
	err := r.Run()
	stop()
	close(done)
	<-watched
	if err == errDone {
		err = nil
	}
	if t.board != nil && err == nil {
		err = asWrite(t.board.draw(t.progress(), time.Now()))
	}
	return err
}

// handle passes a datagram on or loses it, and shows what it passed on.
func (t *tapping) handle(p *relay.Packet) error {
	src, dst := p.Client, t.server
	if !p.FromClient {
		src, dst = dst, src
	}
	t.met++
	d := pcap.Datagram{N: t.met, Time: time.Now().UnixNano(), Src: src, Dst: dst, Payload: p.Data, Size: len(p.Data), WireLen: len(p.Data)}
	switch {
	case t.loses(&d):
		t.dropped++
	case t.loss.Exceeds(time.Now()):
		t.limited++
	case p.Forward(p.Data) != nil:
		t.undelivered++ // nobody listens there
	default:
		if err := t.show(&d); err != nil {
			return err
		}
	}
	if t.met == t.flags.stopAt.packets {
		return errDone
	}
	return nil
}

// loses reports whether --drop or --drop-if want the datagram lost. The dice are cast for each, whatever the other
// says, so that a seed means the same packets.
func (t *tapping) loses(d *pcap.Datagram) bool {
	lost := t.loss.Drops()
	if t.losing == nil {
		return lost
	}
	from := decode.DirectionOf(t.losing.Plan().Schema, d.Src.Port(), d.Dst.Port())
	_ = t.losing.Decode(d.Payload, from, &t.trace) // its error is the trace's reject
	return t.matcher.Match(&t.trace, &decode.Envelope{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst}) || lost
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
	return fmt.Sprintf("passed on: %d of %s", t.passed(), syntax.Count(t.met, "datagram"))
}

func (t *tapping) passed() int64 { return t.met - t.dropped - t.limited - t.undelivered }

// summary is a line on what was passed on and what was not.
func (t *tapping) summary(r *relay.Relay) string {
	list := []string{t.progress()}
	if t.flags.part > 0 {
		list = append(list, fmt.Sprintf("%d dropped (--drop %s --seed %d)", t.dropped, t.flags.drop, t.flags.seed))
	} else if t.losing != nil {
		list = append(list, fmt.Sprintf("%d dropped", t.dropped))
	}
	if t.limited > 0 {
		list = append(list, fmt.Sprintf("%d beyond --rate", t.limited))
	}
	if t.undelivered > 0 {
		list = append(list, fmt.Sprintf("%d undelivered", t.undelivered))
	}
	if missed := r.Missed(); missed > 0 {
		list = append(list, fmt.Sprintf("%d lost before tap could read them", missed))
	}
	if crowded := r.Crowded(); crowded > 0 {
		list = append(list, fmt.Sprintf("%d of clients beyond %d", crowded, relay.MaxClients))
	}
	return strings.Join(list, ", ") + "\n"
}
