package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
)

// captureOut is the capture that -w writes: the matching packets as they were on the wire, secrets included.
type captureOut struct {
	name   string
	writer *pcap.Writer
	file   *os.File // nil for stdout
	count  int64
}

// createCapture makes the file that -w names, readable by its owner alone because it holds traffic. It must not be one of
// the inputs: it would be emptied before it is read.
func (p *program) createCapture(name string, inputs []string) (*captureOut, error) {
	section := pcap.Section{Application: "pktscope"}
	if name == "-" {
		return &captureOut{name: "stdout", writer: pcap.NewWriter(p.out, section)}, nil
	}
	if out, err := os.Stat(name); err == nil {
		for _, in := range inputs {
			if info, err := os.Stat(in); err == nil && os.SameFile(out, info) {
				return nil, fmt.Errorf("-w %s: is an input; it would be emptied before it is read", name)
			}
		}
		if out.IsDir() {
			return nil, fmt.Errorf("-w %s: is a directory", name)
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-w %s: %s", name, reason(err))
	}
	return &captureOut{name: name, writer: pcap.NewWriter(f, section), file: f}, nil
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
	save, err := p.createCapture(v.flags.write, inputs)
	if err != nil {
		return err
	}
	v.save, v.silent = save, !view
	return nil
}

// saved ends the capture that -w writes and says what it holds.
func (v *view) saved(p *program) error {
	if v.save == nil {
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
	if err := c.writer.WriteDatagram(d); err != nil {
		return c.failed(err)
	}
	c.count++
	return nil
}

// close ends the capture; a file without packets is a valid one too.
func (c *captureOut) close() error {
	err := c.writer.Flush()
	if c.file != nil {
		err = errors.Join(err, c.file.Close())
	}
	if err != nil {
		return c.failed(err)
	}
	return nil
}

// failed tells an error of the capture from one of the input: what was written so far is a valid capture.
func (c *captureOut) failed(err error) error {
	return fmt.Errorf("-w %s: %w", c.name, err)
}
