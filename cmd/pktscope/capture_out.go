package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
)

// captureOut is the capture that -w writes: the matching packets as they were on the wire, secrets included. The file
// is made with the first packet, or at the end of a run that could read its input: a mistyped input must not cost the
// capture that was there before.
type captureOut struct {
	program  *program
	name     string // as it is shown
	path     string // "" for stdout
	out      *output
	section  pcap.Section  // the beginning of each file
	rotation pcap.Rotation // -b
	to       captureWriter // nil until the first packet
	count    int64         // packets
	broken   bool          // writing a file failed, which was said
}

// captureWriter is a *pcap.FileWriter, or stdout.
type captureWriter interface {
	WriteRecords(pcap.PacketSource, []pcap.Record) error
	WriteUDP(time int64, src, dst netip.AddrPort, payload []byte, comments ...string) error
	Rotate(now time.Time) error
	Size() int64
	Flush() error
	Close() error
}

// stdoutCapture is a capture on stdout, which whoever reads it has with each Flush.
type stdoutCapture struct {
	*pcap.Writer
	out *output
}

func (stdoutCapture) Rotate(time.Time) error { return nil }

func (s stdoutCapture) Flush() error {
	if err := s.Writer.Flush(); err != nil {
		return err
	}
	return s.out.Flush()
}

// createCapture judges what -w names. It must not be one of the inputs, which would be emptied before it is read, nor
// the schema.
func (p *program) createCapture(name string, protocol *protocolFlags, inputs []string) (*captureOut, error) {
	if name == "-" {
		return &captureOut{name: "stdout", out: p.out, section: section}, nil
	}
	if err := p.spare(name, append([]string{protocol.name}, inputs...)...); err != nil {
		return nil, fmt.Errorf("-w %s: %w", name, err)
	}
	return &captureOut{program: p, name: name, path: name, section: section}, nil
}

var section = pcap.Section{Application: "pktscope"}

// sectionOf is the beginning of a capture from interfaces: it has all of them, also those without packets.
func sectionOf(src *live.Sources) pcap.Section {
	s := section
	for id := range src.Interfaces() {
		s.Interfaces = append(s.Interfaces, src.Interface(id))
	}
	return s
}

// begin makes the capture, unless it has been begun.
func (c *captureOut) begin() error {
	if c.to != nil {
		return nil
	}
	if c.path == "" {
		c.to = stdoutCapture{pcap.NewWriter(c.out, c.section), c.out}
		return nil
	}
	if err := c.program.spare(c.path); err != nil { // it was read since: a key file, an import
		return c.failed(err)
	}
	f, err := pcap.CreateFile(c.path, c.section, c.rotation)
	if err != nil {
		return c.failed(err)
	}
	c.to = f
	return nil
}

// asked reports whether a view was asked for: else one is shown where packets go nowhere else.
func (v *view) asked(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("format") || v.flags.tree || v.flags.bits
}

// saveTo opens what -w names. The packets are then written and not shown, unless a view was asked for.
func (v *view) saveTo(p *program, cmd *cobra.Command, inputs []string) error {
	if v.flags.write == "" {
		return nil
	}
	view := v.asked(cmd)
	if view && v.flags.write == "-" {
		return usagef(cmd, "-w - writes the capture to stdout, where a view would be in its way")
	}
	save, err := p.createCapture(v.flags.write, &v.flags.protocol, inputs)
	if err != nil {
		return err
	}
	v.save, v.silent = save, !view
	return nil
}

// saved ends the capture that -w writes and says what it holds. Where nothing could be read, there is none.
func (v *view) saved(p *program, nothing bool) error {
	if v.save == nil || nothing && v.save.to == nil {
		return nil
	}
	if err := v.save.close(); err != nil {
		return err
	}
	if !p.quiet {
		p.complain("%s written to %s", syntax.Count(v.save.count, "packet"), v.save.name)
	}
	return nil
}

// addRecords writes the packets that one datagram came in from src, of which copies are at hand.
func (c *captureOut) addRecords(src pcap.PacketSource, records []pcap.Record) error {
	if err := c.begin(); err != nil {
		return err
	}
	return c.added(c.to.WriteRecords(src, records))
}

// addUDP writes a packet of which only the payload is there.
func (c *captureOut) addUDP(time int64, src, dst netip.AddrPort, payload []byte) error {
	if err := c.begin(); err != nil {
		return err
	}
	return c.added(c.to.WriteUDP(time, src, dst, payload))
}

// added counts a packet that was written.
func (c *captureOut) added(err error) error {
	if err != nil {
		return c.failed(err)
	}
	c.count++
	return nil
}

// turn changes the file for the next one when it is time to, for when no packet comes.
func (c *captureOut) turn(now time.Time) error {
	if c.to == nil {
		return nil
	}
	if err := c.to.Rotate(now); err != nil {
		return c.failed(err)
	}
	return nil
}

// flush writes out what is buffered, so that a process that is killed leaves all but the last moments.
func (c *captureOut) flush() error {
	if c.to == nil {
		return nil
	}
	if err := c.to.Flush(); err != nil {
		return c.failed(err)
	}
	return nil
}

// size is how many bytes all files have, as they will be.
func (c *captureOut) size() int64 {
	if c.to == nil {
		return 0
	}
	return c.to.Size()
}

// close ends the capture. One without packets is valid too.
func (c *captureOut) close() error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.to.Close(); err != nil {
		return c.failed(err)
	}
	return nil
}

// failed tells an error of the capture from one of the input: what was written so far is a valid capture.
func (c *captureOut) failed(err error) error {
	c.broken = c.path != ""
	var path *fs.PathError
	if !errors.As(err, new(*pcap.WriteError)) && c.path != "" && errors.As(err, &path) {
		return fmt.Errorf("-w %s: %s", path.Path, createReason(path.Path, err)) // a file of a ring
	}
	return fmt.Errorf("-w %s: %w", c.name, err)
}
