package udp

import (
	"bytes"
	"fmt"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// died answers for a packet after which the server was seen to be dead, or deaf.
func (t *Target) died(s state) oracle.Reply {
	t.dead, t.told = true, true
	r := oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Culprit: t.sequence.Packets(), Report: "the server does not answer any more"}
	switch {
	case s == deaf && t.talk != nil:
		r.Outcome, r.Report = oracle.LockedOut, fmt.Sprintf("for %v the server did not let in who sent this; another client it let in at once", t.returning())
	case s == deaf:
		r.Outcome, r.Report = oracle.Hung, "the server answers others, and does not answer who sent this any more"
	case t.o.Server == nil:
	case t.talk != nil && t.talk.ending != "": // of the server before the one at hand
		r.Report, t.talk.ending = t.talk.ending, ""
	case t.ends(comesBack):
		r.Report, _ = t.o.Server.Ended()
	default:
		r.Outcome, r.Report = oracle.Hung, "the server runs, and does not answer any more"
	}
	if t.talk != nil {
		r.Spoken = t.talk.attacked.Spoken()
	}
	if n := t.sequence.Lost(); n > 0 && t.o.Server == nil {
		r.Earlier = n
		r.Report += fmt.Sprintf("; it had %d packets before those that are kept", n)
	}
	if t.trial {
		return r
	}
	r.Undone = oracle.NotTried
	if r.Unlocated = s == deaf || !t.located(); r.Unlocated {
		r.Undone = oracle.NotLocated
	}
	if t.o.Server == nil {
		return r
	}
	last := r.Culprit[len(r.Culprit)-1]
	t.crashes = r.Outcome == oracle.Crashed
	culprit, least, err := t.shortest(r.Culprit, s, !r.Unlocated, !t.crashes)
	if culprit != nil { // the last of several is to blame where all was tried
		r.Culprit, r.Undone, r.Unlocated = culprit, oracle.Shortened(least), err != nil && len(culprit) > 1
	} else if err == nil {
		r.Undone = oracle.NotAgain
		r.Report = "it did not happen again with the same packets\n" + r.Report
	}
	if len(r.Culprit) == 1 && bytes.Equal(r.Culprit[0], last) {
		r.Culprit, r.Undone = nil, oracle.AllDone // it is the packet at hand
	}
	t.dead, t.told, t.crashes = true, true, false
	return r // as short as it is, where an error ended the trials: who sends next meets it
}

// fatal finds the packet of a window after which the server did not live on: by sending them again to a new server, one
// by one. Where that shows nothing, or nobody starts a new one, it is the last.
func (t *Target) fatal(packets [][]byte, from []decode.Direction, s state) (int, oracle.Reply) {
	last := len(packets) - 1
	if last == 0 || t.o.Server == nil || t.trial {
		return last, t.died(s)
	}
	ending := ""
	if s == silent && t.ends(comesBack) {
		ending, _ = t.o.Server.Ended()
	}
	saved := t.sequence
	t.sequence, t.told = fuzz.History{}, true
	t.sought = s != silent || ending == ""
	defer func() { t.sought = false }()
	if upTo, got, err := t.oneByOne(packets, from); err == nil && got != alive {
		return upTo, t.died(got)
	}
	t.sequence, t.talk.exact, t.talk.ending = saved, false, ending
	return last, t.died(s)
}

// oneByOne sends packets to a new server, up to one after which it is not seen to be alive.
func (t *Target) oneByOne(packets [][]byte, from []decode.Direction) (int, state, error) {
	if err := t.begin(); err != nil {
		return 0, alive, err
	}
	for i, p := range packets {
		if err := t.write(p); err != nil {
			return i, alive, err
		}
		t.sequence.Add(p, from[i])
		if s, err := t.look(false); err != nil || s != alive {
			return i, s, err
		}
	}
	return 0, alive, nil
}

// restart starts the server anew, after late has seen to it that no end is lost.
func (t *Target) restart() error {
	t.keepEnd()
	t.told = false
	return t.o.Server.Restart()
}

// keepEnd keeps an end of the server that no reply has told, such as one between the last look and the next packet.
func (t *Target) keepEnd() {
	if !t.ended() || t.told || t.crashes || t.unsaid != nil {
		return
	}
	r := oracle.Reply{
		Outcome: oracle.Crashed, Bits: -1, Culprit: t.sequence.Packets(), Undone: oracle.NotTried, Unlocated: true,
	}
	r.Report, _ = t.o.Server.Ended()
	if t.talk != nil && t.talk.session != nil {
		r.Spoken = t.talk.session.Spoken()
		if len(r.Culprit) == 0 {
			r.Culprit = [][]byte{t.talk.line.last}
		}
	}
	if len(r.Culprit) > 0 { // else nothing was sent that it can have died of
		t.unsaid, t.told = &r, true
	}
}

// late is the reply about an end that no reply has told. Who sends again what others have found has no part in it.
func (t *Target) late() (oracle.Reply, bool) {
	t.keepEnd()
	if t.unsaid == nil || t.trial {
		return oracle.Reply{}, false
	}
	r := *t.unsaid
	t.dead, t.unsaid = true, nil
	return r, true
}

// endsAnyway reports whether the server ends, although a look was broken off by an error such as the stop time.
func (t *Target) endsAnyway() bool { return t.o.Server != nil && !t.told && t.ends(confirming/2) }

// ends waits for the server's end: between the last answer and the end lie the words about it, and a busy machine. What
// is sent again is known to end it, or not to.
func (t *Target) ends(within time.Duration) bool {
	if t.again() {
		within = min(within, confirming/2)
	}
	for begun := time.Now(); !t.ended(); time.Sleep(piece) {
		if t.over() != nil {
			within = min(within, confirming/2)
		}
		if time.Since(begun) > within {
			return false
		}
	}
	return true
}

// shortest finds the fewest packets of a sequence that bring a server into a state; nil when not even all do. last says
// that it was the last packet that did, waits that each time takes long. least says that each of what is left is needed.
func (t *Target) shortest(sequence [][]byte, s state, last, waits bool) (shorter [][]byte, least bool, err error) {
	was := t.sought
	t.sought = true
	defer func() { t.sought = was }()
	tries := maxShortening
	if waits && t.talk != nil {
		tries = maxHungTrials
	}
	does := func(sequence [][]byte) (bool, error) {
		n, got, err := t.replay(sequence)
		return n > 0 && got == s, err
	}
	if last {
		if try, err := t.alone(sequence, s); err != nil || try != nil {
			return t.withoutLast(try, true, does, err)
		}
	}
	n, got, err := t.replay(sequence)
	if err != nil || n == 0 || got != s {
		return nil, false, err
	}
	if !last || n < len(sequence) {
		if try, err := t.alone(sequence[:n], s); err != nil || try != nil {
			return t.withoutLast(try, true, does, err)
		}
	}
	if !last { // n packets do it, and without packets it is not done
		for less := 0; less+1 < n; {
			middle := (less + n) / 2
			yes, err := does(sequence[:middle])
			if err != nil {
				return nil, false, err
			}
			if yes {
				n = middle
			} else {
				less = middle
			}
		}
	}
	sequence, least, err = fuzz.ShortenSequence(sequence[:n], tries, does)
	sequence, least, err = t.withoutLast(sequence, least, does, err)
	if n := len(sequence) - 1; err == nil && n > 0 && len(t.heads) < maxHeads {
		t.heads = append(t.heads, sequence[:n:n])
	}
	return sequence, least, err
}

// alone is one of the last packets of a sequence that brings a server into a state by itself, or the last one behind a
// head; nil where none does. An answer to what was before may have hidden for some packets that the server died.
func (t *Target) alone(sequence [][]byte, s state) ([][]byte, error) {
	end := len(sequence) - 1
	var first [][][]byte
	for at := end; at >= max(0, end-suspects); at-- {
		first = append(first, sequence[at:at+1:at+1])
	}
	for _, head := range t.heads {
		first = append(first, append(head[:len(head):len(head)], sequence[end]))
	}
	for _, try := range first {
		if n, got, err := t.replay(try); err != nil {
			return nil, err
		} else if n > 0 && got == s {
			return try[:n], nil
		}
	}
	return nil, nil
}

// withoutLast leaves out packets at the end of a shortened sequence that it does not take: the server may have died
// before them. Of an error there is nothing to try.
func (t *Target) withoutLast(
	sequence [][]byte, least bool, does func([][]byte) (bool, error), err error,
) ([][]byte, bool, error) {
	for yes := true; err == nil && len(sequence) > 1; {
		if yes, err = does(sequence[:len(sequence)-1]); err != nil || !yes {
			return sequence, least && err == nil, err
		}
		sequence = sequence[:len(sequence)-1]
	}
	return sequence, least || len(sequence) == 1, err
}

// replay sends a sequence to a server that was just started, and says after how many packets which state is seen; 0
// when it is alive after all.
func (t *Target) replay(sequence [][]byte) (int, state, error) {
	if err := t.begin(); err != nil {
		return 0, alive, err
	}
	for i, p := range sequence {
		if err := t.write(p); err != nil {
			return 0, alive, err
		}
		// Each is seen to be survived before the next, as it was the first time; the last surely.
		looks := 1
		if i == len(sequence)-1 && t.crashes && t.talk != nil {
			looks = probes
		}
		for range looks {
			if s, err := t.look(i == len(sequence)-1); err != nil {
				return 0, alive, err
			} else if s != alive {
				return i + 1, s, nil
			}
			if t.talk != nil && t.talk.kicked { // it let in who came anew
				break
			}
		}
	}
	return 0, alive, nil
}
