package main

import (
	"fmt"
	"io"
	"math"
	"net/netip"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
)

// madeCapture writes packets that were never on a wire as a capture: Ethernet, IPv4 and UDP between two loopback addresses,
// the protocol's port on the server's side, a millisecond apart from a fixed time on. The same packets make the same file,
// byte for byte.
type madeCapture struct {
	writer *pcap.Writer
	ends   *madeEnds
	count  int64
}

// The made-up ends. A protocol without a port has port 4000 here.
const (
	madePort   = 4000
	madeClient = 50000
)

var madeEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// madeEnds are the addresses and the times of packets that were never on a wire.
type madeEnds struct {
	client, server netip.AddrPort
	next           int64 // ns since 1970
}

func newMadeEnds(s *schema.Schema) *madeEnds {
	port, client := uint16(madePort), uint16(madeClient)
	if len(s.Ports) > 0 {
		port = s.Ports[0]
	}
	if port == client {
		client++
	}
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	return &madeEnds{client: netip.AddrPortFrom(loopback, client), server: netip.AddrPortFrom(loopback, port), next: madeEpoch}
}

// of is the ends of a packet. From nobody known it goes from port to port, of which none tells who the server is.
func (m *madeEnds) of(from decode.Direction) (src, dst netip.AddrPort) {
	switch from {
	case decode.Server:
		return m.server, m.client
	case decode.Client:
		return m.client, m.server
	}
	return m.server, m.server
}

// at is the time of a packet: the one that is known, or a millisecond after the packet before.
func (m *madeEnds) at(known int64) int64 {
	if known == 0 {
		known = m.next
	}
	if known <= math.MaxInt64-int64(time.Millisecond) {
		m.next = known + int64(time.Millisecond)
	}
	return known
}

func newMadeCapture(w io.Writer, s *schema.Schema) *madeCapture {
	return &madeCapture{writer: pcap.NewWriter(w, pcap.Section{Application: "pktscope"}), ends: newMadeEnds(s)}
}

// add writes a packet.
func (c *madeCapture) add(packet []byte, from decode.Direction, comments ...string) error {
	src, dst := c.ends.of(from)
	c.count++
	return c.writer.WriteUDP(c.ends.at(0), src, dst, packet, comments...)
}

// close ends the capture. One without packets has an interface all the same, without which tcpdump complains.
func (c *madeCapture) close() error {
	if c.count == 0 {
		if _, err := c.writer.AddInterface(pcap.Interface{Link: pcap.LinkEthernet}); err != nil {
			return err
		}
	}
	return c.writer.Flush()
}

// makeCapture calls fill with a capture that goes to the file that -o names, or to stdout. The file is there when it is
// whole, readable by its owner alone. It must not be the schema: a slip of the fingers shall not cost that.
func (p *program) makeCapture(name string, protocol *protocolFlags, s *schema.Schema, fill func(*madeCapture) error) error {
	if name == "-" {
		c := newMadeCapture(p.out, s)
		if err := fill(c); err != nil {
			return err
		}
		return c.close()
	}
	if readsFrom(protocol.name, name) {
		return fmt.Errorf("-o %s: is the schema itself", name)
	}
	file := &lateFile{program: p, name: name}
	c := newMadeCapture(file, s)
	err := fill(c)
	if err == nil {
		err = c.close()
	}
	err = file.end(err)
	if file.refused != nil {
		return file.refused // without how far the capture came
	}
	return err
}

// outputError says what is wrong with the file that -o names.
func outputError(name string, err error) error {
	return fmt.Errorf("-o %s: %s", name, reason(err))
}
