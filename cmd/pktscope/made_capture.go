package main

import (
	"fmt"
	"io"
	"os"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
)

// madeCapture writes packets that were never on a wire as a capture, with the protocol's port on the server's side.
type madeCapture struct {
	writer *pcap.Writer
	ends   *pcap.Synthetic
}

func newMadeCapture(w io.Writer, s *schema.Schema) *madeCapture {
	return &madeCapture{writer: pcap.NewWriter(w, section), ends: newSynthetic(s)}
}

// newSynthetic gives packets of a protocol addresses with its port.
func newSynthetic(s *schema.Schema) *pcap.Synthetic {
	if len(s.Ports) == 0 {
		return pcap.NewSynthetic(0)
	}
	return pcap.NewSynthetic(s.Ports[0])
}

// add writes a packet.
func (m *madeCapture) add(packet []byte, from decode.Direction, comments ...string) error {
	src, dst := decode.Ends(from, m.ends.Client, m.ends.Server)
	return m.writer.WriteUDP(m.ends.Time(0, false), src, dst, packet, comments...)
}

// makeCapture calls fill with a capture that goes to the file that -o names, or to stdout. The file is there when it is
// whole, readable by its owner alone. It must not be the schema: a slip of the fingers shall not cost that.
func (p *program) makeCapture(name string, protocol *protocolFlags, s *schema.Schema, fill func(*madeCapture) error) error {
	if name == "-" {
		c := newMadeCapture(p.out, s)
		if err := fill(c); err != nil {
			return err
		}
		return c.writer.Close()
	}
	if err := p.spare(name, protocol.name); err != nil { // a slip of the fingers shall not cost the schema
		return outputError(name, err)
	}
	file := &lateFile{program: p, name: name}
	c := newMadeCapture(file, s)
	err := fill(c)
	if err == nil {
		err = c.writer.Close()
	}
	err = file.end(err)
	if file.refused != nil {
		return file.refused // without how far the capture came
	}
	return err
}

// outputError says what is wrong with the file that -o names.
func outputError(name string, err error) error {
	return fmt.Errorf("-o %s: %s", name, createReason(name, err))
}

// outputRoot opens the directory that -o names, which is made where there is none. Nothing outside it is touched,
// whatever links are in it.
func outputRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, outputError(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, outputError(dir, err)
	}
	return root, nil
}
