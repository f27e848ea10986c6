package selffuzz

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// roundTrips attacks the encoder: byte 0 chooses the built-in protocol, byte 1 the sender, and the rest are values,
// right ones and wrong ones. The encoder refuses them in one line with a path, or its packet is accepted and holds what
// was given, each code in the field and at the bit that was asked for. interesting says that there was a packet.
func roundTrips() Func {
	var all []*roundTrip
	for _, protocol := range corpus.Protocols() {
		all = append(all, newRoundTrip(must(protocols.Load(protocol))))
	}
	return func(data []byte) (bool, error) {
		if len(data) < 2 {
			return false, nil
		}
		return all[int(data[0])%len(all)].run(data[2:], decode.Direction(data[1]%3))
	}
}

// roundTrip encodes values under one schema.
type roundTrip struct {
	oracle  *oracle.Oracle
	encoder *decode.Encoder
	values  values
	buf     []byte
}

func newRoundTrip(d *decode.Decoder) *roundTrip {
	return &roundTrip{oracle: oracle.NewOracle(d), encoder: decode.NewEncoder(d), values: values{g: fuzz.NewGenerator(d)}}
}

func (r *roundTrip) run(data []byte, from decode.Direction) (bool, error) {
	r.values.in = script{data: data}
	const before = "in front of it"
	buf, err := r.encoder.Append(append(r.buf[:0], before...), &r.values, from)
	r.buf = buf
	if string(buf[:min(len(before), len(buf))]) != before || err != nil && len(buf) != len(before) {
		return false, fmt.Errorf("values %x: the buffer holds %x", data, buf)
	}
	if err != nil {
		var e *decode.EncodeError
		if !errors.As(err, &e) || e.Problem == "" || e.Bit < 0 {
			return false, fmt.Errorf("values %x: %w", data, err)
		}
		return false, oracle.Printable([]byte(err.Error()))
	}
	packet := bytes.Clone(buf[len(before):])
	answer, err := r.oracle.Decode(packet, from)
	if err == nil && answer.Kind != reject.None {
		err = errors.New(answer.String())
	}
	if err != nil {
		return false, fmt.Errorf("values %x: packet %x from %v: %w", data, packet, from, err)
	}
	return true, r.values.hold(r.oracle.Trace())
}

// values is a Source that has what an input says.
type values struct {
	g     *fuzz.Generator
	in    script
	given []given
	text  []byte
}

// given is a code that the encoder was given for a place.
type given struct {
	leaf, bit, width int
	code             uint64
}

// Restart begins with the input's first byte again.
func (v *values) Restart() { v.in.at, v.given = 0, v.given[:0] }

// Code is an allowed code, as a rule.
func (v *values) Code(a *decode.Query) (uint64, error) {
	how := v.in.byte()
	if a.Derivable && how < 0xe0 {
		return 0, decode.ErrDerive
	}
	code := a.Lo
	switch how % 8 {
	case 1:
		code = a.Hi
	case 2:
		code += v.in.number(1)
	case 3:
		code += v.in.number(2)
	case 4:
		code += v.in.number(8) % max(a.Hi-a.Lo, 1)
	case 5, 6:
		if all := v.g.Codes(a.Leaf); len(all) > 0 {
			code = all[int(v.in.byte())%len(all)]
		}
	case 7:
		code = v.in.number(8) // whether it is allowed or not
	}
	if how%8 != 7 || how&8 != 0 {
		code = v.g.Allowed(a, min(max(code, a.Lo), a.Hi), 1)
	}
	v.given = append(v.given, given{a.Leaf, a.Bit, a.Width, code})
	return code, nil
}

// Bytes are the input's, or letters.
func (v *values) Bytes(a *decode.Query, size int) ([]byte, error) {
	how := v.in.byte()
	if a.Derivable && how < 0xe0 {
		return nil, decode.ErrDerive
	}
	n := size
	if size < 0 {
		n = int(how & 31)
	}
	if how&0x40 != 0 {
		return v.in.take(n), nil // perhaps too short, perhaps no text
	}
	v.text = v.text[:0]
	for len(v.text) < n {
		v.text = append(v.text, 'a'+v.in.byte()%26)
	}
	return v.text, nil
}

// More goes on while the input does.
func (v *values) More(*decode.Query) (bool, error) { return v.in.byte()%4 > 1, nil }

// Branch goes where the input says.
func (v *values) Branch(_ *decode.Query, n int) (int, error) { return int(v.in.byte()) % n, nil }

// Count takes any number.
func (v *values) Count(*decode.Query, uint64) error { return nil }

// Ignored is any bits.
func (v *values) Ignored(*decode.Query) uint64 { return v.in.number(2) }

// hold finds what was given in the trace of the packet.
func (v *values) hold(t *decode.Trace) error {
	type place struct{ leaf, bit int }
	codes := map[place]uint64{}
	type coded struct {
		leaf int
		code uint64
	}
	cut := map[coded]bool{} // in a window that is filled with zeros: they are not where they were written
	for ev := range t.Walk() {
		if ev.Leaf >= 0 && (ev.Kind == decode.Leaf || ev.Kind == decode.Item) {
			codes[place{ev.Leaf, ev.Bit}] = ev.Raw
			if ev.Width < int(t.Plan.Leaves[ev.Leaf].Width) {
				cut[coded{ev.Leaf, ev.Raw}] = true
			}
		}
	}
	for _, g := range v.given {
		if _, ok := t.Plan.Reader(g.leaf).(*plan.Subset); ok {
			continue // a bitmap's flags, of which a trace has those that are set
		}
		if code, ok := codes[place{g.leaf, g.bit}]; (!ok || code != g.code) && !cut[coded{g.leaf, g.code}] {
			return fmt.Errorf("leaf %d at bit %d: given %d, the packet %x has %d (%v)", g.leaf, g.bit, g.code, t.Payload, code, ok)
		}
	}
	return nil
}

// RoundTripSeed makes the input of the entry RoundTrip for a protocol of the corpus.
func RoundTripSeed(protocol int, from decode.Direction, values []byte) []byte {
	return append([]byte{byte(protocol), byte(from)}, values...)
}
