package main

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
)

// What tshark 4.0.17 says of the capture, a line a field: packet, first byte, bytes, name and what it shows. It is the
// output of
//
//	tshark -n -r stun.pcap -T pdml
//
// without what has no bytes on the wire, written again by
//
//	UPDATE_TSHARK=1 go test -run STUNAsTshark ./cmd/pktscope
const tsharkSays = "testdata/stun/tshark.tsv"

// The schema's decode of the capture is, field by field, what tshark said of it.
func TestSTUNAsTshark(t *testing.T) {
	if os.Getenv("UPDATE_TSHARK") != "" {
		text := strings.Join(runTshark(t), "\n") + "\n"
		if err := os.WriteFile(tsharkSays, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(tsharkSays)
	if err != nil {
		t.Fatal(err)
	}
	comparePeers(t, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
}

// The same beside the tshark that is installed. A newer one may have fields that 4.0.17 has not.
func TestSTUNBesideTshark(t *testing.T) {
	theirs := runTshark(t)
	text, err := os.ReadFile(tsharkSays)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		known[strings.Split(line, "\t")[3]] = true
	}
	comparePeers(t, slices.DeleteFunc(theirs, func(line string) bool {
		name := strings.Split(line, "\t")[3]
		if !known[name] {
			t.Logf("not compared: %q", line)
		}
		return !known[name]
	}))
}

func comparePeers(t *testing.T, theirs []string) {
	t.Helper()
	d := stunDecoder(t, nil)
	var tr decode.Trace
	var ours []string
	for _, p := range stunPackets(t, d) {
		if err := d.Decode(p.payload, p.from, &tr); err != nil {
			t.Fatalf("packet %d: %v", p.n, err)
		}
		ours = append(ours, likeTshark(t, int(p.n), &tr)...)
	}
	if len(ours) < 1000 {
		t.Errorf("only %d fields", len(ours))
	}
	// In its own order: tshark has parts of a number after it, and padding after the value.
	slices.Sort(ours)
	theirs = slices.Clone(theirs)
	slices.Sort(theirs)
	for _, line := range theirs {
		if _, found := slices.BinarySearch(ours, line); !found {
			t.Errorf("only tshark has %q", line)
		}
	}
	for _, line := range ours {
		if _, found := slices.BinarySearch(theirs, line); !found {
			t.Errorf("only pktscope has %q", line)
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d fields, tshark has %d", len(ours), len(theirs))
	}
}

// runTshark runs it on the capture and reduces its output to what is on the wire.
func runTshark(t *testing.T) []string {
	t.Helper()
	path := need.Program(t, need.Tshark, "tshark")
	var stderr bytes.Buffer
	c := exec.Command(path, "-n", "-r", "testdata/stun/stun.pcap", "-T", "pdml")
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var lines []string
	packet, start := 0, 0
	for d := xml.NewDecoder(bytes.NewReader(out)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, at := range element.Attr {
			a[at.Name.Local] = at.Value
		}
		size, pos := number(t, a["size"]), number(t, a["pos"])
		switch {
		case element.Name.Local == "packet":
			packet, start = packet+1, 0
		case element.Name.Local == "proto" && a["name"] == "stun":
			start = pos
		case element.Name.Local != "field" || start == 0 || size == 0:
			// Another layer, or what tshark computed.
		case a["name"] == "stun.attributes" || a["name"] == "stun.attribute":
			// Brackets.
		case a["name"] == "" && strings.HasPrefix(a["show"], "Unknown attribute"):
			// Such an attribute's type has no name.
			lines = append(lines, tsharkLine(packet, pos-start, size, "stun.att.type", "0x"+a["value"]))
		default:
			lines = append(lines, tsharkLine(packet, pos-start, size, a["name"], a["show"]))
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func tsharkLine(packet, at, size int, name, show string) string {
	return fmt.Sprintf("%d\t%d\t%d\t%s\t%s", packet, at, size, name, show)
}

// How tshark shows things.
func hexOf(b []byte, v uint64) string   { return fmt.Sprintf("0x%0*x", 2*len(b), v) }
func decOf(_ []byte, v uint64) string   { return strconv.FormatUint(v, 10) }
func textOf(b []byte, _ uint64) string  { return string(b) }
func bytesOf(b []byte, _ uint64) string { return strings.ReplaceAll(fmt.Sprintf("% x", b), " ", ":") }

func addressOf(b []byte, _ uint64) string {
	a, ok := netip.AddrFromSlice(b)
	if !ok {
		return "no address: " + hex.EncodeToString(b)
	}
	return a.String()
}

// tsharkName is a field of tshark's and how it shows it.
type tsharkName struct {
	name string
	show func(b []byte, v uint64) string
}

// fieldNames are tshark's names for the fields with a path of their own, valueNames for those of an attribute's type.
var fieldNames = map[string]tsharkName{
	"body.length":                    {"stun.length", decOf},
	"body.cookie":                    {"stun.cookie", bytesOf},
	"body.transaction":               {"stun.id", bytesOf},
	"body.data":                      {"data.data", bytesOf},
	"body.attributes[].type":         {"stun.att.type", hexOf},
	"body.attributes[].length":       {"stun.att.length", decOf},
	"body.attributes[].value.family": {"stun.att.family", hexOf},
	"body.attributes[].value.port":   {"stun.att.port", decOf},
	"body.attributes[].value.x_port": {"stun.att.port-xord", bytesOf},

	"body.attributes[].value.hundreds":     {"stun.att.error.class", decOf},
	"body.attributes[].value.number":       {"stun.att.error", decOf}, // Ice's number has a type of its own below
	"body.attributes[].value.reason":       {"stun.att.error.reason", textOf},
	"body.attributes[].value.types[]":      {"stun.att.unknown", hexOf},
	"body.attributes[].value.channel":      {"stun.att.channelnum", hexOf},
	"body.attributes[].value.protocol":     {"stun.att.transp", hexOf},
	"body.attributes[].value.reserve_next": {"stun.att.even-port.reserve-next", decOf},
	"body.attributes[].value.bytes":        {"stun.value", bytesOf},
}

var valueNames = map[uint64]tsharkName{
	0x0006: {"stun.att.username", textOf},
	0x0008: {"stun.att.hmac", bytesOf},
	0x000d: {"stun.att.lifetime", decOf},
	0x0013: {"stun.value", bytesOf},
	0x0014: {"stun.att.realm", textOf},
	0x0015: {"stun.att.nonce", textOf},
	0x0024: {"stun.att.priority", decOf},
	0x8022: {"stun.att.software", textOf},
	0x8028: {"stun.att.crc32", hexOf},
	0x8029: {"stun.att.tie-breaker", bytesOf},
}

// likeTshark is what a trace holds, in tshark's words.
func likeTshark(t *testing.T, packet int, tr *decode.Trace) []string {
	t.Helper()
	var lines []string
	add := func(at, size int, name, show string) {
		lines = append(lines, tsharkLine(packet, at, size, name, show))
	}
	for _, gap := range stunIgnored(tr) {
		at, size := gap.bit/8, gap.width/8
		if !gap.reserved {
			add(at, size, "stun.att.padding", strconv.Itoa(size))
		} else if size > 0 { // of EVEN-PORT's seven bits tshark shows none, of ERROR-CODE's 21 whole bytes
			add(at, size, "stun.att.reserved", bytesOf(tr.Payload[at:at+size], 0))
		}
	}
	head := map[string]uint64{}
	var attribute uint64
	for ev := range tr.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob {
			continue
		}
		at := ev.Bit / 8
		b := tr.Payload[at : (ev.Bit+ev.Width+7)/8]
		path := withoutIndexes(string(tr.AppendEventPath(nil, ev)))
		name, ok := fieldNames[path]
		if path == "body.attributes[].value" || path == "body.attributes[].value.number" && attribute != 0x0009 {
			name, ok = valueNames[attribute]
		}
		if ok {
			add(at, len(b), name.name, name.show(b, ev.Raw))
		}
		switch path {
		case "kind", "body.method_11_7", "body.class_1", "body.method_6_4", "body.class_0":
			head[path] = ev.Raw
		case "body.method_3_0":
			// tshark leaves a gap in a number where the bits of the other lie.
			class := head["body.class_1"]<<8 | head["body.class_0"]<<4
			method := head["body.method_11_7"]<<9 | head["body.method_6_4"]<<5 | ev.Raw
			add(0, 2, "stun.type", hexOf(tr.Payload[:2], class|method))
			add(0, 2, "stun.type.class", hexOf(tr.Payload[:2], class>>4))
			add(0, 2, "stun.type.method", hexOf(tr.Payload[:2], method))
			add(0, 2, "stun.type.method-assignment", hexOf(tr.Payload[:2], method>>13))
			head[path] = ev.Raw
		case "body.class": // of what has been compared
			if want := head["body.class_1"]<<1 | head["body.class_0"]; ev.Raw != want {
				t.Errorf("packet %d: class %d, want %d", packet, ev.Raw, want)
			}
		case "body.method":
			if want := head["body.method_11_7"]<<7 | head["body.method_6_4"]<<4 | head["body.method_3_0"]; ev.Raw != want {
				t.Errorf("packet %d: method %d, want %d", packet, ev.Raw, want)
			}
		case "body.channel":
			add(0, 2, "stun.channel", hexOf(tr.Payload[:2], head["kind"]<<14|ev.Raw))
		case "body.attributes[].type":
			attribute = ev.Raw
			if attribute != 0x7ffe && attribute != 0xbeef {
				add(at, 2, "stun.att.type.comprehension", hexOf(b, attribute>>15))
				add(at, 2, "stun.att.type.assignment", hexOf(b, attribute>>14&1))
			}
		case "body.attributes[].value.x_port":
			add(at, 2, "stun.att.port", decOf(nil, ev.Raw^0x2112))
		case "body.attributes[].value.address":
			add(at, len(b), map[int]string{4: "stun.att.ipv4", 16: "stun.att.ipv6"}[len(b)], addressOf(b, 0))
		case "body.attributes[].value.x_address":
			name := map[int]string{4: "stun.att.ipv4", 16: "stun.att.ipv6"}[len(b)]
			add(at, len(b), name+"-xord", bytesOf(b, 0))
			add(at, len(b), name, addressOf(xorWith(b, tr.Payload[4:20]), 0)) // the cookie and the transaction
		case "body.attributes[].value":
			if attribute == 0x0013 {
				add(at, len(b), "data.data", bytesOf(b, 0))
			}
		default:
			if !ok {
				t.Errorf("packet %d: %s has no name in tshark", packet, path)
			}
		}
	}
	return lines
}

func xorWith(b, key []byte) []byte {
	b = bytes.Clone(b)
	for i := range b {
		b[i] ^= key[i]
	}
	return b
}

// withoutIndexes makes a[3].b[12] into a[].b[].
func withoutIndexes(path string) string {
	var b strings.Builder
	inside := false
	for _, c := range path {
		inside = inside && c != ']'
		if !inside {
			b.WriteRune(c)
		}
		inside = inside || c == '['
	}
	return b.String()
}
