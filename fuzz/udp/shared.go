package udp

import (
	"context"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Shared is one server for all who ask for a target, one after the other: there is one port, one rate and one stop
// time. Who comes later, to try again what the first has found, has the server started anew; when that one is done, the
// first has it started anew, too. It is for one goroutine.
type Shared struct {
	open   func(context.Context) (*Target, error)
	target *Target
	users  int
	sent   Sent     // to the targets of users that are all gone
	talked Sessions // with these
}

// NewShared makes a Shared of what makes the target, which is asked when the first user comes, and again when all are
// gone.
func NewShared(open func(context.Context) (*Target, error)) *Shared { return &Shared{open: open} }

// Use makes a target for one user more. What that one waits for ends with ctx.
func (s *Shared) Use(ctx context.Context) (oracle.Target, error) {
	if s.target == nil {
		t, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		s.target = t
	} else {
		s.target.dead = true // for the next who sends
	}
	s.users++
	u := &user{ctx: ctx, shared: s, trial: s.users > 1}
	switch talk := s.target.talk; {
	case talk == nil:
		return u, nil
	case talk.Section != "": // of which no state says anything
		return batchUser{u}, nil
	}
	return statefulUser{batchUser{u}}, nil
}

// Sent is how many datagrams the server was sent by users that are all gone.
func (s *Shared) Sent() Sent { return s.sent }

// Sessions is how the dialogue went with users that are all gone.
func (s *Shared) Sessions() Sessions { return s.talked }

// Target is the server of a user that Use made: for what is no packet of that user's.
func (s *Shared) Target() *Target { return s.target }

var _ oracle.Batcher = batchUser{}

// batchUser is a user of a server that is talked with: it has packets in windows.
type batchUser struct{ *user }

// statefulUser is one whose packets are a client's, which can be sent in any state.
type statefulUser struct{ batchUser }

// SendBatch sends packets in windows, as a target that talks does.
func (u batchUser) SendBatch(packets [][]byte, from []decode.Direction, each func(i int, r oracle.Reply) bool) error {
	t := u.shared.target
	t.trial, t.ctx = u.trial, u.ctx
	return t.SendBatch(packets, from, each)
}

// user is one of them.
type user struct {
	ctx    context.Context
	shared *Shared
	trial  bool
}

func (u *user) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	t := u.shared.target
	t.trial, t.ctx = u.trial, u.ctx
	return t.Send(packet, from)
}

func (u *user) Close() error {
	s := u.shared
	if s.users--; s.users > 0 {
		s.target.dead = true
		return nil
	}
	t := s.target
	s.target = nil
	s.sent.Packets += t.sent.Packets
	s.sent.Probes += t.sent.Probes
	if t.talk != nil {
		s.talked.add(&t.talk.counted, t.talk.window)
	}
	return t.Close()
}
