package main

import (
	"fmt"
	"io"
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
	port   uint16
	count  int64
}

// The made-up ends. A protocol without a port has port 4000 here.
const (
	madePort   = 4000
	madeClient = 50000
)

var madeEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

func newMadeCapture(w io.Writer, s *schema.Schema) *madeCapture {
	c := &madeCapture{writer: pcap.NewWriter(w, pcap.Section{Application: "pktscope"}), port: madePort}
	if len(s.Ports) > 0 {
		c.port = s.Ports[0]
	}
	return c
}

// add writes a packet. From nobody known it goes from port to port, of which none tells who the server is.
func (c *madeCapture) add(packet []byte, from decode.Direction, comments ...string) error {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	server := netip.AddrPortFrom(loopback, c.port)
	client := netip.AddrPortFrom(loopback, madeClient)
	if c.port == madeClient {
		client = netip.AddrPortFrom(loopback, madeClient+1)
	}
	src, dst := client, server
	switch from {
	case decode.Server:
		src, dst = server, client
	case decode.Unknown:
		src, dst = server, server
	}
	c.count++
	return c.writer.WriteUDP(madeEpoch+(c.count-1)*int64(time.Millisecond), src, dst, packet, comments...)
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

// makeCapture calls fill with a capture that goes to the file that -o names, or to stdout. The file is made when the first
// packet is there, readable by its owner alone.
func (p *program) makeCapture(name string, s *schema.Schema, fill func(*madeCapture) error) error {
	if name == "-" {
		c := newMadeCapture(p.out, s)
		if err := fill(c); err != nil {
			return err
		}
		return c.close()
	}
	file := &lateFile{name: name}
	c := newMadeCapture(file, s)
	err := fill(c)
	if err == nil {
		err = c.close()
	}
	if closing := file.close(); err == nil {
		err = closing
	}
	if file.refused != nil {
		return file.refused // without how far the capture came
	}
	return err
}

// outputError says what is wrong with the file that -o names.
func outputError(name string, err error) error {
	return fmt.Errorf("-o %s: %s", name, reason(err))
}
