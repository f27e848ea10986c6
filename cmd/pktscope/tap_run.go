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
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
)

// tapping is one run of `tap`: what becomes of each datagram that the relay has. All but run is under the relay's lock.
type tapping struct {
	*program
	view   *view
	flags  *tapFlags
	listen netip.AddrPort
	server netip.AddrPort // as it is shown
	board  *board         // of --stats; nil without

	random  *rand.Rand
	losing  *decode.Decoder // of --drop-if; nil without
	matcher *filter.Matcher
	trace   decode.Trace

	met         int64 // datagrams
	dropped     int64 // of them: by --drop and --drop-if
	limited     int64 // by --rate
	undelivered int64 // not taken by the system
	window      time.Time
	inWindow    int
}

// errDone ends the relay when a number of packets was reached.
var errDone = errors.New("done")

// prepare chooses the protocol by the ports, where -p does not, and makes what decides about losses.
func (t *tapping) prepare(cmd *cobra.Command, to netip.AddrPort) error {
	v, f := t.view, t.flags
	decoder, ok := 0, false
	t.server, ok = serverOf(v.spec.ports(), t.listen, to)
	if v.table != nil {
		if !ok {
			return fmt.Errorf("neither %d nor %d is the port of a built-in protocol: %s; name the protocol with -p", t.listen.Port(), to.Port(), v.table.list())
		}
		decoder = v.table.choose(t.server.Port(), t.server.Port())
	}
	if f.dropIf != "" {
		programs, err := t.compileFilter(f.dropIf, v.spec.decoders[decoder:decoder+1])
		if err != nil {
			return err
		}
		t.losing, t.matcher = v.spec.decoders[decoder], programs[0].NewMatcher()
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = rand.Uint64N(1 << 32) // short enough to be typed again
	}
	t.random = rand.New(rand.NewPCG(f.seed, 0))
	return nil
}

func (t *tapping) run(r *relay, interrupt chan os.Signal) error {
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-interrupt:
			signal.Stop(interrupt) // the next one ends it whatever it waits for: stdout can be a pipe that nobody reads
			r.close()
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
				r.close()
			case <-ticker.C: // so that a process that is killed leaves all but the last moments
				t.locked(r, func() error {
					if t.view.save == nil {
						return nil
					}
					return t.view.save.flush()
				})
			case now := <-drawn:
				t.locked(r, func() error { return t.board.draw(t.progress(), now) })
			case <-done:
				return
			}
		}
	}()
	stop := t.out.flushEvery(flushInterval)
	err := r.run()
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

// locked does what is due beside the packets; an error, which is one of the output, ends the relay.
func (t *tapping) locked(r *relay, do func() error) {
	r.mu.Lock()
	err := do()
	r.mu.Unlock()
	if err != nil {
		r.fail(asWrite(err))
		r.close()
	}
}

// handle passes a datagram on or loses it, and shows what it passed on.
func (t *tapping) handle(fromClient bool, client netip.AddrPort, data []byte, send func([]byte) error) error {
	src, dst := client, t.server
	if !fromClient {
		src, dst = dst, src
	}
	t.met++
	d := pcap.Datagram{N: t.met, Time: time.Now().UnixNano(), Src: src, Dst: dst, Payload: data, Size: len(data), WireLen: len(data)}
	switch {
	case t.loses(&d):
		t.dropped++
	case t.tooMany(time.Now()):
		t.limited++
	case send(data) != nil:
		t.undelivered++ // nobody listens there
	default:
		if done, err := t.show(&d); err != nil {
			return asWrite(err)
		} else if done {
			return errDone
		}
	}
	if t.met == t.flags.stopAt.packets {
		return errDone
	}
	return nil
}

// loses reports whether --drop or --drop-if want the datagram lost. The dice are cast for each, whatever the other says,
// so that a seed means the same packets.
func (t *tapping) loses(d *pcap.Datagram) bool {
	lost := t.flags.part > 0 && t.random.Float64() < t.flags.part
	if t.losing == nil {
		return lost
	}
	from := decode.DirectionOf(t.losing.Plan().Schema, d.Src.Port(), d.Dst.Port())
	_ = t.losing.Decode(d.Payload, from, &t.trace) // its error is the trace's reject
	return t.matcher.Match(&t.trace, &filter.Envelope{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst}) || lost
}

// tooMany reports whether --rate has been reached in this second.
func (t *tapping) tooMany(now time.Time) bool {
	if t.flags.rate == 0 {
		return false
	}
	if now.Sub(t.window) >= time.Second {
		t.window, t.inWindow = now, 0
	}
	t.inWindow++
	return t.inWindow > t.flags.rate
}

func (t *tapping) show(d *pcap.Datagram) (done bool, err error) {
	v := t.view
	shown := v.shown
	if t.board != nil {
		done = t.board.datagram(d)
	} else {
		done, err = v.datagram(d, "")
	}
	if err == nil && v.save != nil && v.shown > shown {
		err = v.save.addUDP(d.Time, d.Src, d.Dst, d.Payload)
	}
	return done, err
}

// progress is what the head of a board says of the relay.
func (t *tapping) progress() string {
	return fmt.Sprintf("passed on: %d of %s", t.passed(), plural(t.met, "datagram"))
}

func (t *tapping) passed() int64 { return t.met - t.dropped - t.limited - t.undelivered }

// summary is a line on what was passed on and what was not.
func (t *tapping) summary(r *relay) string {
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
	if missed := r.missed.Load(); missed > 0 {
		list = append(list, fmt.Sprintf("%d lost before tap could read them", missed))
	}
	if r.crowded > 0 {
		list = append(list, fmt.Sprintf("%d of clients beyond %d", r.crowded, maxClients))
	}
	return strings.Join(list, ", ") + "\n"
}
