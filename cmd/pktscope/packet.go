package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// One packet of a capture, or of the command line: `explain` and `diff` look at single ones.

// packetFlags name a packet.
type packetFlags struct {
	file   string // -r
	number int64  // -n
	hex    string // --hex
	isHex  bool   // it is given; "" is a packet of no bytes
	from   string // --from
}

func (f *packetFlags) check(cmd *cobra.Command) error {
	if err := oneOf(cmd, "--from", f.from, senders); err != nil {
		return err
	}
	f.isHex = cmd.Flags().Changed("hex")
	switch {
	case f.isHex && (f.file != "" || f.number != 0):
		return usagef(cmd, "--hex is the packet itself: leave out -r and -n")
	case f.isHex:
		return nil
	case f.file == "":
		return usagef(cmd, "which packet? want -r FILE -n N, or --hex")
	case cmd.Flags().Changed("from"):
		return usagef(cmd, "--from says who sent what --hex has; the ports of a capture tell")
	case !cmd.Flags().Changed("number"):
		return usagef(cmd, "which packet of %s? want its number, as decode prints it: -n N", f.file)
	case f.number < 1:
		return usagef(cmd, "-n %d: want at least 1", f.number)
	}
	return nil
}

var directions = map[string]decode.Direction{"client": decode.Client, "server": decode.Server, "unknown": decode.FromUnknown}

// finder knows which protocol a datagram has: that of -p, or by its ports one of the built-ins.
type finder struct {
	table    *portTable // nil with -p
	decoders []*decode.Decoder
}

func (p *program) newFinder(cmd *cobra.Command, f *protocolFlags) (*finder, error) {
	switch {
	case cmd.Flags().Changed("protocol") && f.name == "":
		return nil, usagef(cmd, "-p is empty: want a built-in or a .pks file")
	case len(f.params) > 0 && f.name == "":
		return nil, usagef(cmd, "-D needs -p, which says whose param it is")
	case f.name == "":
		table := newPortTable()
		return &finder{table, table.decoders}, nil
	}
	d, err := p.load(cmd, f)
	if err != nil {
		return nil, err
	}
	return &finder{nil, []*decode.Decoder{d}}, nil
}

// choose is the decoder for a datagram, nil when neither port is a built-in's.
func (f *finder) choose(d *pcap.Datagram) *decode.Decoder {
	if f.table == nil {
		return f.decoders[0]
	}
	if i := f.table.choose(d.Src.Port(), d.Dst.Port()); i >= 0 {
		return f.decoders[i]
	}
	return nil
}

// decodeDatagram decodes a datagram of a capture into packet, whose trace is the caller's.
func decodeDatagram(d *decode.Decoder, from *pcap.Datagram, file string, packet *report.Packet) {
	side := decode.DirectionOf(d.Plan().Schema, from.Src.Port(), from.Dst.Port())
	_ = d.DecodeCut(from.Payload, from.Size, side, packet.Trace) // its error is the trace's reject
	packet.N, packet.File, packet.Time, packet.Src, packet.Dst = from.N, file, from.Time, from.Src, from.Dst
	packet.Cut, packet.LengthMismatch = from.Cut, from.LengthMismatch
}

// findPacket decodes the packet that the flags name into packet, whose trace is the caller's. name is what the user calls
// one in hexadecimal.
func (p *program) findPacket(name string, f *packetFlags, finder *finder, packet *report.Packet) (*decode.Decoder, error) {
	if !f.isHex {
		return p.findInCapture(f.file, f.number, finder, packet)
	}
	data, err := p.readHex(name, f.hex)
	if err != nil {
		return nil, err
	}
	if finder.table != nil {
		return nil, fmt.Errorf("%s: a packet in hexadecimal has no port that tells its protocol: name it with -p", name)
	}
	d := finder.decoders[0]
	_ = d.Decode(data, directions[f.from], packet.Trace) // its error is the trace's reject
	return d, nil
}

// findInCapture decodes packet number n of a capture.
func (p *program) findInCapture(name string, n int64, f *finder, packet *report.Packet) (*decode.Decoder, error) {
	in, done, err := p.openCapture(name)
	if err != nil {
		return nil, err
	}
	defer done()
	datagrams := pcap.NewDatagrams(p.readCapture(nil, in, in))
	for {
		from, err := datagrams.Next()
		switch {
		case err == io.EOF && int64(datagrams.Counts().Packets) < n:
			return nil, fmt.Errorf("%s: there is no packet %d: it has %s", name, n, plural(int64(datagrams.Counts().Packets), "packet"))
		case err == io.EOF || err == nil && from.N > n:
			return nil, fmt.Errorf("%s: packet %d is no UDP datagram, or not the last fragment of one", name, n)
		case err != nil:
			return nil, fmt.Errorf("%s: %s", name, reason(err))
		case from.N < n:
			continue
		}
		d := f.choose(from)
		if d == nil {
			return nil, fmt.Errorf("%s: packet %d is on no port of a built-in protocol: %s; name the protocol with -p", name, n, f.table.list())
		}
		decodeDatagram(d, from, name, packet)
		return d, nil
	}
}

const (
	maxHexText = 1 << 20 // bytes
	maxPayload = 65507   // bytes: the most that UDP carries
)

// readHex reads a payload in hexadecimal that the user gave by some name; - is stdin. Blanks, colons and a 0x in front of a
// word mean nothing.
func (p *program) readHex(name, text string) ([]byte, error) {
	if text == "-" {
		name = "stdin"
		b, err := io.ReadAll(io.LimitReader(p.stdin, maxHexText+1))
		if err != nil {
			return nil, fmt.Errorf("stdin: %s", reason(err))
		}
		text = string(b)
	}
	data, err := parseHex(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, err)
	}
	return data, nil
}

func parseHex(text string) ([]byte, error) {
	if len(text) > maxHexText {
		return nil, fmt.Errorf("want at most %d bytes of text", maxHexText)
	}
	var data []byte
	half, high := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		var v byte
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ':' || c == ',':
			if half {
				return nil, fmt.Errorf("want pairs of digits, got a single %q before character %d", text[i-1], i+1)
			}
			continue
		case !half && c == '0' && i+1 < len(text) && text[i+1]|0x20 == 'x':
			i++
			continue
		case '0' <= c && c <= '9':
			v = c - '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = c | 0x20 - 'a' + 10
		default:
			return nil, fmt.Errorf("want hexadecimal digits, got %q at character %d", c, i+1)
		}
		if half = !half; half {
			high = v << 4
			continue
		}
		if data = append(data, high|v); len(data) > maxPayload {
			return nil, fmt.Errorf("want at most %d bytes, which is all that UDP carries", maxPayload)
		}
	}
	if half {
		return nil, errors.New("want pairs of digits, got an odd number of them")
	}
	return data, nil
}

// knownField judges a path that a flag names: one of the protocol's, with any indexes or *.
func knownField(p *plan.Plan, path string) error {
	var names []string
	generic := anyElement(path)
	for _, known := range filter.Paths(p) {
		if pathWithin(known.Path, generic) || known.Secret && pathWithin(generic, known.Path) {
			return nil
		}
		names = append(names, known.Path)
		if i := strings.LastIndexAny(known.Path, ".["); i > 0 { // a struct or a list may be named, too
			names = append(names, strings.TrimSuffix(known.Path[:i], "[*]"))
		}
	}
	if !slices.Contains(names, generic) {
		return fmt.Errorf("%s has no field %q%s", p.Schema.Name, path, didYouMean(generic, names))
	}
	return nil
}

// pathWithin reports whether path is field or something in it.
func pathWithin(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// anyElement is a path with its indexes as *.
func anyElement(path string) string {
	var b []byte
	for i := 0; i < len(path); i++ {
		b = append(b, path[i])
		if path[i] == '[' {
			if end := strings.IndexByte(path[i:], ']'); end > 1 {
				b = append(b, "*]"...)
				i += end
			}
		}
	}
	return string(b)
}
