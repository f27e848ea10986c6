package udp

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// died answers for a packet after which the server was seen to be dead, or deaf.
func (t *Target) died(s state) (oracle.Reply, error) {
	t.dead = true
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
		return r, nil
	}
	r.Undone = oracle.NotTried
	if r.Unlocated = s == deaf || !t.located(); r.Unlocated {
		r.Undone = oracle.NotLocated
	}
	if t.o.Server == nil {
		return r, nil
	}
	last := r.Culprit[len(r.Culprit)-1]
	culprit, least, err := t.shortest(r.Culprit, s, !r.Unlocated, r.Outcome != oracle.Crashed)
	if culprit != nil {
		r.Culprit, r.Undone, r.Unlocated = culprit, oracle.Shortened(least), false
	} else if err == nil {
		r.Undone = oracle.NotAgain
		r.Report = "it did not happen again with the same packets\n" + r.Report
	}
	if errors.Is(err, ErrStopTime) {
		err = nil // as short as it is by now
	}
	if len(r.Culprit) == 1 && bytes.Equal(r.Culprit[0], last) {
		r.Culprit, r.Undone = nil, oracle.AllDone // it is the packet at hand
	}
	t.dead = true
	return r, err
}

// ends waits for the server's end: between the last answer and the end lie the words about it, and a busy machine. What
// is sent again is known to end it, or not to.
func (t *Target) ends(within time.Duration) bool {
	if t.again() {
		within = min(within, confirming/2)
	}
	for by := time.Now().Add(within); !t.ended(); t.within(piece, nil) {
		if time.Now().After(by) || t.ctx.Err() != nil {
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
		for _, head := range append([][][]byte{nil}, t.heads...) {
			try := append(head[:len(head):len(head)], sequence[len(sequence)-1])
			if yes, err := does(try); err != nil {
				return nil, false, err
			} else if yes {
				return try, true, nil
			}
		}
	}
	n, got, err := t.replay(sequence)
	if err != nil || n == 0 || got != s {
		return nil, false, err
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
	if n := len(sequence) - 1; err == nil && n > 0 && len(t.heads) < maxHeads {
		t.heads = append(t.heads, sequence[:n:n])
	}
	return sequence, least, err
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
		// Each is seen to be survived before the next, as it was the first time.
		s, err := t.look(i == len(sequence)-1)
		if err != nil {
			return 0, alive, err
		}
		if s != alive {
			return i + 1, s, nil
		}
	}
	return 0, alive, nil
}
