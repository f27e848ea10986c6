// Package door is a server that lets clients in, with mistakes about its states to choose from: what audit with a
// dialogue has to name, and of the mended twin must not.
//
// Server is the server without a socket; Serve runs one.
package door

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"net"
	"time"
)

// Schema is the protocol, and Dialogue what a client says; Token is what it needs for that, in hexadecimal.
var (
	//go:embed door.pks
	Schema string
	//go:embed door.pkd
	Dialogue string
)

// Token lets a client in.
const Token = "646f6f7220747763"

// Mistakes are what a server does wrong about its states.
type Mistakes uint32

// The mistakes. None of them is in a single packet.
const (
	ShootsEarly    Mistakes = 1 << iota // a shot is answered before anybody has joined
	AnswerAlone                         // an answer is welcomed without a challenge
	MovesWaiting                        // who was challenged may move
	BeatOpens                           // a heartbeat opens a session
	LeaveDies                           // a goodbye without a session ends the server
	MovesAfterward                      // who has left may move

	All = 1<<iota - 1
)

// What a server does to who is in and moves outside of the field; without any of it such a move is ignored.
const (
	Kicks    Mistakes = (All + 1) << iota // it closes the session, and lets the client in again: no mistake
	LocksOut                              // it closes the session, and does not let in that client again
	ShutsAll                              // it closes the session, and lets in nobody again
)

// ReturnDies is a mistake that takes two packets in a state: who has left and answers again is half in, and a move ends
// the server then.
const ReturnDies Mistakes = ShutsAll << 1

// Names are the mistakes as audit names them, by state and case.
var Names = map[Mistakes]string{
	ShootsEarly: "Start: Shoot", AnswerAlone: "Start: Answer", MovesWaiting: "Challenged: Move",
	BeatOpens: "Start: Beat", LeaveDies: "Start: Leave", MovesAfterward: "Ended: Move",
}

// ErrDied is what Handle panics with where a mistake ends the server.
var ErrDied = errors.New("door: a session that is not there was closed")

// Timeout is how long a session lasts without a packet.
const Timeout = 2 * time.Second

// maxSessions bounds the sessions; the oldest goes first.
const maxSessions = 1024

type session struct {
	joined bool
	left   bool
	half   bool // see ReturnDies
	cookie uint32
	seen   time.Time
}

// Server is the server without a socket. It is for one goroutine.
type Server struct {
	Mistakes Mistakes
	sessions map[string]*session
	joins    uint32
	score    uint16
	banned   map[string]bool
	shut     bool
}

// The kinds of packets.
const (
	hello = iota + 1
	challenge
	answer
	welcome
	beat
	beatAck
	move
	moveAck
	shoot
	hit
	leave
	bye
	nack
)

// sizes of the clients' packets.
var sizes = map[byte]int{hello: 11, answer: 7, beat: 3, move: 5, shoot: 4, leave: 3}

// Handle takes a packet of a client, who is known by an address, and gives the answer; nil for none.
func (s *Server) Handle(packet []byte, from string, now time.Time) []byte {
	if s.sessions == nil {
		s.sessions = map[string]*session{}
	}
	if len(packet) < 3 || len(packet) != sizes[packet[0]] {
		return nil
	}
	c := s.sessions[from]
	if c != nil && now.Sub(c.seen) > Timeout {
		delete(s.sessions, from)
		c = nil
	}
	if c != nil {
		c.seen = now
	}
	has := func(m Mistakes) bool { return s.Mistakes&m != 0 }
	in := c != nil && c.joined && !c.left
	reply := func(kind byte, body ...byte) []byte { return append([]byte{kind, packet[1], packet[2]}, body...) }
	switch body := packet[3:]; packet[0] {
	case hello:
		if string(body) != "door twc" {
			return reply(nack, 1)
		}
		if s.shut || s.banned[from] {
			return nil
		}
		if c == nil || c.left {
			c = s.open(from, now)
		}
		return reply(challenge, binary.BigEndian.AppendUint32(nil, c.cookie)...)
	case answer:
		if c == nil && has(AnswerAlone) {
			c = s.open(from, now)
			c.cookie = binary.BigEndian.Uint32(body)
		}
		if c != nil && c.left {
			c.half = true
		}
		if c == nil || c.left || binary.BigEndian.Uint32(body) != c.cookie {
			return reply(nack, 2)
		}
		c.joined = true
		return reply(welcome, byte(s.joins))
	case beat:
		if c == nil && has(BeatOpens) {
			s.open(from, now).joined = true
		}
		if in {
			return reply(beatAck)
		}
	case move:
		if c != nil && c.half && has(ReturnDies) {
			panic(ErrDied)
		}
		if in && (body[0] > 100 || body[1] > 100) {
			s.cheats(from)
			return nil
		}
		if (in || has(MovesWaiting) && c != nil && !c.left || has(MovesAfterward) && c != nil && c.left) && body[0] <= 100 && body[1] <= 100 {
			return reply(moveAck, body...)
		}
	case shoot:
		if (in || has(ShootsEarly)) && body[0] >= 1 && body[0] <= 10 {
			s.score += uint16(body[0])
			return reply(hit, byte(s.score>>8), byte(s.score))
		}
	case leave:
		if c == nil && has(LeaveDies) {
			panic(ErrDied)
		}
		if in {
			c.left = true
			return reply(bye)
		}
	}
	return nil
}

// cheats is what comes of a move outside of the field.
func (s *Server) cheats(from string) {
	if s.Mistakes&(Kicks|LocksOut|ShutsAll) == 0 {
		return
	}
	delete(s.sessions, from)
	if s.Mistakes&LocksOut != 0 && len(s.banned) < maxSessions {
		if s.banned == nil {
			s.banned = map[string]bool{}
		}
		s.banned[from] = true
	}
	s.shut = s.shut || s.Mistakes&ShutsAll != 0
}

// open makes a session.
func (s *Server) open(from string, now time.Time) *session {
	if len(s.sessions) >= maxSessions {
		oldest := ""
		for name, c := range s.sessions {
			if oldest == "" || c.seen.Before(s.sessions[oldest].seen) {
				oldest = name
			}
		}
		delete(s.sessions, oldest)
	}
	s.joins++
	c := &session{cookie: 0xc00c0000 + s.joins*2654435761>>16, seen: now}
	s.sessions[from] = c
	return c
}

// Serve serves until the socket is closed. It panics with ErrDied where a mistake ends the server.
func Serve(conn net.PacketConn, m Mistakes) error {
	s, buf := &Server{Mistakes: m}, make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			continue // such as a client that is gone
		}
		if reply := s.Handle(buf[:n], from.String(), time.Now()); reply != nil {
			_, _ = conn.WriteTo(reply, from)
		}
	}
}
