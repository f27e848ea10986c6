package udp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A server that has let a client in is attacked inside a session, which a dialogue makes and keeps alive. One session
// carries many packets, in windows: a look follows each window, and a window has twice as many packets after a look that
// came back soon, one after anything odd. Where a session is lost, and the server lets the client in again, nothing is
// found: it is counted. Where it lets another client in, and this one not, it is locked out; where it lets nobody in, it
// hangs or is dead.

// Talk is what is said with a server before it is attacked, and meanwhile.
type Talk struct {
	Dialogue *dialogue.Dialogue
	Values   *dialogue.Values
	Keys     *keys.File // for what is sealed; nil for none
	Section  string     // packets to attack with are messages of it, each sealed in a packet of its own; "": they are packets
}

// maxWindow is the most packets between two looks.
const maxWindow = 64

// Sessions is how a dialogue went.
type Sessions struct {
	Begun  int           // that stood
	Lost   int           // of these, those that were lost while the server was alive
	Join   time.Duration // that starting them took, together
	Attack time.Duration // that hostile packets took, with the looks
	Sent   uint64        // hostile packets
	Unsent uint64        // messages that no packet holds
	Window int           // packets between two looks at the end
}

// Text is Sessions in a line.
func (s Sessions) Text() string {
	if s.Begun == 0 {
		return "no session stood"
	}
	rate := 0.0
	if s.Attack > 0 {
		rate = float64(s.Sent) / s.Attack.Seconds()
	}
	unsent := ""
	if s.Unsent > 0 {
		unsent = fmt.Sprintf("; not sent: %s that no packet holds", syntax.Count(int64(s.Unsent), "message"))
	}
	return fmt.Sprintf("%s, %v each (%.1f s), %d lost; %.0f packets/s; window %d%s",
		syntax.Count(s.Begun, "session"), (s.Join / time.Duration(s.Begun)).Round(100*time.Microsecond), s.Join.Seconds(), s.Lost, rate, s.Window, unsent)
}

func (s *Sessions) add(o *Sessions, window int) {
	s.Begun += o.Begun
	s.Lost += o.Lost
	s.Join += o.Join
	s.Attack += o.Attack
	s.Sent += o.Sent
	s.Unsent += o.Unsent
	s.Window = window
}

// talking is a Talk that goes on.
type talking struct {
	*Talk
	line    *talkLine
	session *dialogue.Session
	// attacked is the session that the packets before the last look were sent in.
	attacked *dialogue.Session
	values   []message.Value
	number   int // identities used
	refused  int // session starts in a row
	window   int
	exact    bool   // the last look followed one packet
	ending   string // how the server ended that was there before the one at hand, where died is to say it; else ""
	shut     bool   // a client could not come back, once
	limit    time.Duration
	kicked   bool // the last look found the session lost, and the server alive
	counted  Sessions
}

// talkLine is a socket for sessions: not connected, since a server may answer from another port.
type talkLine struct {
	target *Target
	conn   *net.UDPConn
	peer   netip.AddrPort
	last   []byte // that was sent
	came   chan datagram
	ended  chan struct{}
}

type datagram struct {
	data []byte
	from netip.AddrPort
}

// maxUnread is how many of a server's datagrams wait to be read; it may send as fast as it likes.
const maxUnread = 4096

func (t *Target) dialTalk() (*talkLine, error) {
	at := t.o.Address
	local := &net.UDPAddr{IP: net.IPv4zero}
	if at.Addr().Is6() {
		local.IP = net.IPv6zero
	}
	if at.Addr().IsLoopback() {
		local.IP = at.Addr().AsSlice() // nobody elsewhere can answer
		if at.Addr().Is4() {
			local.IP = net.IPv4(127, 0, 0, 1)
		}
	}
	conn, err := net.ListenUDP("udp", local)
	if err == nil && conn.LocalAddr().(*net.UDPAddr).Port == int(at.Port()) { // see dial
		taken := conn
		conn, err = net.ListenUDP("udp", local)
		_ = taken.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("udp:%s: %w", at, err)
	}
	l := &talkLine{target: t, conn: conn, peer: at, came: make(chan datagram, maxUnread), ended: make(chan struct{})}
	go l.listen(at.Addr())
	return l, nil
}

func (l *talkLine) listen(of netip.Addr) {
	defer close(l.ended)
	buf := make([]byte, 1<<16)
	for {
		n, from, err := l.conn.ReadFromUDPAddrPort(buf)
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(time.Millisecond) // should it be an error that stays
		case from.Addr() == of:
			select {
			case l.came <- datagram{append([]byte{}, buf[:n]...), from}:
			default:
			}
		}
	}
}

// errEnded is the error of a wait for a server that has ended.
var errEnded = errors.New("the server has ended")

// Send sends a datagram when the rate allows it.
func (l *talkLine) Send(packet []byte) error {
	if err := l.target.mayWrite(); err != nil {
		return err
	}
	l.target.sent.Packets++
	l.last = append([]byte{}, packet...)
	_, _ = l.conn.WriteToUDPAddrPort(packet, l.peer) // what never arrives shows in the answers
	return nil
}

// Receive waits for a datagram.
func (l *talkLine) Receive(wait time.Duration) ([]byte, netip.AddrPort, error) {
	for by := time.Now().Add(wait); ; {
		select {
		case d := <-l.came:
			return d.data, d.from, nil
		default:
		}
		left := time.Until(by)
		if left <= 0 {
			return nil, netip.AddrPort{}, nil
		}
		if err := l.target.over(); err != nil {
			return nil, netip.AddrPort{}, err
		}
		timer := time.NewTimer(min(left, piece))
		select {
		case d := <-l.came:
			timer.Stop()
			return d.data, d.from, nil
		case <-timer.C:
		case <-l.target.ctx.Done():
			timer.Stop()
		}
		if l.target.ended() {
			return nil, netip.AddrPort{}, errEnded
		}
	}
}

// Follow makes another port the one that is talked to. It is the same host: nobody else is listened to.
func (l *talkLine) Follow(to netip.AddrPort) error {
	l.peer = to
	return nil
}

// Peer is who is talked to.
func (l *talkLine) Peer() netip.AddrPort { return l.peer }

func (l *talkLine) close() error {
	if l == nil {
		return nil
	}
	err := l.conn.Close()
	<-l.ended
	return err
}

// beginTalk starts the server, if it is ours, and a session with it.
func (t *Target) beginTalk() error {
	k := t.talk
	if t.o.Server != nil {
		if err := t.restart(); err != nil {
			return err
		}
		k.refused = 0
	}
	t.sequence.Reset()
	t.dead, k.window, k.session = false, 1, nil
	for by := time.Now().Add(revival); ; {
		begun := time.Now()
		err := t.join(true)
		var refused *dialogue.Refused
		switch {
		case err == nil:
			t.seen = true
			return nil
		case errors.Is(err, errEnded):
			report, _ := t.o.Server.Ended()
			return fmt.Errorf("the server ended before a session stood: %s", firstLine(report))
		case errors.Is(err, ErrStopTime) && !t.seen:
			return fmt.Errorf("udp:%s: no session stood within the stop time of %v", t.o.Address, t.o.Stop)
		case !errors.As(err, &refused):
			return err
		case t.seen && t.o.Server == nil && time.Now().After(by.Add(comesBack-revival)):
			t.gone = true
			return ErrGone
		case k.refused >= dialogue.MaxRefused && (time.Now().After(by) || refused.Last != ""):
			return fmt.Errorf("udp:%s: %d session starts in a row failed: %w", t.o.Address, k.refused, refused)
		}
		t.within(max(0, 20*time.Millisecond-time.Since(begun)), nil)
	}
}

// join starts a session: as another client, or over the same socket.
func (t *Target) join(another bool) error {
	return t.joinUpTo(another, len(t.talk.Dialogue.States())-1)
}

func (t *Target) joinUpTo(another bool, state int) error {
	k := t.talk
	if another || k.line == nil || k.Dialogue.Fresh() {
		values, err := k.Values.Of(k.number)
		if err != nil {
			return err
		}
		line, err := t.dialTalk()
		if err != nil {
			return err
		}
		_ = k.line.close() // nothing is lost with it
		k.line, k.values = line, values
		k.number++
	}
	k.line.peer = t.o.Address
	for len(k.line.came) > 0 {
		<-k.line.came
	}
	session, begun := k.Dialogue.NewSession(k.line, k.values), time.Now()
	session.Open(k.Keys)
	session.Hide(&k.Values.Secrets)
	session.Attack(k.Section)
	session.Limit(k.limit)
	if err := session.Join(state); err != nil {
		k.refused++
		return err
	}
	k.refused = 0
	k.session = session
	k.counted.Begun++
	k.counted.Join += time.Since(begun)
	return nil
}

// settling is how long a late answer to something else may take, at least.
const settling = 5 * time.Millisecond

// lookTalk says what state the server is in, by the session; a session that is lost is made again. With sure
// nothing counts that it sent before it had all: what is attacked with may be answered as what keeps the session is.
func (t *Target) lookTalk(sure bool) (state, error) {
	k := t.talk
	k.kicked, k.attacked = false, k.session
	if sure {
		if err := k.session.Settle(k.listening(settling) / 4); errors.Is(err, errEnded) {
			return silent, nil
		} else if err != nil {
			return silent, err
		}
	}
	looks := probes
	if !k.session.Keeps() {
		looks = 1 // nothing asks again
	} else if t.again() {
		looks = probes - 1
	}
	for i := range looks {
		yes, err := k.session.Look(t.ctx, t.o.Patience<<i)
		switch {
		case errors.Is(err, errEnded):
			return silent, nil
		case err != nil:
			return silent, err
		case yes:
			return alive, nil
		}
	}
	return t.rejoin()
}

// confirming is how long a client tries to come back where it is known that it will not, or was in a case alike: to try
// again what a server hangs on is to wait each time.
const confirming = time.Second

// again reports whether what is sent is known to lose the server.
func (t *Target) again() bool { return t.trial || t.sought }

// returning is how long a client whose session was lost tries to come back. Who was shut out for all of Return once is
// believed sooner the next time.
func (t *Target) returning() time.Duration {
	switch {
	case t.again():
		return min(t.o.Return, confirming)
	case t.talk.shut:
		return min(t.o.Return, 3*confirming)
	}
	return t.o.Return
}

// rejoin makes a lost session again: as the same client, then as another one.
func (t *Target) rejoin() (state, error) {
	k := t.talk
	k.window = 1
	if _, err := k.session.End(); errors.Is(err, errEnded) { // a server that has one place for a client needs it back
		return silent, nil
	} else if err != nil {
		return silent, err
	}
	wait := t.returning()
	k.limit = wait // one start of a session, too
	defer func() { k.limit = 0 }()
	for _, another := range []bool{false, true} {
		for by := time.Now().Add(wait); time.Now().Before(by); {
			err := t.join(another)
			var refused *dialogue.Refused
			switch {
			case err == nil && another && !k.Dialogue.Fresh():
				k.shut = true
				return deaf, nil
			case err == nil:
				k.counted.Lost++
				k.kicked = true
				return alive, nil
			case errors.Is(err, errEnded):
				return silent, nil
			case !errors.As(err, &refused):
				return silent, err
			}
			t.within(piece, nil)
		}
		if k.Dialogue.Fresh() {
			break // each was another client
		}
	}
	k.refused, k.shut = 0, true // what comes of it is a finding
	return silent, nil
}

// SendBatch sends packets in windows, until each says at the end of one not to go on. It is for targets that talk.
func (t *Target) SendBatch(packets [][]byte, from []decode.Direction, each func(i int, r oracle.Reply) bool) error {
	survived := oracle.Reply{Outcome: oracle.Survived, Bits: -1}
	more := true
	for done := 0; more && done < len(packets); {
		if t.gone {
			return ErrGone
		}
		if r, late := t.late(); late {
			more = each(done, r)
			done++
			continue
		}
		if t.dead {
			if err := t.begin(); err != nil {
				return err
			}
		}
		k, begun := t.talk, time.Now()
		n := min(k.window, len(packets)-done)
		if t.trial {
			n = 1
		}
		n, err := t.writeAll(packets[done:done+n], from[done:])
		k.exact = n == 1
		looking, s := time.Now(), silent
		if err == nil {
			s, err = t.lookTalk(t.trial || k.listening(settling) > settling) // answers are late where sessions start slowly
		}
		if err != nil && (n == 0 || !t.endsAnyway()) {
			return err
		}
		k.counted.Sent += uint64(n)
		k.counted.Attack += time.Since(begun)
		if s == alive {
			if !k.kicked && time.Since(looking) < t.o.Patience/2 {
				k.window = min(2*k.window, maxWindow)
			}
			r := survived
			r.Kicked = k.kicked && n == 1
			for i := range n {
				more = each(done+i, r) && more
			}
			done += n
			continue
		}
		upTo, r := t.fatal(packets[done:done+n], from[done:done+n], s)
		for i := range upTo {
			more = each(done+i, survived) && more
		}
		more = each(done+upTo, r) && more
		done += upTo + 1
		k.window = 1
	}
	return nil
}

// writeAll writes the packets of a window, and says how many.
func (t *Target) writeAll(packets [][]byte, from []decode.Direction) (int, error) {
	for i, p := range packets {
		if err := t.write(p); err != nil {
			return i, err
		}
		t.sequence.Add(p, from[i])
		if err := t.talk.session.Drain(); err != nil && !errors.Is(err, errEnded) {
			return i + 1, err
		}
	}
	return len(packets), nil
}

// Sessions is how the dialogue has gone so far.
func (t *Target) Sessions() Sessions {
	s := t.talk.counted
	s.Window = t.talk.window
	return s
}
