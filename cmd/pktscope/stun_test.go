package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
)

// stunDecoder is the decoder of testdata/stun/stun.pks, with some params set.
func stunDecoder(t *testing.T, params map[string]int64) *decode.Decoder {
	t.Helper()
	const name = "testdata/stun/stun.pks"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]*big.Int{}
	for name, v := range params {
		values[name] = big.NewInt(v)
	}
	s, diags := schema.Load(name, src, values)
	if s == nil {
		t.Fatal(diags)
	}
	p, more := plan.Compile(s)
	if p == nil {
		t.Fatal(more)
	}
	for _, d := range append(diags, more...) {
		t.Errorf("%v: %s", d.Pos, d.Message)
	}
	return decode.New(p)
}

// stunPacket is a datagram of the capture.
type stunPacket struct {
	n       int64
	from    decode.Direction
	payload []byte
}

func stunPackets(t *testing.T, d *decode.Decoder) []stunPacket {
	t.Helper()
	data, err := os.ReadFile("testdata/stun/stun.pcap")
	if err != nil {
		t.Fatal(err)
	}
	var all []stunPacket
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(data))); ; {
		g, err := datagrams.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stunPacket{g.N, decode.DirectionOf(d.Plan().Schema, g.Src.Port(), g.Dst.Port()), bytes.Clone(g.Payload)})
	}
	if len(all) < 20 {
		t.Fatalf("the capture has %d datagrams", len(all))
	}
	return all
}

// stunMessage makes a message of attributes that are hex with their padding.
func stunMessage(kind uint16, attributes ...string) []byte {
	var body []byte
	for _, a := range attributes {
		b, err := hex.DecodeString(strings.ReplaceAll(a, " ", ""))
		if err != nil {
			panic(err)
		}
		body = append(body, b...)
	}
	m := binary.BigEndian.AppendUint16(nil, kind)
	m = binary.BigEndian.AppendUint16(m, uint16(len(body)))
	m = binary.BigEndian.AppendUint32(m, 0x2112a442)
	return append(append(m, "transaction!"...), body...)
}

const (
	stunRequest = 0x0001
	stunSuccess = 0x0101
	stunError   = 0x0111

	attributesAt = 8 * 20            // the first bit of the first attribute
	valueAt      = attributesAt + 32 // and of its value
)

// edited sets bytes of a packet.
func edited(packet []byte, at int, with ...byte) []byte {
	copy(packet[at:], with)
	return packet
}

// What RFC 8489 forbids is refused, at its bit, and what only a param forbids with that param alone.
func TestSTUNRefuses(t *testing.T) {
	address := "00200008 0001a147 e112a643"
	fingerprint := "80280004 00000000"
	rows := []struct {
		name   string
		params map[string]int64
		packet []byte
		kind   reject.Kind
		bit    int
		path   string
	}{
		{"not STUN: the first bits of RTP", nil, edited(stunMessage(stunRequest), 0, 0x80), reject.UnknownCase, 0, "kind"},
		{"nothing", nil, nil, reject.PastEnd, 0, "kind"},
		{"another cookie: RFC 3489", nil, edited(stunMessage(stunRequest), 7, 0x43), reject.ConstMismatch, 32, "body.cookie"},
		{"a length of no whole words", nil, edited(stunMessage(stunRequest, address), 3, 11), reject.RuleBroken, 32, "body"},
		{"a length past the datagram", nil, edited(stunMessage(stunRequest, address), 3, 16), reject.PastEnd, attributesAt, "body"},
		{"a datagram past the length", nil, append(stunMessage(stunRequest, address), 0, 0, 0, 0), reject.TrailingBytes, attributesAt + 96, ""},
		{"an attribute past the message", nil, stunMessage(stunRequest, "80220005 61626364"), reject.PastEnd, valueAt, "body.attributes[0]"},
		{"an address with a byte after it", nil, stunMessage(stunSuccess, "00200009 0001a147 e112a643 00000000"), reject.TrailingBytes, valueAt + 64, "body.attributes[0]"},
		{"an address of no family", nil, stunMessage(stunSuccess, "00200008 0003a147 e112a643"), reject.UnknownCase, valueAt + 8, "body.attributes[0].value.family"},
		{"IPv6 in the room of IPv4", nil, stunMessage(stunSuccess, "00200008 0002a147 e112a643"), reject.PastEnd, valueAt + 32, "body.attributes[0].value.x_address"},
		{"a user name of 509 bytes", nil, stunMessage(stunRequest, "000601fd"+strings.Repeat("61", 509)+"000000"), reject.OutOfRange, valueAt, "body.attributes[0].value"},
		{"an error in a request", nil, stunMessage(stunRequest, "00090004 00000401"), reject.RuleBroken, valueAt, "body.attributes[0].value"},
		{"an error of class 2", nil, stunMessage(stunError, "00090004 00000200"), reject.OutOfRange, valueAt + 21, "body.attributes[0].value.hundreds"},
		{"an error of number 100", nil, stunMessage(stunError, "00090004 00000464"), reject.OutOfRange, valueAt + 24, "body.attributes[0].value.number"},
		{"unknown attributes of a success", nil, stunMessage(stunSuccess, "000a0002 7fff0000"), reject.RuleBroken, valueAt, "body.attributes[0].value"},
		{"half a type among the unknown ones", nil, stunMessage(stunError, "000a0003 7fff7f00"), reject.PastEnd, valueAt + 16, "body.attributes[0].value.types[1]"},
		{"a priority in a response", nil, stunMessage(stunSuccess, "00240004 6e0001ff"), reject.RuleBroken, valueAt, "body.attributes[0].value"},
		{"a SHA-256 cut to 12 bytes", nil, stunMessage(stunRequest, "001c000c"+strings.Repeat("00", 12)), reject.RuleBroken, valueAt, "body.attributes[0].value"},
		{"a SHA-256 of 36 bytes", nil, stunMessage(stunRequest, "001c0024"+strings.Repeat("00", 36)), reject.OutOfRange, valueAt, "body.attributes[0].value.hmac"},
		{"a fingerprint that is not the last", nil, stunMessage(stunRequest, fingerprint, "80220000"), reject.RuleBroken, valueAt + 32, "body.attributes[0]"},
		{"33 attributes", nil, stunMessage(stunRequest, strings.Repeat("80220000", 33)), reject.OutOfRange, attributesAt + 32*32, "body.attributes"},
		{"2 attributes where 1 may be", map[string]int64{"MaxAttributes": 1}, stunMessage(stunRequest, "80220000", "80220000"), reject.OutOfRange, attributesAt + 32, "body.attributes"},
		{"an unknown attribute to understand", map[string]int64{"Comprehension": 1}, stunMessage(stunRequest, "7fff0000"), reject.RuleBroken, valueAt, "body.attributes[0].value"},
		{"spaces for padding", map[string]int64{"StrictPadding": 1}, stunMessage(stunRequest, "80220003 61626320"), reject.NonzeroPadding, valueAt + 24 + 2, "body.attributes[0]"},
		{"a channel number below the channels", nil, stunMessage(0x0009, "000c0004 3fff0000"), reject.OutOfRange, valueAt, "body.attributes[0].value.channel"},
		{"a channel of RFC 5766", map[string]int64{"LastChannel": 0x4FFF}, []byte{0x50, 0, 0, 0}, reject.OutOfRange, 2, "body.channel"},
		{"channel data with too much padding", nil, []byte{0x40, 0, 0, 1, 'a', 0, 0, 0, 0}, reject.TrailingBytes, 8 * 8, ""},
		{"channel data with other padding", nil, []byte{0x40, 0, 0, 1, 'a', 0, 0}, reject.PastEnd, 5 * 8, "body"},
	}
	for _, r := range rows {
		var answer, lenient oracle.Answer
		var err error
		if answer, err = oracle.NewOracle(stunDecoder(t, r.params)).Decode(r.packet, decode.FromUnknown); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		if answer.Kind != r.kind || answer.Bit != r.bit || answer.Path != r.path {
			t.Errorf("%s: %v, want %v at bit %d of %q", r.name, answer, r.kind, r.bit, r.path)
		}
		if r.params == nil {
			continue
		}
		if lenient, err = oracle.NewOracle(stunDecoder(t, nil)).Decode(r.packet, decode.FromUnknown); err != nil || lenient != (oracle.Answer{}) {
			t.Errorf("%s: %v, %v without the param", r.name, lenient, err)
		}
	}
}

// No packet of the capture is accepted cut short, whatever is cut; decoder and reference say the same of it, and of
// every packet with a bit flipped.
func TestSTUNDamaged(t *testing.T) {
	d := stunDecoder(t, nil)
	o := oracle.NewOracle(d)
	for _, p := range stunPackets(t, d) {
		if a, err := o.Decode(p.payload, p.from); err != nil || a != (oracle.Answer{}) {
			t.Fatalf("packet %d: %v, %v", p.n, a, err)
		}
		for n := range p.payload {
			if a, err := o.Decode(p.payload[:n:n], p.from); err != nil || a.Kind != reject.PastEnd {
				t.Errorf("packet %d cut to %d bytes: %v, %v", p.n, n, a, err)
			}
		}
		for bit := 0; bit < 8*len(p.payload); bit += need.Rounds(1, 13) {
			broken := bytes.Clone(p.payload)
			broken[bit/8] ^= 0x80 >> (bit % 8)
			if _, err := o.Decode(broken, p.from); err != nil {
				t.Errorf("packet %d with bit %d flipped: %v", p.n, bit, err)
			}
		}
	}
}

// A bit that a receiver ignores is noted where it was set; in padding, StrictPadding refuses it.
func TestSTUNIgnoredBits(t *testing.T) {
	d, strict := stunDecoder(t, nil), stunDecoder(t, map[string]int64{"StrictPadding": 1})
	var tr decode.Trace
	reserved, padding := 0, 0
	for _, p := range stunPackets(t, d) {
		if err := d.Decode(p.payload, p.from, &tr); err != nil {
			t.Fatal(err)
		}
		for _, gap := range stunIgnored(&tr) {
			for bit := gap.bit; bit < gap.bit+gap.width; bit++ {
				set := bytes.Clone(p.payload)
				clear(set[(gap.bit+7)/8 : (gap.bit+gap.width)/8])
				set[bit/8] |= 0x80 >> (bit % 8)
				if err := d.Decode(set, p.from, &tr); err != nil {
					t.Errorf("packet %d with bit %d: %v", p.n, bit, err)
				} else if !slices.ContainsFunc(tr.Notes, func(n reject.Note) bool {
					return n.Kind == reject.IgnoredBits && n.Bit == gap.bit && n.Width == gap.width
				}) {
					t.Errorf("packet %d with bit %d: notes %v", p.n, bit, tr.Notes)
				}
				if gap.reserved {
					reserved++
					continue
				}
				padding++
				if err := strict.Decode(set, p.from, &tr); !errors.Is(err, reject.NonzeroPadding) {
					t.Errorf("packet %d with bit %d: %v, want it refused", p.n, bit, err)
				}
			}
		}
	}
	if reserved == 0 || padding == 0 {
		t.Errorf("%d reserved and %d padding bits", reserved, padding)
	}
}

// stunGap is bits that carry no field: `reserved`, or the padding that a walk does not show.
type stunGap struct {
	bit, width int
	reserved   bool
}

func stunIgnored(tr *decode.Trace) []stunGap {
	var gaps []stunGap
	end := 0
	for ev := range tr.Walk() {
		if ev.Kind == decode.Open || ev.Kind == decode.Close {
			continue
		}
		if ev.Bit > end {
			gaps = append(gaps, stunGap{end, ev.Bit - end, false})
		}
		if ev.Kind == decode.Item {
			gaps = append(gaps, stunGap{ev.Bit, ev.Width, true})
		}
		end = ev.Bit + ev.Width
	}
	if all := 8 * len(tr.Payload); all > end {
		gaps = append(gaps, stunGap{end, all - end, false})
	}
	return gaps
}
