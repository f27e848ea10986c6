// Package vault is a server of netcode 1.02 (STANDARD.md of mas-bandwidth/netcode) with a small game after it, and
// mistakes to choose from: what audit with a dialogue that seals has to name, and of the mended twin must not. It is
// written from the standard and shares nothing with the rest of this module.
//
// Server is the server without a socket; Serve runs one.
package vault

import (
	"crypto/cipher"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// Game is what the protocol's payloads are, in place of the message of that name of the example netcode.
//
//go:embed game.pks
var Game string

// Put puts Game into a source of the example netcode; false where that has no such message.
func Put(netcode string) (string, bool) {
	before, rest, ok := strings.Cut(netcode, "message Game max 1200 {")
	_, after, ended := strings.Cut(rest, "\n}\n")
	return before + Game + after, ok && ended
}

// Private is the key of the server's tokens, in hexadecimal.
const Private = "7661756c747661756c747661756c747661756c747661756c747661756c747661"

// Mistakes are what a server does wrong.
type Mistakes uint32

// The mistakes: the first three are in a message, the next in states, the last in what is sealed.
const (
	MoveDies   Mistakes = 1 << iota // a move outside of the field ends the server
	TextDies                        // so does a text that is longer than its room
	SlotHangs                       // a slot that there is not hangs it
	PlaysEarly                      // who was challenged may play
	AliveOpens                      // a keep-alive in place of a response lets in
	PlaysAfter                      // who has disconnected may play
	Replays                         // a packet counts twice
	Untagged                        // the tags of payloads are not looked at
	Prefixless                      // the first byte is not authenticated

	InMessages = MoveDies | TextDies | SlotHangs
	InStates   = PlaysEarly | AliveOpens | PlaysAfter
	InSeals    = Replays | Untagged | Prefixless
)

// Names are the mistakes in states as audit names them.
var Names = map[Mistakes]string{PlaysEarly: "Challenged: Payload", AliveOpens: "Challenged: KeepAlive", PlaysAfter: "Ended: Payload"}

// ErrDied is what Handle panics with where a mistake ends the server, and ErrHangs what it gives where one hangs it.
var (
	ErrDied  = errors.New("vault: out of the room that there is")
	ErrHangs = errors.New("vault: hangs")
)

// Of the protocol.
const (
	version  = "NETCODE 1.02\x00"
	protocol = 0x1122334455667788

	request = iota - 2
	denied
	challenge
	response
	keepAlive
	payload
	disconnect

	maxClients = 64
	window     = 256
)

// Timeout is how long a session lasts without a packet.
const Timeout = 5 * time.Second

type session struct {
	id           uint64
	receive      cipher.AEAD
	receiveKey   []byte
	send         cipher.AEAD
	sent         uint64
	newest       uint64
	had          [window]uint64 // number + 1
	joined, left bool
	seen         time.Time
}

// Server is the server without a socket. It is for one goroutine.
type Server struct {
	Mistakes Mistakes
	At       netip.AddrPort // its own address, which a token has to have
	sessions map[string]*session
	tokens   cipher.AEAD
	own      cipher.AEAD // seals challenges
	numbers  uint64
}

// New makes a server of an address.
func New(at netip.AddrPort, m Mistakes) *Server {
	key, err := hex.DecodeString(Private)
	if err != nil {
		panic("vault: " + err.Error())
	}
	tokens, err := chacha20poly1305.NewX(key)
	own, err2 := chacha20poly1305.New(key) // with numbers that no token has
	if err = errors.Join(err, err2); err != nil {
		panic("vault: " + err.Error())
	}
	return &Server{Mistakes: m, At: at, sessions: map[string]*session{}, tokens: tokens, own: own}
}

func (s *Server) has(m Mistakes) bool { return s.Mistakes&m != 0 }

// Handle takes a packet of a client, who is known by an address, and gives the answer; nil for none.
func (s *Server) Handle(packet []byte, from string, now time.Time) (answer []byte, err error) {
	if len(packet) == 0 {
		return nil, nil
	}
	c := s.sessions[from]
	if c != nil && now.Sub(c.seen) > Timeout {
		delete(s.sessions, from)
		c = nil
	}
	if packet[0] == request {
		return s.request(packet, from, now), nil
	}
	if c == nil {
		return nil, nil
	}
	kind, number, text, ok := s.open(c, packet)
	if !ok || kind >= keepAlive && !s.fresh(c, number) {
		return nil, nil
	}
	c.seen = now
	return s.act(c, kind, text)
}

// act does what an authentic packet says.
func (s *Server) act(c *session, kind byte, text []byte) ([]byte, error) {
	in := c.joined && !c.left
	switch {
	case kind == response && !c.left:
		var nonce [12]byte
		if len(text) != 308 {
			return nil, nil
		}
		copy(nonce[4:], text[:8])
		plain, err := s.own.Open(nil, nonce[:], text[8:], nil)
		if err != nil || binary.LittleEndian.Uint64(plain) != c.id {
			return nil, nil
		}
		c.joined = true
		return s.alive(c), nil
	case kind == keepAlive && len(text) == 8:
		if !c.joined && s.has(AliveOpens) {
			c.joined = true
		}
		if in {
			return s.alive(c), nil
		}
	case kind == payload && (in || s.has(PlaysEarly) && !c.joined || s.has(PlaysAfter) && c.left):
		ok, err := s.play(text)
		if ok {
			return s.seal(c, payload, text), nil
		}
		return nil, err
	case kind == disconnect && in:
		c.left = true
	}
	return nil, nil
}

// play is the game: it reports whether a message is one.
func (s *Server) play(m []byte) (bool, error) {
	switch {
	case len(m) == 5 && m[0] == 1:
		x, y := binary.LittleEndian.Uint16(m[1:]), binary.LittleEndian.Uint16(m[3:])
		if (x > 1000 || y > 1000) && s.has(MoveDies) {
			panic(ErrDied)
		}
		return x <= 1000 && y <= 1000, nil
	case len(m) >= 2 && m[0] == 2:
		if m[1] > 32 && s.has(TextDies) {
			panic(ErrDied)
		}
		return m[1] <= 32 && len(m) == 2+int(m[1]), nil
	case len(m) == 3 && m[0] == 3:
		if m[1] > 9 && s.has(SlotHangs) {
			return false, ErrHangs
		}
		return m[1] <= 9 && m[2] >= 1 && m[2] <= 64, nil
	}
	return false, nil
}

// request opens a session with the keys of a token.
func (s *Server) request(packet []byte, from string, now time.Time) []byte {
	if len(packet) != 1078 || string(packet[1:14]) != version || binary.LittleEndian.Uint64(packet[14:]) != protocol {
		return nil
	}
	if expires := binary.LittleEndian.Uint64(packet[22:]); expires <= uint64(now.Unix()) {
		return nil
	}
	ad := append(append([]byte(version), packet[14:22]...), packet[22:30]...)
	token, err := s.tokens.Open(nil, packet[30:54], packet[54:], ad)
	if err != nil {
		return nil
	}
	id, addresses := binary.LittleEndian.Uint64(token), binary.LittleEndian.Uint32(token[12:])
	here := false
	rest := token[16:]
	if addresses < 1 || addresses > 32 {
		return nil
	}
	for range addresses {
		n := 4
		if rest[0] == 2 {
			n = 16
		}
		addr, _ := netip.AddrFromSlice(rest[1 : 1+n])
		here = here || netip.AddrPortFrom(addr, binary.LittleEndian.Uint16(rest[1+n:])) == s.At
		rest = rest[3+n:]
	}
	if !here {
		return nil
	}
	c := s.sessions[from]
	if c == nil || c.id != id {
		if len(s.sessions) >= maxClients {
			s.forget()
		}
		c = &session{id: id, receiveKey: rest[:32]}
		c.receive, _ = chacha20poly1305.New(rest[:32])
		c.send, _ = chacha20poly1305.New(rest[32:64])
		s.sessions[from] = c
	}
	if c.joined {
		return nil
	}
	c.seen = now
	s.numbers++
	plain := make([]byte, 284)
	binary.LittleEndian.PutUint64(plain, id)
	text := binary.LittleEndian.AppendUint64(nil, s.numbers)
	nonce := append(make([]byte, 4), text...)
	return s.seal(c, challenge, s.own.Seal(text, nonce, plain, nil))
}

// forget forgets the session that was silent longest.
func (s *Server) forget() {
	oldest := ""
	for name, c := range s.sessions {
		if oldest == "" || c.seen.Before(s.sessions[oldest].seen) {
			oldest = name
		}
	}
	delete(s.sessions, oldest)
}

// alive is the answer to a response and to a keep-alive.
func (s *Server) alive(c *session) []byte {
	return s.seal(c, keepAlive, binary.LittleEndian.AppendUint64(nil, maxClients<<32|c.id%maxClients))
}

// seal makes a packet with the next number.
func (s *Server) seal(c *session, kind byte, text []byte) []byte {
	number := binary.LittleEndian.AppendUint64(nil, c.sent)
	c.sent++
	prefix := kind | 8<<4
	packet := append([]byte{prefix}, number...)
	return c.send.Seal(packet, append(make([]byte, 4), number...), text, additional(prefix))
}

func additional(prefix byte) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte(version), protocol), prefix)
}

// open opens a packet that is no request.
func (s *Server) open(c *session, packet []byte) (kind byte, number uint64, text []byte, ok bool) {
	kind = packet[0] & 15
	n := int(packet[0] >> 4)
	if n < 1 || n > 8 || len(packet) < 1+n+16 || kind == denied || kind == challenge || kind > disconnect {
		return 0, 0, nil, false
	}
	var bytes [8]byte
	copy(bytes[:], packet[1:1+n])
	nonce := append(make([]byte, 4), bytes[:]...)
	prefixes := packet[:1]
	if s.has(Prefixless) { // any that is sealed under another first byte is taken, too
		prefixes = nil
		for p := range 256 {
			prefixes = append(prefixes, byte(p))
		}
	}
	for _, prefix := range prefixes {
		if text, err := c.receive.Open(nil, nonce, packet[1+n:], additional(prefix)); err == nil {
			return kind, binary.LittleEndian.Uint64(bytes[:]), text, true
		}
	}
	if kind == payload && s.has(Untagged) {
		return kind, binary.LittleEndian.Uint64(bytes[:]), c.unchecked(nonce, packet[1+n:len(packet)-16]), true
	}
	return 0, 0, nil, false
}

// fresh reports whether a number was not had, and is not old.
func (s *Server) fresh(c *session, number uint64) bool {
	if s.has(Replays) {
		return true
	}
	at := &c.had[number%window]
	if number+window <= c.newest || *at == number+1 {
		return false
	}
	c.newest, *at = max(c.newest, number), number+1
	return true
}

// Serve serves until the socket is closed. It panics with ErrDied where a mistake ends the server.
func Serve(conn net.PacketConn, m Mistakes) error {
	at, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return err
	}
	s, buf := New(at, m), make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			continue // such as a client that is gone
		}
		reply, err := s.Handle(buf[:n], from.String(), time.Now())
		for errors.Is(err, ErrHangs) {
			time.Sleep(time.Second)
		}
		if reply != nil {
			_, _ = conn.WriteTo(reply, from)
		}
	}
}
