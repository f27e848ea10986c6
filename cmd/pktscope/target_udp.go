package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// udpFlags are those of a server under attack.
type udpFlags struct {
	rate       int
	stop       time.Duration
	probe      string
	expect     string
	prelude    []string
	server     string
	authorised string
}

var udpFlagNames = []string{"rate", "stop-after", "probe", "expect", "prelude", "server", "i-am-authorised-to-test"}

func (f *udpFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.IntVar(&f.rate, "rate", 0, "udp: send at most `N` packets a second, of which nearly half attack: a probe follows each")
	s.DurationVar(&f.stop, "stop-after", 0, "udp: end after a `TIME`")
	s.StringVar(&f.probe, "probe", "", "udp: a server that is alive answers this packet: `HEX`; without it the protocol's heartbeat")
	s.StringVar(&f.expect, "expect", "", "udp: the answer to the probe begins with `HEX`")
	s.StringArrayVar(&f.prelude, "prelude", nil, "udp: send these packets first: a `FILE` with hex lines, a finding's JSON, or a capture (what clients sent)")
	s.StringVar(&f.server, "server", "", "udp: start the server with `CMD`, and anew when it has died")
	s.StringVar(&f.authorised, "i-am-authorised-to-test", "", "udp: also attack `ADDR`, which is not loopback")
}

// check judges the flags; wanted says that a server is attacked.
func (f *udpFlags) check(cmd *cobra.Command, wanted bool) error {
	for _, name := range udpFlagNames {
		if !wanted && cmd.Flags().Changed(name) {
			return usagef(cmd, "--%s is for --target udp:HOST:PORT", name)
		}
	}
	if !wanted {
		return nil
	}
	if f.rate < 1 || f.rate > udp.MaxRate {
		return usagef(cmd, "--target udp: wants --rate, 1..%d packets a second", udp.MaxRate)
	}
	if f.stop <= 0 {
		return usagef(cmd, "--target udp: wants --stop-after, such as 10m")
	}
	for flag, text := range map[string]string{"probe": f.probe, "expect": f.expect} {
		if _, err := parseHex(text); err != nil {
			return usagef(cmd, "--%s: %s", flag, err)
		}
	}
	if f.authorised != "" {
		if _, err := netip.ParseAddr(f.authorised); err != nil {
			return usagef(cmd, "--i-am-authorised-to-test %q: want an address, no name", f.authorised)
		}
	}
	if cmd.Flags().Changed("server") {
		if _, err := process.Split(f.server); err != nil {
			return usagef(cmd, "--server: %s", err)
		}
	}
	return nil
}

// words are the flags as they stand on a command line.
func (f *udpFlags) words() []string {
	if f.rate == 0 {
		return nil
	}
	words := []string{"--rate", strconv.Itoa(f.rate), "--stop-after", f.stop.String()}
	for _, one := range [][2]string{{"--probe", f.probe}, {"--expect", f.expect}, {"--server", f.server}, {"--i-am-authorised-to-test", f.authorised}} {
		if one[1] != "" {
			words = append(words, one[0], one[1])
		}
	}
	for _, name := range f.prelude {
		words = append(words, "--prelude", name)
	}
	return words
}

// openUDP makes the target that is a server. Its address is judged now, once.
func (p *program) openUDP(ctx context.Context, f *targetFlags, address string, d *decode.Decoder) (*udp.Shared, error) {
	authorised, _ := netip.ParseAddr(f.udp.authorised) // checked; none is the zero Addr
	at, err := udp.Resolve(ctx, address, authorised)
	if err != nil {
		return nil, err
	}
	o := udp.Options{Address: at, Rate: f.udp.rate, Stop: f.udp.stop, Patience: f.timeout}
	if f.udp.probe != "" {
		o.Probe, _ = parseHex(f.udp.probe) // checked
	} else if heartbeat, name, ok := fuzz.Heartbeat(d); ok {
		o.Probe = heartbeat
		p.complain("probing with a %s of %s, %x", name, d.Plan().Schema.Name, heartbeat)
	} else {
		return nil, errors.New("the protocol has no heartbeat: want --probe with a packet that a server answers")
	}
	o.Expect, _ = parseHex(f.udp.expect) // checked
	for _, name := range f.udp.prelude {
		packets, err := p.readPrelude(name, d)
		if err != nil {
			return nil, err
		}
		o.Prelude = append(o.Prelude, packets...)
	}
	var args []string
	if f.udp.server != "" {
		if args, err = process.Split(f.udp.server); err != nil {
			return nil, err
		}
	}
	return udp.NewShared(func(ctx context.Context) (*udp.Target, error) {
		o := o
		if args != nil {
			s, err := process.NewServer(process.Options{Args: args, Memory: f.memory << 20})
			if err != nil {
				return nil, err
			}
			o.Server = s
		}
		return udp.New(ctx, o)
	}), nil
}

// tellSent says what a server was sent, of which the campaign's packets are a part.
func (p *program) tellSent(t *openTarget) {
	if t.server != nil {
		sent := t.server.Sent()
		p.complain("sent %s and %s to the server", plural(int64(sent.Packets), "packet"), plural(int64(sent.Probes), "probe"))
	}
}

// tellGone says what is to be done with the packets of a server that died and that nobody starts again.
func (p *program) tellGone(found []*fuzz.Finding, kept bool) {
	for _, finding := range found {
		if finding.Kind != fuzz.FoundCrash {
			continue
		}
		written := "--findings DIR writes"
		if kept {
			written = "--findings has written"
		}
		p.complain("%s. Which of them it takes can be tried only with --server CMD, which starts it anew. %s them as JSON, which fuzz --replay FILE sends again, and --prelude FILE first",
			diedAfter(finding), written)
	}
}

// diedAfter says after how many packets a server died, and how many of them are kept.
func diedAfter(f *fuzz.Finding) string {
	kept := int64(len(f.Before) + 1)
	if f.Earlier > 0 {
		return fmt.Sprintf("the server died after %s from pktscope, of which the last %d are kept", plural(kept+int64(f.Earlier), "packet"), kept)
	}
	return fmt.Sprintf("the server died after %s, all that it had from pktscope", plural(kept, "packet"))
}

// Bounds of a prelude.
const (
	maxPrelude      = 1 << 13        // packets
	maxPreludeBytes = maxFindingFile // of a file that is no capture
)

// readPrelude reads the packets of a prelude: of a finding's JSON, of lines of hexadecimal, or of a capture what clients sent.
func (p *program) readPrelude(name string, d *decode.Decoder) ([][]byte, error) {
	failed := func(err error) ([][]byte, error) { return nil, fmt.Errorf("--prelude %s: %s", name, reason(err)) }
	f, err := openFile(name)
	if err != nil {
		return nil, fmt.Errorf("--prelude %w", err)
	}
	defer f.Close()
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return failed(err)
	}
	var packets [][]byte
	text := bytes.TrimLeft(head[:n], " \t\r\n")
	switch {
	case len(text) > 0 && strings.IndexByte("{#0123456789abcdefABCDEF", text[0]) >= 0 && !bytes.ContainsAny(text, "\x00\x01\x02\x8b\xd4\xc3"):
		whole, err := readBounded(f, maxPreludeBytes)
		if err != nil {
			return failed(err)
		}
		packets, err = textPackets(whole)
		if err != nil {
			return failed(err)
		}
	default:
		if packets, err = p.clientPackets(name, d); err != nil {
			return nil, err
		}
	}
	if len(packets) == 0 || len(packets) > maxPrelude {
		return failed(fmt.Errorf("it has %d packets: want 1..%d", len(packets), maxPrelude))
	}
	return packets, nil
}

// readBounded reads a file from its beginning.
func readBounded(f *os.File, most int64) ([]byte, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("want at most %d bytes", most)
	}
	return text, err
}

// textPackets are the packets of a finding's JSON, or of lines of hexadecimal; # begins a comment.
func textPackets(text []byte) ([][]byte, error) {
	var packets [][]byte
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		f, err := report.ParseFinding(text)
		if err != nil {
			return nil, err
		}
		for _, b := range f.Before {
			packets = append(packets, b.Data)
		}
		return append(packets, f.Packet), nil
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		data, err := parseHex(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		packets = append(packets, data)
	}
	return packets, nil
}

// clientPackets are what clients sent in a capture, in order.
func (p *program) clientPackets(name string, d *decode.Decoder) ([][]byte, error) {
	in, done, err := p.openCapture(name)
	if err != nil {
		return nil, err
	}
	defer done()
	var packets [][]byte
	datagrams := pcap.NewDatagrams(p.readCapture(nil, in, in))
	for len(packets) <= maxPrelude {
		from, err := datagrams.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("--prelude %s: %s", name, reason(err))
		}
		if decode.DirectionOf(d.Plan().Schema, from.Src.Port(), from.Dst.Port()) != decode.Server {
			packets = append(packets, bytes.Clone(from.Payload))
		}
	}
	return packets, nil
}
