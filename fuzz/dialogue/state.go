package dialogue

import (
	"errors"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// ClientCases are the cases that clients send, in the order of the enum: those that a valid packet was found of.
func (d *Dialogue) ClientCases() []uint64 {
	var all []uint64
	for _, name := range d.tree.names {
		tag := d.tree.tags[name]
		if _, ok := d.samples[tag]; ok && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}

// AliveAny reports whether any packet of the server shows that the session is up.
func (d *Dialogue) AliveAny() bool { return d.alive == nil }

// CaseName is the name of a case.
func (d *Dialogue) CaseName(tag uint64) string { return d.caseName(tag) }

// Limits reports whether a `before` line says anything about a state, an index into States; after the last comes Ended.
func (d *Dialogue) Limits(state int) bool {
	return slices.ContainsFunc(d.before, func(l *Line) bool { return d.isBefore(state, l) })
}

// Allowed reports whether a case may come in a state, as far as `before` lines say.
func (d *Dialogue) Allowed(state int, tag uint64) bool {
	for _, l := range d.before {
		if d.isBefore(state, l) && !slices.ContainsFunc(l.Cases, func(c Choice) bool { return d.tree.tags[c.Case.Text] == tag }) {
			return false
		}
	}
	return true
}

// isBefore reports whether a line is about a state: one before that it names, or after the end.
func (d *Dialogue) isBefore(state int, l *Line) bool {
	return state >= len(d.states) || state < slices.Index(d.states, l.Name.Text)
}

// Leads reports whether a case is one that the dialogue itself goes on with from a state.
func (d *Dialogue) Leads(state int, tag uint64) bool {
	if state >= len(d.states) {
		state = 0
	}
	at := 0
	for _, l := range d.steps {
		switch {
		case l.Verb == State:
			at++
		case l.Verb == Send && at == state && d.tree.tags[l.Case.Text] == tag:
			return true
		}
	}
	return false
}

// Awaited are the server's cases that bring a session from a state, an index into States, to the next one, in order.
func (d *Dialogue) Awaited(state int) (all []uint64) {
	at := 0
	for _, l := range d.steps {
		switch {
		case l.Verb == State:
			at++
		case at != state:
		case l.Verb == Expect:
			all = append(all, d.tree.tags[l.Case.Text])
		case l.Until != nil:
			all = append(all, d.tree.tags[l.Until.Text])
		}
	}
	return all
}

// Ends reports whether a case, by its name, is the dialogue's goodbye.
func (d *Dialogue) Ends(called string) bool { return d.end != nil && d.end.Case.Text == called }

// Earned are the cases that the server answers the dialogue's own steps with.
func (d *Dialogue) Earned() map[uint64]bool {
	all := map[uint64]bool{}
	for _, l := range d.steps {
		if l.Verb == Expect {
			all[d.tree.tags[l.Case.Text]] = true
		}
		if l.Until != nil {
			all[d.tree.tags[l.Until.Text]] = true
		}
	}
	return all
}

// Packet makes a valid packet of a case, as the session has it at hand: as a line sends it, or a sample with the
// dialogue's values. It is valid until the next packet.
func (s *Session) Packet(tag uint64) ([]byte, error) {
	var lines []*Line
	for _, l := range s.dialogue.file.Lines {
		if l.Verb == Send || l.Verb == Keep || l.Verb == End {
			lines = append(lines, l)
		}
	}
	for _, l := range lines {
		if s.dialogue.tree.tags[l.Case.Text] != tag {
			continue
		}
		packet, err := s.build(l)
		var not *unbound
		if err == nil || !errors.As(err, &not) {
			return packet, err
		}
	}
	p, ok := s.dialogue.samples[tag]
	switch {
	case !ok:
		return nil, errors.New("no valid packet of " + s.dialogue.caseName(tag) + " was found")
	case len(p.sealed) > 0:
		if packet, ok := s.sampled(tag, nil, s.dialogue.attack[tag]); ok {
			return packet, nil
		}
	}
	return s.Patch(p.packet.Data), nil
}

// Listen takes what the server sends for a time, or until it has been quiet for a quarter of that after a packet.
func (s *Session) Listen(wait time.Duration) error {
	for by := time.Now().Add(wait); ; {
		left := time.Until(by)
		if left <= 0 {
			return nil
		}
		_, what, err := s.receive(left)
		if err != nil {
			return err
		}
		if early := time.Now().Add(wait / 4); what != nothing && early.Before(by) {
			by = early
		}
	}
}

// Say sends a packet as it is.
func (s *Session) Say(packet []byte) error { return s.conn.Send(packet) }

// Sample is a valid packet of a case that clients send; false where none was found.
func (d *Dialogue) Sample(tag uint64) (decode.Packet, bool) {
	if s := d.samples[tag]; s != nil {
		return s.packet, true
	}
	return decode.Packet{}, false
}
