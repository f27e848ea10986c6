package udp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// line is a socket to the server, a client of its own to it, and what has come over it since forget. To wait for a
// datagram with a deadline takes a millisecond at least, so one goroutine reads all the time.
type line struct {
	conn    *net.UDPConn
	some    chan struct{} // a datagram
	answer  chan struct{} // one that begins as the answer to a probe does
	refused chan struct{} // word that nobody listens on the port
	ended   chan struct{}
}

// dial makes a line. Its port is not the server's: the system may give us that one while the server is down, which then
// cannot start again.
func dial(to netip.AddrPort, expect []byte) (*line, error) {
	connect := func() (*net.UDPConn, error) { return net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to)) }
	conn, err := connect()
	if err == nil && conn.LocalAddr().(*net.UDPAddr).Port == int(to.Port()) {
		taken := conn
		conn, err = connect()
		_ = taken.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("udp:%s: %w", to, err)
	}
	l := &line{conn, make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})}
	go l.listen(expect)
	return l, nil
}

func (l *line) listen(expect []byte) {
	defer close(l.ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := l.conn.Read(buf)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			tell(l.refused)
			time.Sleep(time.Millisecond) // should it be an error that stays
		default:
			tell(l.some)
			if bytes.HasPrefix(buf[:n], expect) {
				tell(l.answer)
			}
		}
	}
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// forget forgets what has come by now.
func (l *line) forget() {
	for _, c := range []chan struct{}{l.some, l.answer, l.refused} {
		select {
		case <-c:
		default:
		}
	}
}

// send sends a datagram. What is wrong with it, such as a port that nobody listens on, shows in the answers; a packet
// that is too long for a datagram never arrives.
func (l *line) send(packet []byte) {
	if _, err := l.conn.Write(packet); err != nil {
		_, _ = l.conn.Write(packet) // the error was of what was sent before, and this was not sent
	}
}

// close closes a line; nil is closed.
func (l *line) close() error {
	if l == nil {
		return nil
	}
	err := l.conn.Close()
	<-l.ended
	return err
}
