package dialogue

import (
	"bytes"
	"fmt"
	"net/netip"
	"time"

	"github.com/pktscope/pktscope/decode/keys"
)

// Preamble is what a dialogue's send lines say, for a reader that answers nothing: with the values of the first session.
// What is sealed in them is with the keys of a file, which may be nil. A value that only a server says is an error.
func (d *Dialogue) Preamble(v *Values, file *keys.File) ([][]byte, error) {
	values, err := v.Of(0)
	if err != nil {
		return nil, err
	}
	said := &mute{}
	s := d.NewSession(said, values)
	s.Open(file)
	s.Hide(&v.Secrets)
	for _, l := range d.steps {
		if l.Verb != Send {
			continue
		}
		if err := s.say(l); err != nil {
			return nil, fmt.Errorf("a reader says nothing: %w", err)
		}
	}
	return said.packets, nil
}

// mute is a Conn that keeps what is sent.
type mute struct{ packets [][]byte }

func (m *mute) Send(packet []byte) error {
	m.packets = append(m.packets, bytes.Clone(packet))
	return nil
}

func (m *mute) Receive(time.Duration) ([]byte, netip.AddrPort, error) {
	return nil, netip.AddrPort{}, nil
}
func (m *mute) Follow(netip.AddrPort) error { return nil }
func (m *mute) Peer() netip.AddrPort        { return nobody }

// nobody is whom a mute talks to.
var nobody = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 9)
