// Package udp attacks servers: the target udp:HOST:PORT.
//
// A server gives no verdicts; what can be seen is whether it is alive, which it is as long as it answers a probe. It keeps
// what it was told, so what it dies of may be several packets: they are kept since it was started, and shortened where the
// server can be started again. Where it cannot, its first death, if it does not come back by itself, is the end of the
// attack, with all the packets that it had.
//
// What is attacked is a matter of law, not of taste: the address is loopback, or the one address that the user claims to be
// authorised to test; there is a rate, of which only what was missed in the last catchUp is made up for, and a time at which
// it is over.
package udp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// Options are how a server is attacked.
type Options struct {
	Address netip.AddrPort // from Resolve
	Rate    int            // packets a second at most, probes included, 1..MaxRate
	Stop    time.Duration  // Send fails with ErrStopTime when it is over
	Probe   []byte         // what a server that is alive answers
	Expect  []byte         // what the answer begins with; nil for any
	Prelude [][]byte       // packets that come first, whenever the server is started: such as a join
	// Patience is how long an answer to a probe may take, the first time; the last of three probes has four times as long. 0 is
	// 250 ms.
	Patience time.Duration
	// Server starts the server anew. Without one a server that has died is waited for, and is gone when it does not come back:
	// see ErrGone.
	Server Server
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

// The errors of a Send when the attack is over. Both are fuzz.ErrOver.
var (
	ErrStopTime error = over("the stop time has come")
	ErrGone     error = over("the server died, and nobody starts it again") // which was the reply before
)

// over is an end that is no failure.
type over string

func (o over) Error() string        { return string(o) }
func (o over) Is(target error) bool { return target == fuzz.ErrOver }

// Bounds of what is kept and waited for.
const (
	maxShortening = 300 // sequences tried
	maxHeads      = 8
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
	conn     *net.UDPConn
	until    time.Time
	pace     *pace
	heard    *heard
	sequence fuzz.History // since the server was started
	dead     bool
	seen     bool       // alive, ever
	trial    bool       // what is sent is known to end it: no need to look which packets do
	gone     bool       // it does not come back
	heads    [][][]byte // of the sequences that were found, all but their last packet: other packets may take the same
}

// New makes a target, starts the server where that is ours to do, and sees it alive. A server that was not seen alive before
// the stop time is an error, and not ErrStopTime.
func New(ctx context.Context, o Options) (*Target, error) {
	switch {
	case o.Rate < 1 || o.Rate > MaxRate:
		return nil, fmt.Errorf("rate %d: want 1..%d packets a second", o.Rate, MaxRate)
	case o.Stop <= 0:
		return nil, fmt.Errorf("stop time %v: want more than no time", o.Stop)
	case !o.Address.IsValid():
		panic("pktscope: internal error: a server without an address")
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(o.Address))
	if err != nil {
		return nil, fmt.Errorf("udp:%s: %w", o.Address, err)
	}
	t := &Target{ctx: ctx, o: o, conn: conn, until: time.Now().Add(o.Stop), pace: newPace(o.Rate), heard: listen(conn, o.Expect)}
	if err := t.begin(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// begin starts the server, if it is ours, waits until it is alive, and sends the prelude.
func (t *Target) begin() error {
	if t.o.Server != nil {
		if err := t.o.Server.Restart(); err != nil {
			return err
		}
	}
	t.sequence.Reset()
	t.dead = false
	// A server that is not there yet loses the probe, so many are sent.
	const soon = 20 * time.Millisecond
	within := revival
	if t.seen && t.o.Server == nil {
		within = comesBack
	}
	for by, wait := time.Now().Add(within), soon; ; wait = min(2*wait, t.o.Patience) {
		alive, err := t.probe(wait)
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
		if err := t.write(p); err != nil {
			return err
		}
		t.within(preludeRest, t.heard.some)
	}
	return nil
}

// Send sends a packet, and sees whether the server is still alive.
func (t *Target) Send(packet []byte, from decode.Direction) (fuzz.Reply, error) {
	if t.gone {
		return fuzz.Reply{}, ErrGone
	}
	if t.dead {
		if err := t.begin(); err != nil {
			return fuzz.Reply{}, err
		}
	}
	if err := t.write(packet); err != nil {
		return fuzz.Reply{}, err
	}
	t.sequence.Add(packet, from)
	alive, err := t.alive()
	if err != nil {
		return fuzz.Reply{}, err
	}
	if alive {
		return fuzz.Reply{Outcome: fuzz.Survived, Bits: -1}, nil
	}
	return t.died()
}

// died answers for a packet behind which the server is not alive any more.
func (t *Target) died() (fuzz.Reply, error) {
	t.dead = true
	r := fuzz.Reply{Outcome: fuzz.Crashed, Bits: -1, Culprit: t.sequence.Packets(), Report: "the server does not answer any more"}
	if n := t.sequence.Lost(); n > 0 {
		r.Report += fmt.Sprintf("; it had %d packets before those that are kept", n)
	}
	if t.o.Server == nil {
		r.Undone = fuzz.NotTried
		return r, nil
	}
	if report, ended := t.o.Server.Ended(); ended {
		r.Report = report
	} else {
		r.Outcome, r.Report = fuzz.Hung, "the server runs, and does not answer any more"
	}
	if t.trial {
		return r, nil
	}
	last := r.Culprit[len(r.Culprit)-1]
	r.Undone = fuzz.NotTried
	culprit, least, err := t.shortest(r.Culprit)
	if culprit != nil {
		r.Culprit, r.Undone = culprit, fuzz.Shortened(least)
	} else if err == nil {
		r.Undone = fuzz.NotAgain
		r.Report = "it did not happen again with the same packets\n" + r.Report
	}
	if errors.Is(err, ErrStopTime) {
		err = nil // as short as it is by now
	}
	if len(r.Culprit) == 1 && bytes.Equal(r.Culprit[0], last) {
		r.Culprit, r.Undone = nil, fuzz.AllDone // it is the packet at hand
	}
	t.dead = true
	return r, err
}

// shortest finds the fewest packets of a sequence that still do it, its last one among them; nil when not even all do. least
// says that each of them is needed.
func (t *Target) shortest(sequence [][]byte) (shorter [][]byte, least bool, err error) {
	last := sequence[len(sequence)-1:]
	for _, head := range append([][][]byte{nil}, t.heads...) {
		try := append(head[:len(head):len(head)], last...)
		if dies, err := t.dies(try); err != nil {
			return nil, false, err
		} else if dies {
			return try, true, nil
		}
	}
	n, err := t.replay(sequence)
	if err != nil || n == 0 {
		return nil, false, err
	}
	// What is behind came only because an answer to something else was taken for one to the probe.
	sequence, least, err = fuzz.ShortenSequence(sequence[:n], maxShortening, t.dies)
	if n := len(sequence) - 1; err == nil && n > 0 && len(t.heads) < maxHeads {
		t.heads = append(t.heads, sequence[:n:n])
	}
	return sequence, least, err
}

// dies reports whether a server that was just started dies of a sequence.
func (t *Target) dies(sequence [][]byte) (bool, error) {
	n, err := t.replay(sequence)
	return n > 0, err
}

// replay sends a sequence to a server that was just started, and says after how many packets it dies; 0 when it does not.
func (t *Target) replay(sequence [][]byte) (int, error) {
	if err := t.begin(); err != nil {
		return 0, err
	}
	for i, p := range sequence {
		if err := t.write(p); err != nil {
			return 0, err
		}
		// Each is seen to be survived before the next, as it was the first time.
		alive, err := t.alive()
		if err != nil {
			return 0, err
		}
		if !alive {
			return i + 1, nil
		}
	}
	return 0, nil
}

// alive reports whether the server answers one of several probes.
func (t *Target) alive() (bool, error) {
	for i := range probes {
		alive, err := t.probe(t.o.Patience << i)
		if alive || err != nil {
			return alive, err
		}
		if t.o.Server != nil {
			if _, ended := t.o.Server.Ended(); ended {
				return false, nil
			}
		}
	}
	return false, nil
}

// probe sends the probe and waits for its answer.
func (t *Target) probe(patience time.Duration) (bool, error) {
	if err := t.mayWrite(); err != nil {
		return false, err
	}
	t.heard.forget() // what came before is no answer
	t.send(t.o.Probe)
	for by := time.Now().Add(patience); ; {
		left := time.Until(by)
		if left <= 0 {
			return false, t.over()
		}
		// In pieces, so that a server that has ended, or our own end, is not waited for.
		if t.within(min(left, piece), t.heard.answer) {
			return true, nil
		}
		if err := t.over(); err != nil {
			return false, err
		}
		select {
		case <-t.heard.refused: // there is nothing to be patient with
			t.within(min(piece, left), nil)
			return false, t.over()
		default:
		}
		if t.o.Server != nil {
			if _, ended := t.o.Server.Ended(); ended {
				return false, nil
			}
		}
	}
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
	err := t.mayWrite()
	if err == nil {
		t.send(packet)
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

// send sends a datagram. What is wrong with it, such as a port that nobody listens on, shows in the answers; a packet that is
// too long for a datagram never arrives.
func (t *Target) send(packet []byte) {
	if _, err := t.conn.Write(packet); err != nil {
		_, _ = t.conn.Write(packet) // the error was of what was sent before, and this was not sent
	}
}

// Close ends the server, if it is ours.
func (t *Target) Close() error {
	err := t.conn.Close()
	<-t.heard.ended
	if t.o.Server != nil {
		err = errors.Join(err, t.o.Server.Close())
	}
	return err
}

func firstLine(text string) string {
	for i := range len(text) {
		if text[i] == '\n' {
			return text[:i]
		}
	}
	return text
}
