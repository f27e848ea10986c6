package udp

import "time"

// Whether the server is alive after a packet is told by the answer to the probe that follows the packet. Answers carry
// no number, and one may come late, so an answer must not be taken for another's: a death would be noticed some packets
// too late, and the wrong packet blamed. Two things keep answers apart:
//
//   - Probes go over a line of their own, where the server answers such a client. What it answers to an attack, which
//     may look like the answer to the probe, goes elsewhere. On this line one answer at most is owed.
//   - A probe that was not answered in time is followed by one over a new line. The late answer comes to a port that is
//     closed.
//
// So each death is noticed right after its packet, if the server answers in order and a probe once, however slow it is.
// A server that answers only who attacks it is probed over the line of the attack. Then a death may be noticed late,
// and what died of what is found with new servers only, which are given the time to be silent before they are probed:
// see died.go.

// state is what was seen of the server.
type state uint8

const (
	alive  state = iota
	silent       // it answers nobody
	deaf         // it answers others, and does not answer who attacks it any more
)

// attendance is after how many packets a server that is probed over a line of its own is seen to answer the attack's
// line, too. One that has thrown out who attacks it would be attacked to no end.
const attendance = 16

// look says what state the server is in. With sure it waits where need be, so that an alive server is no late answer,
// and one that answers others answers who attacks it, too.
func (t *Target) look(sure bool) (state, error) {
	if t.talk != nil {
		t.talk.exact = true
		return t.lookTalk(sure || t.talk.Dialogue.AliveAny())
	}
	if t.watch == nil {
		if sure {
			t.hush()
		}
		answers, err := t.answers(&t.attack, false)
		if !answers {
			return silent, err
		}
		return alive, err
	}
	for _, attacked := range []bool{false, true, false} { // the third time, whether it has died meanwhile
		line := &t.watch
		if attacked {
			line = &t.attack
		}
		answers, err := t.answers(line, !attacked)
		switch {
		case err != nil:
			return silent, err
		case !attacked && !answers:
			return silent, nil
		case !attacked && !sure:
			return alive, nil
		case attacked && answers:
			t.ignored = 0
			return alive, nil
		}
	}
	return deaf, nil
}

// answers reports whether the server answers one of several probes. With anew each but the first goes over a new line.
func (t *Target) answers(l **line, anew bool) (bool, error) {
	for i := range probes {
		answers, err := t.ask(*l, t.o.Patience<<i)
		if answers || err != nil {
			return answers, err
		}
		if anew {
			if err := t.redial(l); err != nil {
				return false, err
			}
		}
		if t.ended() {
			return false, nil
		}
	}
	return false, nil
}

// ask sends the probe over a line and waits for its answer.
func (t *Target) ask(l *line, patience time.Duration) (bool, error) {
	if err := t.mayWrite(); err != nil {
		return false, err
	}
	l.forget() // what came before is no answer
	t.sent.Probes++
	l.send(t.o.Probe)
	t.closed = false
	for by := time.Now().Add(patience); ; {
		left := time.Until(by)
		if left <= 0 {
			return false, t.over()
		}
		// In pieces, so that a server that has ended, or our own end, is not waited for.
		if t.within(min(left, piece), l.answer) {
			return true, nil
		}
		if err := t.over(); err != nil {
			return false, err
		}
		select {
		case <-l.refused: // there is nothing to be patient with
			t.closed = true
			t.within(min(piece, left), nil)
			return false, t.over()
		default:
		}
		if t.ended() {
			return false, nil
		}
	}
}

// located reports whether the last look shows which packet it is about: the one before it.
func (t *Target) located() bool {
	if t.talk != nil {
		return t.talk.exact
	}
	return t.watch != nil
}

// ended reports whether the server, if it is ours, has ended.
func (t *Target) ended() bool {
	if t.o.Server == nil {
		return false
	}
	_, ended := t.o.Server.Ended()
	return ended
}

// watchApart finds out, the first time, whether the server answers over a line that nothing else is sent over, and
// makes one.
func (t *Target) watchApart() error {
	if t.decided && t.watch == nil {
		return nil
	}
	if err := t.redial(&t.watch); err != nil || t.decided {
		return err
	}
	answers, err := t.answers(&t.watch, true)
	if err != nil {
		return err
	}
	if !answers {
		_ = t.watch.close()
		t.watch = nil
		if answers, err = t.answers(&t.attack, false); !answers {
			return err // it has died of the prelude, which the first packet shows
		}
	}
	t.decided = true
	return nil
}

// hush waits until nothing comes any more from who is attacked, or for somewhat longer than an answer to a probe may
// take.
func (t *Target) hush() {
	for by := time.Now().Add(t.o.Patience); time.Now().Before(by); {
		t.attack.forget()
		if !t.within(piece, t.attack.some) {
			return
		}
	}
}

// redial makes a line new.
func (t *Target) redial(l **line) error {
	_ = (*l).close() // nothing is lost with it
	var err error
	*l, err = dial(t.o.Address, t.o.Expect)
	return err
}
