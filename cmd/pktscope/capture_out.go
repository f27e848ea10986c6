package main

import (
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
)

// captureOut is the capture that -w writes: the matching packets as they were on the wire, secrets included. The file is
// made with the first packet, or at the end of a run that could read its input: a mistyped input must not cost the capture
// that was there before.
type captureOut struct {
	name   string // as it is shown
	path   string // "" for stdout
	out    *output
	writer *pcap.Writer
	file   *os.File
	count  int64 // packets, and of them in this file
	inFile int64
	broken bool  // a write failed
	ring   *ring // -b; nil without
}

// createCapture judges what -w names. It must not be one of the inputs, which would be emptied before it is read, nor the
// schema, which nobody would get back.
func (p *program) createCapture(name string, protocol *protocolFlags, inputs []string) (*captureOut, error) {
	if name == "-" {
		return &captureOut{name: "stdout", out: p.out}, nil
	}
	if out, err := os.Stat(name); err == nil {
		for _, in := range inputs {
			info, err := os.Stat(in)
			if in == "-" {
				info, err = os.Stdin.Stat()
			}
			if err == nil && os.SameFile(out, info) {
				return nil, fmt.Errorf("-w %s: is an input; it would be emptied before it is read", name)
			}
		}
		if readsFrom(protocol.name, name) {
			return nil, fmt.Errorf("-w %s: is the schema itself", name)
		}
		if out.IsDir() {
			return nil, fmt.Errorf("-w %s: is a directory", name)
		}
	}
	return &captureOut{name: name, path: name}, nil
}

var section = pcap.Section{Application: "pktscope"}

// open makes the file, readable by its owner alone because it holds traffic.
func (c *captureOut) open() error {
	if c.path == "" {
		c.writer = pcap.NewWriter(c.out, section)
		return nil
	}
	if c.ring != nil {
		return c.openNext(time.Now())
	}
	f, err := os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("-w %s: %s", c.name, reason(err))
	}
	restrict(f)
	c.start(f)
	return nil
}

// start begins a capture in a file.
func (c *captureOut) start(f *os.File) {
	c.file, c.writer, c.inFile = f, pcap.NewWriter(f, section), 0
}

// saveTo opens what -w names. The packets are then written and not shown, unless a view was asked for.
func (v *view) saveTo(p *program, cmd *cobra.Command, inputs []string) error {
	if v.flags.write == "" {
		if cmd.Flags().Changed("write") {
			return usagef(cmd, "-w is empty: want a file, or - for stdout")
		}
		return nil
	}
	view := cmd.Flags().Changed("format") || v.flags.tree || v.flags.bits
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
	if v.save == nil || nothing && v.save.writer == nil {
		return nil
	}
	if err := v.save.close(); err != nil {
		return err
	}
	if !p.quiet {
		p.complain("%s written to %s", plural(v.save.count, "packet"), v.save.name)
	}
	return nil
}

// add writes the packets that the datagram yielded last came in: all its fragments, with their interfaces and comments.
func (c *captureOut) add(d *pcap.Datagrams) error {
	if c.writer == nil {
		if err := c.open(); err != nil {
			return err
		}
	}
	if err := c.writer.WriteDatagram(d); err != nil {
		return c.failed(err)
	}
	return c.added()
}

// addRecords writes the packets that one datagram came in from src, of which copies are at hand.
func (c *captureOut) addRecords(src pcap.PacketSource, records []pcap.Record) error {
	if c.writer == nil {
		if err := c.open(); err != nil {
			return err
		}
	}
	for i := range records {
		if err := c.writer.WriteFrom(src, records[i].Info, records[i].Data); err != nil {
			return c.failed(err)
		}
	}
	return c.added()
}

// added counts a packet that was written.
func (c *captureOut) added() error {
	c.count++
	c.inFile++
	return c.turn(time.Now())
}

// addUDP writes a packet of which only the payload is there.
func (c *captureOut) addUDP(time int64, src, dst netip.AddrPort, payload []byte) error {
	if c.writer == nil {
		if err := c.open(); err != nil {
			return err
		}
	}
	if err := c.writer.WriteUDP(time, src, dst, payload); err != nil {
		return c.failed(err)
	}
	return c.added()
}

// flush writes out what is buffered, so that a process that is killed leaves all but the last moments.
func (c *captureOut) flush() error {
	if c.writer == nil {
		return nil
	}
	err := c.writer.Flush()
	if err == nil && c.path == "" {
		err = c.out.Flush()
	}
	if err != nil {
		return c.failed(err)
	}
	return nil
}

// close ends the capture. One without packets is valid too; it has an interface, without which tcpdump complains.
func (c *captureOut) close() error {
	if c.writer == nil {
		if err := c.open(); err != nil {
			return err
		}
	}
	return c.end()
}

// end ends the file.
func (c *captureOut) end() error {
	if c.broken {
		return c.file.Close() // what went wrong has been told
	}
	var err error
	if c.inFile == 0 {
		_, err = c.writer.AddInterface(pcap.Interface{Link: pcap.LinkEthernet})
	}
	if err == nil {
		err = c.writer.Flush()
	}
	if c.ring != nil {
		c.ring.all += c.writer.Size()
	}
	if err != nil {
		err = c.failed(err)
	}
	if c.file != nil {
		if closed := c.file.Close(); err == nil && closed != nil {
			err = c.failed(closed)
		}
	}
	return err
}

// failed tells an error of the capture from one of the input: what was written so far is a valid capture.
func (c *captureOut) failed(err error) error {
	c.broken = c.file != nil
	c.repair(err)
	return fmt.Errorf("-w %s: %w", c.name, err)
}
