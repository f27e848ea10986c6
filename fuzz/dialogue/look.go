package dialogue

import (
	"context"
	"errors"
	"time"
)

// nextDue is when the next packet is to be kept alive with; zero for never.
func (s *Session) nextDue() time.Time {
	var next time.Time
	for i, l := range s.dialogue.keeps {
		if s.dialogue.since[l] <= s.step && !s.due[i].IsZero() && (next.IsZero() || s.due[i].Before(next)) {
			next = s.due[i]
		}
	}
	return next
}

// beat sends what keeps the session alive, where it is due.
func (s *Session) beat(now time.Time) error {
	for i, l := range s.dialogue.keeps {
		switch {
		case s.dialogue.since[l] > s.step:
		case s.due[i].IsZero():
			s.due[i] = now.Add(l.Every)
		case !now.Before(s.due[i]):
			s.due[i] = now.Add(l.Every)
			if err := s.say(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// Drain takes what the server has sent by now, and keeps the session alive.
func (s *Session) Drain() error {
	for range maxCame {
		if _, what, err := s.receive(0); err != nil || what == nothing {
			return err
		}
	}
	return nil
}

// Settle takes what the server sends for a time: what comes later was sent after all that the session has sent by now.
func (s *Session) Settle(wait time.Duration) error {
	for by := time.Now().Add(wait); ; {
		left := time.Until(by)
		if left <= 0 {
			return nil
		}
		if _, _, err := s.receive(left); err != nil {
			return err
		}
	}
}

// Resent reports whether a step said something again, to which a second answer may come late.
func (s *Session) Resent() bool { return s.resent }

// Look asks whether the server still keeps the session: it sends what keeps it alive, and waits for an answer at most
// so long. Without such a line it waits for what the server sends by itself, or for an answer to what was sent before.
func (s *Session) Look(ctx context.Context, patience time.Duration) (bool, error) {
	d := s.dialogue
	for i, l := range d.keeps {
		if d.since[l] <= s.step {
			s.due[i] = time.Now().Add(l.Every)
			if err := s.say(l); err != nil {
				return false, err
			}
			break
		}
	}
	for by := time.Now().Add(patience); ctx.Err() == nil; {
		left := time.Until(by)
		if left <= 0 {
			return false, nil
		}
		tag, what, err := s.receive(left)
		if err != nil {
			return false, err
		}
		if what == packet && (d.alive == nil || d.alive[tag]) {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// Keeps reports whether the session has something to keep it alive with, which a server answers.
func (s *Session) Keeps() bool {
	for _, l := range s.dialogue.keeps {
		if s.dialogue.since[l] <= s.step {
			return true
		}
	}
	return false
}

// Came takes the cases that the server has sent since the last call, in order.
func (s *Session) Came() []uint64 {
	all := s.came
	s.came = nil
	return all
}

// End says the dialogue's goodbye; false where it has none.
func (s *Session) End() (bool, error) {
	l := s.dialogue.end
	if l == nil {
		return false, nil
	}
	for range l.Times {
		if err := s.say(l); err != nil {
			var not *unbound
			if errors.As(err, &not) {
				return false, nil
			}
			return false, err
		}
	}
	return true, nil
}
