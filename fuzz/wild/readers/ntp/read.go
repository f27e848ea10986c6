// A harness for beevik/ntp: an answer to its query. The query has a random number that the answer has to repeat in its origin:
// that is put into the packet.
package main

import (
	"net"
	"time"

	"github.com/beevik/ntp"
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	r, err := ntp.QueryWithOptions("192.0.2.1", ntp.QueryOptions{
		GetSystemTime: time.Now,
		Dialer:        func(_, _ string) (net.Conn, error) { return &server{answer: packet}, nil },
	})
	if err != nil {
		return false, nil
	}
	return true, map[string]any{
		"leap":    int(r.Leap),
		"version": r.Version,
		"stratum": r.Stratum,
		"ref_id":  r.ReferenceID,
	}
}

// server is a connection to a server that has one answer.
type server struct {
	net.Conn
	answer, query []byte
}

func (s *server) Write(b []byte) (int, error) {
	s.query = append(s.query[:0], b...)
	return len(b), nil
}

func (s *server) Read(b []byte) (int, error) {
	n := copy(b, s.answer)
	if len(s.answer) >= 32 && len(s.query) >= 48 {
		copy(b[24:32], s.query[40:48])
	}
	return n, nil
}

func (s *server) SetDeadline(time.Time) error { return nil }
func (s *server) Close() error                { return nil }
