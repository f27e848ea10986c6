package udp

import (
	"bytes"
	"errors"
	"net"
	"time"
)

// heard is what has come from a server since it was last looked at. To wait for a datagram with a deadline takes a
// millisecond at least, so one goroutine reads all the time.
type heard struct {
	some    chan struct{} // a datagram
	answer  chan struct{} // one that begins as the answer to a probe does
	refused chan struct{} // word that nobody listens on the port
	ended   chan struct{}
}

func listen(conn *net.UDPConn, expect []byte) *heard {
	h := &heard{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})}
	go func() {
		defer close(h.ended)
		buf := make([]byte, 1<<16)
		for {
			n, err := conn.Read(buf)
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				tell(h.refused)
				time.Sleep(time.Millisecond) // should it be an error that stays
			default:
				tell(h.some)
				if bytes.HasPrefix(buf[:n], expect) {
					tell(h.answer)
				}
			}
		}
	}()
	return h
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// forget forgets what has come by now.
func (h *heard) forget() {
	for _, c := range []chan struct{}{h.some, h.answer, h.refused} {
		select {
		case <-c:
		default:
		}
	}
}
