// Package udp attacks servers: the target udp:HOST:PORT.
//
// A server gives no verdicts; what can be seen is whether it is alive, which it is as long as it answers a probe. It
// keeps what it was told, so what it dies of may be several packets: they are kept since it was started, and shortened
// with package fuzz where the server can be started again. Where it cannot, its first death, if it does not come back
// by itself, is the end of the attack, with all the packets that it had. Which packet it died after is told by the
// probes: see alive.go.
//
// What is attacked is a matter of law, not of taste: the address is loopback, or the one address that the user claims
// to be authorised to test; there is a rate, of which only what was missed in the last catchUp is made up for, and a
// time at which it is over.
package udp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Options are how a server is attacked.
type Options struct {
	Address netip.AddrPort // from Resolve
	Rate    int            // packets a second at most, probes included, 1..MaxRate
	Stop    time.Duration  // Send fails with ErrStopTime when it is over
	Probe   []byte         // what a server that is alive answers
	Expect  []byte         // what the answer begins with; nil for any
	Prelude [][]byte       // packets that come first, whenever the server is started: such as a join
	// Patience is how long an answer to a probe may take, the first time; the last of three probes has four times as
	// long. 0 is 250 ms.
	Patience time.Duration
	// Return is how long a client whose session was lost tries to come back before it is locked out, or the server hangs;
	// 0 is dialogue.MaxStart.
	Return time.Duration
	// Server starts the server anew. Without one a server that has died is waited for, and is gone when it does not
	// come back: see ErrGone.
	Server Server
	// Talk, where it is set, is spoken instead of Probe, Expect and Prelude.
	Talk *Talk
}

// Server is the program under attack, where it is ours to start.
type Server interface {
	// Restart starts it anew.
	Restart() error
	// Ended reports whether it has ended, and how.
	Ended() (report string, ended bool)
	Close() error
}

// MaxRate is the highest Rate.
const MaxRate = 100000

// The errors of a Send when the attack is over. Both are oracle.ErrOver.
var (
	ErrStopTime error = over("the stop time has come")
	ErrGone     error = over("the server died, and nobody starts it again") // which was the reply before
)

// over is an end that is no failure.
type over string

func (o over) Error() string        { return string(o) }
func (o over) Is(target error) bool { return target == oracle.ErrOver }

// Bounds of what is kept and waited for.
const (
	maxShortening = 300 // sequences tried
	maxHeads      = 8
	suspects      = 3 // packets before the last that are tried alone
	revival       = 10 * time.Second
	comesBack     = 2 * time.Second // of a server that somebody else starts again
	probes        = 3
	usualPatience = 250 * time.Millisecond
	preludeRest   = 20 * time.Millisecond // for the answer to a packet of the prelude
)

// Target is a server.
type Target struct {
	ctx      context.Context
	o        Options
	until    time.Time
	pace     *pace
	attack   *line        // what is attacked with goes over it, and the prelude
	watch    *line        // probes go over it; nil where the server does not answer a client that sends nothing else
	decided  bool         // whether it does is known
	sequence fuzz.History // since the server was started
	ignored  int          // packets since it last answered over attack
	closed   bool         // nobody listened on the port when the last probe came
	dead     bool
	seen     bool          // alive, ever
	trial    bool          // what is sent is known to end it: no need to look which packets do
	sought   bool          // what is sent is sent again: it hung, or locked out, before
	gone     bool          // it does not come back
	crashes  bool          // what is sent again is known to end it
	told     bool          // a reply has told the end of the server at hand
	unsaid   *oracle.Reply // about an end that no reply has told
	sent     Sent
	talk     *talking
	heads    [][][]byte // of the sequences that were found, all but their last packet: other packets may take the same
}

// Sent is how many datagrams a server was sent: packets, those of the prelude and of what was tried again among them,
// and probes.
type Sent struct{ Packets, Probes uint64 }

// New makes a target, starts the server where that is ours to do, and sees it alive. A server that was not seen alive
// before the stop time is an error, and not ErrStopTime.
func New(ctx context.Context, o Options) (*Target, error) {
	switch {
	case o.Rate < 1 || o.Rate > MaxRate:
		return nil, fmt.Errorf("rate %d: want 1..%d packets a second", o.Rate, MaxRate)
	case o.Stop <= 0:
		return nil, fmt.Errorf("stop time %v: want more than 0", o.Stop)
	case !o.Address.IsValid():
		panic("pktscope: internal error: a server without an address")
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	if o.Return <= 0 {
		o.Return = dialogue.MaxStart
	}
	t := &Target{ctx: ctx, o: o, until: time.Now().Add(o.Stop), pace: newPace(o.Rate)}
	if o.Talk != nil {
		t.talk = &talking{Talk: o.Talk, window: 1}
	}
	if err := t.begin(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// begin starts the server, if it is ours, waits until it is alive, and sends the prelude. The lines are new: what comes
// late of what was before comes to a port that is closed.
func (t *Target) begin() error {
	if t.talk != nil {
		return t.beginTalk()
	}
	if t.o.Server != nil {
		if err := t.restart(); err != nil {
			return err
		}
	}
	t.sequence.Reset()
	t.dead, t.ignored = false, 0
	// A server that is not there yet loses the probe, so many are sent.
	const soon = 20 * time.Millisecond
	within := revival
	if t.seen && t.o.Server == nil {
		within = comesBack
	}
	for by, wait := time.Now().Add(within), soon; ; wait = min(2*wait, t.o.Patience<<(probes-1)) {
		if err := t.redial(&t.attack); err != nil {
			return err
		}
		alive, err := t.ask(t.attack, wait)
		if errors.Is(err, ErrStopTime) && !t.seen {
			// Nothing was attacked, which must not look like an attack without a finding.
			return fmt.Errorf("udp:%s does not answer the probe %.64x within the stop time of %v", t.o.Address, t.o.Probe, t.o.Stop)
		}
		if err != nil {
			return err
		}
		if alive {
			t.seen = true
			break
		}
		if t.o.Server != nil {
			if report, ended := t.o.Server.Ended(); ended {
				return fmt.Errorf("the server ended before its first answer: %s", firstLine(report))
			}
		}
		if time.Now().After(by) {
			if t.seen && t.o.Server == nil {
				t.gone = true
				return ErrGone
			}
			return fmt.Errorf("udp:%s does not answer the probe %.64x within %v", t.o.Address, t.o.Probe, revival)
		}
	}
	for _, p := range t.o.Prelude {
		t.attack.forget()
		if err := t.write(p); err != nil {
			return err
		}
		t.within(preludeRest, t.attack.some)
	}
	return t.watchApart()
}

func firstLine(report string) string {
	first, _, _ := strings.Cut(report, "\n")
	return first
}

// Send sends a packet, and sees whether the server is still alive.
func (t *Target) Send(packet []byte, from decode.Direction) (reply oracle.Reply, err error) {
	if t.talk != nil {
		err = t.SendBatch([][]byte{packet}, []decode.Direction{from}, func(_ int, r oracle.Reply) bool {
			reply = r
			return true
		})
		return reply, err
	}
	if t.gone {
		return oracle.Reply{}, ErrGone
	}
	if r, late := t.late(); late {
		return r, nil
	}
	if t.dead {
		if err := t.begin(); err != nil {
			return oracle.Reply{}, err
		}
	}
	if err := t.write(packet); err != nil {
		return oracle.Reply{}, err
	}
	t.sequence.Add(packet, from)
	t.ignored++
	state, err := t.look(t.trial || t.watch != nil && t.ignored >= attendance)
	switch {
	case err != nil && !t.endsAnyway():
		return oracle.Reply{}, err
	case err != nil:
		state = silent
	case state == alive:
		return oracle.Reply{Outcome: oracle.Survived, Bits: -1}, nil
	}
	return t.died(state), nil
}

// piece is how long something is waited for, at most, without a look at what else has happened.
const piece = 20 * time.Millisecond

// within waits for something, at most so long.
func (t *Target) within(wait time.Duration, what <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-what:
		return true
	case <-timer.C:
	case <-t.ctx.Done():
	}
	return false
}

// over says why nothing more is to be sent, nil when it may.
func (t *Target) over() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if time.Now().After(t.until) {
		return ErrStopTime
	}
	return nil
}

// write sends a datagram, when the rate allows it.
func (t *Target) write(packet []byte) error {
	if t.talk != nil {
		err := t.talk.session.Send(packet)
		if errors.Is(err, dialogue.ErrNoPacket) {
			t.talk.counted.Unsent++
			return nil
		}
		return err
	}
	err := t.mayWrite()
	if err == nil {
		t.sent.Packets++
		t.attack.send(packet)
	}
	return err
}

// mayWrite waits until the rate allows another datagram.
func (t *Target) mayWrite() error {
	wait := t.pace.take(time.Now())
	for by := time.Now().Add(wait); wait > 0; wait = time.Until(by) {
		if err := t.over(); err != nil {
			return err
		}
		t.within(min(wait, piece), nil)
	}
	return t.over()
}

// Close ends the server, if it is ours.
func (t *Target) Close() error {
	err := errors.Join(t.attack.close(), t.watch.close())
	if t.talk != nil {
		err = errors.Join(err, t.talk.line.close())
	}
	if t.o.Server != nil {
		err = errors.Join(err, t.o.Server.Close())
	}
	return err
}
