package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
)

type encodeFlags struct {
	protocol protocolFlags
	format   string // -T
	write    string // -w
	goOn     bool   // --keep-going
	flush    bool   // -l
}

func newEncode(p *program) *cobra.Command {
	var flags encodeFlags
	cmd := &cobra.Command{
		Use:   "encode -p PROTOCOL [FILE...]",
		Short: "make packets from JSON as decode -T json prints it",
		Long: `Encode reads objects, one a line, as decode -T json prints them (pktscope help json), from
files or stdin. It writes each as a packet: a line of hex, or - for a packet without bytes;
with -T raw the bytes, one packet directly after the other; with -w a capture.

An object needs only fields. A count, a length, the flag of an optional and the end of
indexes follow from the other values and may be left out; a count that is given must be
right. Checksums, checks, padding and constants are computed. A value that is missing, does
not fit, contradicts another or has no place in the packet is an error that names its path.
Where the tag is missing, case gives it.

The member direction names the packet's sender; without it the ports of src and dst tell. Src,
dst and time go into the capture. Without them the packet is between loopback addresses, with the
protocol's port at the server's end, a millisecond after the packet before it.

Objects whose verdict is reject, needs-context or cut do not have all fields. They are skipped, and counted
on stderr. A value that JSON masks as @secret is an error: the packet is in the capture that
it came from, and decode -w keeps it.

With --keys FILE the messages of an object (message, messages) are sealed in its packet, where
the protocol opens such a message, in place of what fields have there: decode --keys prints
what encode --keys takes. The key of a register is the line "flow" of src and dst, or "NAME HEX".
A @secret message, which decode does not show, stays as fields have it.

The first line that is no packet ends the run with exit code 2; the packets before it are
written. With --keep-going such lines are reported and left out, and the exit code is 2 in
the end.`,
		Example: `  pktscope decode -p my.pks -T json game.pcap | pktscope encode -p my.pks -w same.pcapng
  pktscope decode -T json -Y 'type == "Snapshot"' game.pcap | jq -c '.fields.body.players[0].health = 0' | pktscope encode -p rtype -w edited.pcapng
  echo '{"fields":{"type":"PlayerInput","sequence_num":7,"timestamp":0,"body":{"keys":["Up"],"sequence_num":7}}}' | pktscope encode -p rtype
  pktscope encode -p my.pks -T raw one.json | nc -u -q1 127.0.0.1 4124`,
		ValidArgsFunction: completeExtensions("json", "jsonl", "ndjson"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.encode(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	flags.protocol.addKeys(cmd, false)
	needs(cmd, "keys", "protocol", ", which says what is sealed")
	choiceVar(cmd, &flags.format, "format", "T", "hex", "print as `FORMAT`", []string{"hex", "raw"})
	filledVar(cmd, &flags.write, "write", "w", "write a capture to `FILE` as pcapng (- is stdout)", fileOrStdout)
	cmd.Flags().BoolVar(&flags.goOn, "keep-going", false, "report lines that are no packet, and go on")
	cmd.Flags().BoolVarP(&flags.flush, "line-buffered", "l", false, "write each packet at once")
	excludes(cmd, "-w writes a capture", "write", "format")
	return cmd
}

// encoding is a run of encode.
type encoding struct {
	*program
	flags   *encodeFlags
	encoder *decode.Encoder
	message *message.Message
	sealer  *message.Sealer // of --keys; nil without
	save    *captureOut     // -w; nil without
	ends    *pcap.Synthetic
	packet  []byte
	text    []byte
	refused int64 // objects with the verdict reject
	cut     int64
	bad     int64 // lines that are no packet
}

func (p *program) encode(cmd *cobra.Command, flags *encodeFlags, files []string) error {
	switch stdin, ok := p.stdin.(*os.File); {
	case len(files) == 0 && ok && isTerminal(stdin):
		return usagef(cmd, "which objects? want a file, or JSON on stdin")
	case len(files) == 0:
		files = []string{"-"}
	}
	d, err := p.protocolOf(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	e := &encoding{program: p, flags: flags, encoder: decode.NewEncoder(d), message: message.New(d.Plan()), ends: newSynthetic(d.Plan().Schema)}
	switch file, err := p.readKeys(&flags.protocol); {
	case err != nil:
		return err
	case file != nil && !d.Seals():
		return usagef(cmd, "--keys: %s seals nothing", d.Schema().Name)
	case file != nil:
		e.sealer = message.NewSealer(d, decode.NewKeyring(file))
	}
	if flags.write != "" {
		if e.save, err = p.createCapture(flags.write, &flags.protocol, files); err != nil {
			return err
		}
	}
	err = e.files(files)
	return e.end(err)
}

// files encodes what is in files, up to the first trouble unless the run is to go on.
func (e *encoding) files(names []string) error {
	trouble := false
	for _, name := range names {
		err := e.file(name)
		var output *writeError
		switch {
		case err == nil:
		case errors.As(err, &output):
			return output.error
		case errors.As(err, new(told)):
			trouble = true
		default:
			e.complain("%s", err)
			trouble = true
		}
		if trouble && !e.flags.goOn {
			break
		}
	}
	if trouble || e.bad > 0 {
		return told{}
	}
	return nil
}

func (e *encoding) file(name string) error {
	in, closer, err := e.openCapture(name)
	if err != nil {
		return err
	}
	defer closer()
	lines := message.NewLines(in)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = e.line(line)
		} else if !errors.Is(err, message.ErrLongLine) {
			return fmt.Errorf("%s: %s", name, reason(err))
		}
		var output *writeError
		switch {
		case err == nil:
			continue
		case errors.As(err, &output):
			return err
		}
		e.complain("%s:%d: %s", name, lines.Number(), err)
		e.bad++
		if !e.flags.goOn {
			return told{}
		}
	}
}

// line encodes one object.
func (e *encoding) line(line []byte) error {
	m := e.message
	if err := e.read(line); err != nil {
		return err
	}
	switch m.Verdict {
	case "reject", decode.NeedsContext.String():
		e.refused++
		return nil
	case "cut":
		e.cut++
		return nil
	}
	if err := e.write(m); err != nil {
		return err
	}
	return e.put()
}

// read fills the message, for a sealer with all that is in the object.
func (e *encoding) read(line []byte) error {
	if e.sealer != nil {
		return e.message.FromJSON(line)
	}
	return e.message.FromLine(line)
}

// write makes the packet of a message.
func (e *encoding) write(m *message.Message) (err error) {
	if e.sealer == nil {
		e.packet, err = m.Encode(e.encoder, e.packet[:0])
		return err
	}
	var of decode.Envelope
	if of.Src, of.Dst, err = m.Ends(e.ends.Client, e.ends.Server); err == nil {
		e.packet, err = e.sealer.Encode(m, &of, nil, e.packet[:0])
	}
	return err
}

// put writes the packet.
func (e *encoding) put() error {
	var err error
	switch {
	case e.save != nil:
		return e.capture()
	case e.flags.format == "raw":
		_, err = e.out.Write(e.packet)
	default:
		e.text = hex.AppendEncode(e.text[:0], e.packet)
		if len(e.packet) == 0 {
			e.text = append(e.text, '-')
		}
		e.text = append(e.text, '\n')
		_, err = e.out.Write(e.text)
	}
	if err == nil && e.flags.flush {
		err = e.out.Flush()
	}
	if err != nil {
		return &writeError{err}
	}
	return nil
}

// capture writes the packet to the capture.
func (e *encoding) capture() error {
	m := e.message
	src, dst, err := m.Ends(e.ends.Client, e.ends.Server)
	if err != nil {
		return err
	}
	if err := e.save.addUDP(e.ends.Time(m.Time, m.Timed), src, dst, e.packet); err != nil {
		return &writeError{err}
	}
	if e.flags.flush {
		if err := e.save.flush(); err != nil {
			return &writeError{err}
		}
	}
	return nil
}

// end ends the capture and says what was left out. err is what ended the run.
func (e *encoding) end(err error) error {
	nothing := err != nil && e.save != nil && e.save.to == nil // nothing was made of it: what was there stays
	if e.save != nil && !nothing {
		if closing := e.save.close(); closing != nil && (err == nil || errors.As(err, new(told))) {
			return closing
		}
	}
	if e.quiet {
		return err
	}
	if e.save != nil && !nothing && (err == nil || errors.As(err, new(told))) { // else it was told how far it was written
		e.complain("%s written to %s", syntax.Count(e.save.count, "packet"), e.save.name)
	}
	var skipped []string
	if e.refused > 0 {
		skipped = append(skipped, fmt.Sprintf("%d refused", e.refused))
	}
	if e.cut > 0 {
		skipped = append(skipped, fmt.Sprintf("%d cut by the capture", e.cut))
	}
	if len(skipped) > 0 {
		e.complain("skipped, since their fields are not all there: %s", strings.Join(skipped, ", "))
	}
	return err
}
