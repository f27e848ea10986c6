package udp

import (
	"errors"
	"slices"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A sequence is packets in a session of its own, from a state of the dialogue on. What it passes through guides a
// campaign: which states, with which cases, and what the server says after what.

var _ oracle.Stateful = statefulUser{}

// How many shorter sequences are tried of one that a server did not live through: one that hangs takes its time.
const (
	maxSequenceTrials = 32
	maxHungTrials     = 8
)

// States are the dialogue's, with Ended where there is a goodbye.
func (u statefulUser) States() []string { return u.shared.target.talk.Dialogue.AllStates() }

// Openers are valid packets, one of each case that clients send.
func (u statefulUser) Openers() (packets [][]byte) {
	d := u.shared.target.talk.Dialogue
	for _, tag := range d.ClientCases() {
		p, _ := d.Sample(tag)
		packets = append(packets, p.Data)
	}
	return packets
}

// SendSequence sends packets in a session of their own.
func (u statefulUser) SendSequence(state int, packets [][]byte) ([]string, oracle.Reply, error) {
	t := u.shared.target
	t.trial, t.ctx = u.trial, u.ctx
	if t.gone {
		return nil, oracle.Reply{}, ErrGone
	}
	if r, late := t.late(); late {
		return nil, r, nil
	}
	if t.dead {
		if err := t.begin(); err != nil {
			return nil, oracle.Reply{}, err
		}
	}
	passed, lives, err := t.sendSequence(state, packets)
	if err == nil && lives || err != nil && !t.endsAnyway() {
		return passed, oracle.Reply{Outcome: oracle.Survived, Bits: -1}, err
	}
	return passed, t.diedOf(state, packets), nil
}

// sendSequence sends packets in a session that is brought to a state, and reports whether another client is let in then.
func (t *Target) sendSequence(state int, packets [][]byte) (passed []string, lives bool, err error) {
	d := t.talk.Dialogue
	last := len(d.States()) - 1
	if lives, err = t.comesIn(min(state, last)); err != nil || !lives {
		return nil, lives, err
	}
	s := t.talk.session
	t.talk.attacked = s
	s.Came()
	s.Wander()
	path := passage{states: d.AllStates(), dialogue: d}
	path.reach(state)
	if err = path.walk(s, state > last, packets, t.talk.listening(leastInSequence)); errors.Is(err, errEnded) {
		return path.passed, false, nil
	}
	if err != nil {
		return path.passed, false, err
	}
	if _, err = s.End(); err != nil && !errors.Is(err, errEnded) { // a server may have one place alone
		return path.passed, false, err
	}
	lives, err = t.comesIn(last)
	return path.passed, lives, err
}

// leastInSequence is how long an answer to a packet of a sequence is waited for, at least. One that comes later guides
// nobody, and no finding rests on it.
const leastInSequence = 10 * time.Millisecond

// listening is how long an answer is waited for: a few times what a session's start takes.
func (k *talking) listening(least time.Duration) time.Duration {
	wait := least
	if k.counted.Begun > 0 {
		wait = 4 * k.counted.Join / time.Duration(k.counted.Begun)
	}
	return min(max(wait, least), mostListening)
}

// comesIn brings another client to a state; false where the server lets nobody in for as long as a client tries.
func (t *Target) comesIn(state int) (bool, error) {
	for by := time.Now().Add(t.o.Return); ; t.within(piece, nil) {
		err := t.joinUpTo(true, state)
		var refused *dialogue.Refused
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, errEnded), errors.As(err, &refused) && time.Now().After(by):
			t.talk.refused = 0 // what comes of it is a finding
			return false, nil
		case !errors.As(err, &refused):
			return false, err
		}
	}
}

// passage is what a session passes through.
type passage struct {
	dialogue *dialogue.Dialogue
	states   []string
	state    int
	awaited  []uint64 // of the server, before the next state
	before   string   // the server's case before
	passed   []string
}

func (p *passage) reach(state int) {
	p.state, p.awaited = state, nil
	if state < len(p.dialogue.States()) {
		p.awaited = p.dialogue.Awaited(state)
	}
}

func (p *passage) note(what string) {
	if !slices.Contains(p.passed, what) {
		p.passed = append(p.passed, what)
	}
}

// walk sends the packets, each after the answers to the one before it; after the goodbye where that is wanted.
func (p *passage) walk(s *dialogue.Session, ended bool, packets [][]byte, listen time.Duration) error {
	if ended {
		if _, err := s.End(); err != nil {
			return err
		}
		if err := s.Listen(listen); err != nil {
			return err
		}
		s.Came()
	}
	for i, packet := range packets {
		fitted, called := s.Fit(packet)
		if called != "" {
			p.note(p.states[p.state] + ": " + called)
		}
		if err := s.Say(fitted); err != nil {
			return err
		}
		wait := listen
		if i < len(packets)-1 {
			wait /= 4
		}
		err := s.Listen(wait)
		for _, tag := range s.Came() {
			p.came(tag)
		}
		if err != nil {
			return err
		}
		if p.state == len(p.dialogue.States())-1 && p.dialogue.Ends(called) {
			p.reach(p.state + 1)
		}
	}
	return nil
}

// came notes a packet of the server.
func (p *passage) came(tag uint64) {
	called := p.dialogue.CaseName(tag)
	p.note(p.states[p.state] + " < " + called)
	if p.before != "" {
		p.note(p.before + " > " + called)
	}
	p.before = called
	if len(p.awaited) > 0 && p.awaited[0] == tag {
		if p.awaited = p.awaited[1:]; len(p.awaited) == 0 {
			p.reach(p.state + 1)
		}
	}
}

// diedOf answers for a sequence after which nobody was let in, and shortens it where the server is ours to start.
func (t *Target) diedOf(state int, packets [][]byte) oracle.Reply {
	t.dead, t.told = true, true
	r := oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Culprit: packets, Undone: oracle.NotTried, Report: "the server does not answer any more", Spoken: t.talk.attacked.Spoken()}
	r.Spoken.State = t.talk.Dialogue.AllStates()[state]
	tries := maxSequenceTrials
	switch {
	case t.o.Server == nil:
		t.gone = true
	case t.ends(comesBack):
		r.Report, _ = t.o.Server.Ended()
	default:
		r.Outcome, r.Report, tries = oracle.Hung, "the server runs, and lets nobody in any more", maxHungTrials
	}
	if t.trial || t.o.Server == nil {
		return r
	}
	t.crashes = r.Outcome == oracle.Crashed
	dies := func(try [][]byte) (bool, error) {
		if tries--; tries < 0 {
			return false, nil
		}
		if err := t.begin(); err != nil {
			return false, err
		}
		_, lives, err := t.sendSequence(state, try)
		return !lives, err
	}
	tries++ // the first time, all of them
	again, err := dies(packets)
	switch {
	case err != nil:
	case !again:
		r.Undone = oracle.NotAgain
	default:
		least := false
		if r.Culprit, least, err = t.withoutLast(packets, false, dies, nil); err == nil && !least {
			r.Culprit, least, _ = fuzz.ShortenSequence(r.Culprit, tries, dies)
		}
		r.Undone = oracle.Shortened(least)
	}
	t.dead, t.told, t.crashes = true, true, false
	return r // as short as it is, where an error ended the trials: who sends next meets it
}
