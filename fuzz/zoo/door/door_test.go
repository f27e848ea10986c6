package door_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// The way in, and what a client may do then.
func Example() {
	var s door.Server
	now := time.Unix(0, 0)
	fmt.Printf("%x\n", s.Handle([]byte("\x07\x00\x00\x01\x02"), "a", now)) // nobody is in
	challenge := s.Handle([]byte("\x01\x00\x01door twc"), "a", now)
	welcome := s.Handle(append([]byte{3, 0, 2}, challenge[3:]...), "a", now)
	fmt.Printf("%x\n", welcome)
	fmt.Printf("%x\n", s.Handle([]byte("\x07\x00\x03\x01\x02"), "a", now))
	fmt.Printf("%x\n", s.Handle([]byte("\x07\x00\x04\x01\x02"), "a", now.Add(3*time.Second))) // it was silent too long
	// Output:
	//
	// 04000201
	// 0800030102
}

// Each mistake shows in the packets of its name, and the mended server answers none of them.
func TestMistakes(t *testing.T) {
	in := func(s *door.Server, now time.Time) {
		c := s.Handle([]byte("\x01\x00\x01door twc"), "a", now)
		s.Handle(append([]byte{3, 0, 2}, c[3:]...), "a", now)
	}
	now := time.Unix(0, 0)
	for m, shows := range map[door.Mistakes]func(s *door.Server) bool{
		door.ShootsEarly: func(s *door.Server) bool { return s.Handle([]byte{9, 0, 0, 1}, "a", now) != nil },
		door.AnswerAlone: func(s *door.Server) bool { return s.Handle([]byte{3, 0, 0, 1, 2, 3, 4}, "a", now)[0] == 4 },
		door.MovesWaiting: func(s *door.Server) bool {
			s.Handle([]byte("\x01\x00\x01door twc"), "a", now)
			return s.Handle([]byte{7, 0, 0, 1, 2}, "a", now) != nil
		},
		door.BeatOpens: func(s *door.Server) bool {
			s.Handle([]byte{5, 0, 0}, "a", now)
			return s.Handle([]byte{7, 0, 0, 1, 2}, "a", now) != nil
		},
		door.LeaveDies: func(s *door.Server) (died bool) {
			defer func() { died = recover() == any(door.ErrDied) }()
			s.Handle([]byte{11, 0, 0}, "a", now)
			return false
		},
		door.MovesAfterward: func(s *door.Server) bool {
			in(s, now)
			s.Handle([]byte{11, 0, 0}, "a", now)
			return s.Handle([]byte{7, 0, 0, 1, 2}, "a", now) != nil
		},
		door.LocksOut: func(s *door.Server) bool {
			in(s, now)
			s.Handle([]byte{7, 0, 0, 101, 0}, "a", now)
			return s.Handle([]byte("\x01\x00\x01door twc"), "a", now) == nil && s.Handle([]byte("\x01\x00\x01door twc"), "b", now) != nil
		},
		door.ReturnDies: func(s *door.Server) (died bool) {
			defer func() { died = recover() == any(door.ErrDied) }()
			in(s, now)
			s.Handle([]byte{11, 0, 0}, "a", now)
			s.Handle([]byte{3, 0, 0, 1, 2, 3, 4}, "a", now)
			s.Handle([]byte{7, 0, 0, 1, 2}, "a", now)
			return false
		},
		door.ShutsAll: func(s *door.Server) bool {
			in(s, now)
			s.Handle([]byte{7, 0, 0, 0, 101}, "a", now)
			return s.Handle([]byte("\x01\x00\x01door twc"), "b", now) == nil
		},
	} {
		if !shows(&door.Server{Mistakes: m}) || shows(&door.Server{Mistakes: (door.All | door.Kicks) &^ m}) || shows(&door.Server{}) {
			t.Errorf("%s: it does not show alone, or without it", door.Names[m])
		}
	}
}
