package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
)

// The gallery: built-ins that describe other people's protocols. corpus/gen/NAME.sh has recorded real programs to
// corpus/NAME.pcap, and what another reader says of the capture is in corpus/NAME.fields. So a mistake in a schema
// cannot hide in packets that were made from the schema.
var gallery = []struct {
	name string
	// fields are what is compared: the other reader's field and our path, without indexes. What occurs several times in
	// a packet is compared in order.
	fields map[string]string
	// least is how many packets the capture holds at least.
	least int
}{
	{"artnet", map[string]string{
		"artnet.header.opcode": "opcode", "artnet.header.protver": "body.version",
		"artnet.poll.talktome": "body.flags", "artnet.poll.diag_priority": "body.priority",
		"artnet.poll_reply.port_nr":  "body.port",
		"artnet.poll_reply.versinfo": "body.firmware", "artnet.poll_reply.netswitch": "body.net_switch",
		"artnet.poll_reply.subswitch": "body.sub_switch", "artnet.poll_reply.oem": "body.oem",
		"artnet.poll_reply.status": "body.status", "artnet.poll_reply.esta_man": "body.maker",
		"artnet.poll_reply.num_ports":    "body.ports",
		"artnet.poll_reply.port_types_1": "body.port_types[]", "artnet.poll_reply.port_types_2": "body.port_types[]",
		"artnet.poll_reply.port_types_3": "body.port_types[]", "artnet.poll_reply.port_types_4": "body.port_types[]",
		"artnet.poll_reply.good_input_1": "body.good_input[]", "artnet.poll_reply.good_input_2": "body.good_input[]",
		"artnet.poll_reply.good_input_3": "body.good_input[]", "artnet.poll_reply.good_input_4": "body.good_input[]",
		"artnet.poll_reply.swin_1": "body.sw_in[]", "artnet.poll_reply.swin_2": "body.sw_in[]",
		"artnet.poll_reply.swin_3": "body.sw_in[]", "artnet.poll_reply.swin_4": "body.sw_in[]",
		"artnet.poll_reply.mac": "body.mac", "artnet.output.sequence": "body.sequence",
		"artnet.output.physical": "body.physical", "artnet.output.universe": "body.universe",
		"artnet.output.length": "body.length", "dmx_chan.data_filter": "body.data",
	}, 25},
	{"tftp", map[string]string{
		"tftp.opcode": "op", "tftp.source_file": "body.filename", "tftp.destination_file": "body.filename",
		"tftp.type": "body.mode", "tftp.block": "body.block",
		"tftp.option.name": "body.options[].name", "tftp.option.value": "body.options[].value",
		"tftp.error.code": "body.code", "tftp.error.message": "body.message",
	}, 35},
}

// said is one line of a .fields file: frame, path, value.
type said struct {
	frame      int64
	path, text string
}

func (s said) String() string { return fmt.Sprintf("%d %s %s", s.frame, s.path, s.text) }

// Every packet that was recorded is accepted and encodes to itself, and its fields have the values that the other reader
// gave.
func TestGallery(t *testing.T) {
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			theirs := readFields(t, g.name)
			if ours := decodeCapture(t, g.name, g.fields, g.least); !sameFields(t, theirs, ours) {
				return
			}
			for _, path := range g.fields {
				if !slices.ContainsFunc(theirs, func(s said) bool { return s.path == path }) {
					t.Errorf("no packet has %s", path)
				}
			}
		})
	}
}

// The recorded fields are what the tshark that is installed says.
//
//	UPDATE_FIELDS=NAME go test -run TestGalleryBesideTshark ./corpus/gen
//
// writes them.
func TestGalleryBesideTshark(t *testing.T) {
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			path := filepath.Join("..", g.name+".pcap")
			theirs := tsharkFields(t, path, g.fields)
			if os.Getenv("UPDATE_FIELDS") == g.name {
				text := "# " + tsharkVersion(t) + "\n"
				for _, line := range theirs {
					text += line.String() + "\n"
				}
				if err := os.WriteFile(filepath.Join("..", g.name+".fields"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			sameFields(t, readFields(t, g.name), theirs)
		})
	}
}

// Packets that the generator makes are well-formed for tshark too, and have the same fields.
func TestGalleryGenerated(t *testing.T) {
	need.Program(t, need.Tshark, "tshark")
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			d := loadDecoder(t, g.name)
			path := filepath.Join(t.TempDir(), g.name+".pcapng")
			var file bytes.Buffer
			w := pcap.NewWriter(&file, pcap.Section{})
			var ours []said
			var trace decode.Trace
			n := int64(0)
			for p, err := range fuzz.NewGenerator(d).Packets(1, need.Rounds[int64](500, 50), nil) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				// A client of its own for each packet: dissectors remember what was said before.
				client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 40000)
				server := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), d.Plan().Schema.Ports[0])
				src, dst := client, server
				if p.From == decode.Server {
					src, dst = server, client
				}
				if err := w.WriteUDP(n*1e9, src, dst, p.Data); err != nil {
					t.Fatal(err)
				}
				if err := d.Decode(p.Data, p.From, &trace); err != nil {
					t.Fatalf("packet %d: %v", n, err)
				}
				ours = append(ours, fieldsOf(n, &trace, g.fields)...)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if malformed := runTshark(t, "-r", path, "-Y", "_ws.malformed || !"+g.name); len(malformed) > 0 {
				t.Errorf("tshark takes no %s:\n%s", g.name, malformed)
			}
			sameFields(t, tsharkFields(t, path, g.fields), ours)
		})
	}
}

// sameFields compares what two readers said, each in its own order within a packet and a field's occurrences in
// theirs.
func sameFields(t *testing.T, theirs, ours []said) bool {
	t.Helper()
	byPath := func(a, b said) int {
		if a.frame != b.frame {
			return int(a.frame - b.frame)
		}
		return strings.Compare(a.path, b.path)
	}
	theirs, ours = slices.Clone(theirs), slices.Clone(ours)
	slices.SortStableFunc(theirs, byPath)
	slices.SortStableFunc(ours, byPath)
	const most = 20
	for wrong := 0; wrong < most; wrong++ {
		n := 0
		for n < len(theirs) && n < len(ours) && theirs[n] == ours[n] {
			n++
		}
		theirs, ours = theirs[n:], ours[n:]
		switch {
		case len(theirs) == 0 && len(ours) == 0:
			return wrong == 0
		case len(ours) == 0 || len(theirs) > 0 && byPath(theirs[0], ours[0]) < 0:
			t.Errorf("only the other reader has %q", theirs[0])
			theirs = theirs[1:]
		case len(theirs) == 0 || byPath(theirs[0], ours[0]) > 0:
			t.Errorf("only pktscope has %q", ours[0])
			ours = ours[1:]
		default:
			t.Errorf("want %q, got %q", theirs[0], ours[0])
			theirs, ours = theirs[1:], ours[1:]
		}
	}
	return false
}

// decodeCapture decodes a capture of the gallery and returns the fields.
func decodeCapture(t *testing.T, name string, fields map[string]string, least int) (ours []said) {
	t.Helper()
	d := loadDecoder(t, name)
	file, err := os.ReadFile(filepath.Join("..", name+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 64<<10 {
		t.Errorf("%d bytes of capture, at most 64 KiB", len(file))
	}
	var trace decode.Trace
	encoder := decode.NewEncoder(d)
	n := 0
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file))); ; n++ {
		dg, err := datagrams.Next()
		if err == io.EOF {
			break
		}
		if err != nil || dg.Cut || dg.LengthMismatch {
			t.Fatalf("packet %d: %v, %+v", n+1, err, dg)
		}
		from := decode.DirectionOf(d.Plan().Schema, dg.Src.Port(), dg.Dst.Port())
		if err := d.Decode(dg.Payload, from, &trace); err != nil {
			t.Errorf("packet %d, %x: %v", dg.N, dg.Payload, err)
			continue
		}
		if again, err := encoder.Append(nil, decode.Replay(&trace), from); err != nil || !bytes.Equal(again, dg.Payload) {
			t.Errorf("packet %d, %x: encodes to %x, %v", dg.N, dg.Payload, again, err)
		}
		ours = append(ours, fieldsOf(dg.N, &trace, fields)...)
	}
	if n < least {
		t.Errorf("%d packets, want at least %d", n, least)
	}
	return ours
}

// fieldsOf lists the fields of a packet that are compared.
func fieldsOf(frame int64, trace *decode.Trace, fields map[string]string) (list []said) {
	compared := map[string]bool{}
	for _, path := range fields {
		compared[path] = true
	}
	for f := range trace.Fields() {
		if path := withoutIndexes(f.Path()); compared[path] {
			list = append(list, said{frame, path, plain(f.Value())})
		}
	}
	return list
}

// withoutIndexes makes `a[].b` of `a[3].b`.
func withoutIndexes(path string) string {
	var b strings.Builder
	for path != "" {
		before, rest, found := strings.Cut(path, "[")
		b.WriteString(before)
		if found {
			b.WriteString("[]")
			_, rest, _ = strings.Cut(rest, "]")
		}
		path = rest
	}
	return b.String()
}

// plain is a value in the one form that all readers are brought to: whole numbers in decimal, bytes in hex, text as it is.
func plain(v decode.Value) string {
	switch v.Form() {
	case plan.FormBytes:
		return fmt.Sprintf("%x", v.Bytes())
	case plan.FormText:
		return line(string(v.Bytes()))
	case plan.FormBool:
		return strconv.FormatUint(v.Uint(), 10)
	default:
		return string(v.AppendNumber(nil))
	}
}

// line brings a text to one line of ASCII: dissectors differ in what they take for a letter.
func line(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch n := utf8.RuneLen(r); {
		case r == utf8.RuneError:
			b.WriteByte('?')
		case r >= 0x80:
			b.WriteString("????"[:n])
		case r < ' ':
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// readFields reads corpus/NAME.fields: a comment with the reader's version, then a line for each field.
func readFields(t *testing.T, name string) (list []said) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name+".fields"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		frame, rest, _ := strings.Cut(line, " ")
		path, value, ok := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(frame, 10, 64)
		if err != nil || !ok {
			t.Fatalf("%s.fields: %q: want a frame, a path and a value", name, line)
		}
		list = append(list, said{n, path, value})
	}
	return list
}

func tsharkVersion(t *testing.T) string {
	t.Helper()
	line, _, _ := strings.Cut(string(runTshark(t, "--version")), "\n")
	return strings.TrimSuffix(line, ".")
}

func runTshark(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command(need.Program(t, need.Tshark, "tshark"), append([]string{"-n"}, args...)...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("tshark %q: %v: %s", args, err, stderr.Bytes())
	}
	return out
}

// tsharkFields lists what tshark says of a capture, for the fields that are compared.
func tsharkFields(t *testing.T, path string, fields map[string]string) (list []said) {
	t.Helper()
	frame := int64(0)
	for d := xml.NewDecoder(bytes.NewReader(runTshark(t, "-r", path, "-T", "pdml"))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local == "packet" {
			frame++
		}
		a := map[string]string{}
		for _, at := range element.Attr {
			a[at.Name.Local] = at.Value
		}
		if path, compared := fields[a["name"]]; compared && a["size"] != "0" { // else it is from an earlier packet
			list = append(list, said{frame, path, shown(a["show"])})
		}
	}
}

// colons is how tshark writes bytes and Ethernet addresses.
var colons = regexp.MustCompile(`^[0-9a-f]{2}(:[0-9a-f]{2})+$`)

// shown brings what tshark shows to the form of plain.
func shown(text string) string {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		if n, err := strconv.ParseUint(hex, 16, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	if colons.MatchString(text) {
		return strings.ReplaceAll(text, ":", "")
	}
	return line(text)
}
