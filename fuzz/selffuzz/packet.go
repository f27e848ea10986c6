package selffuzz

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// The modes of Decode's input, in the two low bits of its first byte; the next two bits modulo 3 are the sender.
const (
	modeRaw      = iota // the rest is the packet
	modeRepaired        // the rest is the packet, and its checksum is made right
	modeMutated         // a mutation of a seed, and bits of it to flip; the checksum is made right
	modeBroken          // as the bits above the sender's say
)

// What modeBroken does, in the bits 4 and 5 of the first byte.
const (
	brokenMutated    = iota // as modeMutated
	brokenEnumerated        // one of the enumeration, in which every code of a narrow field is
	brokenOverridden        // a seed that the encoder writes anew, with other codes for some of its fields
	brokenSpliced           // the head of one seed and the tail of another
)

// Decode returns the Func that attacks the decoder of a built-in protocol. Random bytes die at a checksum, so an input
// can also choose a mutation of a seed packet. Byte 0 is the mode, the sender and what is done:
//
//	raw         the packet
//	repaired    the packet, whose checksum is made right
//	mutated     uint32 number of the mutation, modulo their number; uint16 bits to flip
//	enumerated  uint24 number in the enumeration, modulo its length; uint8 1 + the class it is of, 0 for all together;
//	            uint16 bits to flip
//	overridden  uint16 seed; then up to 8 times: uint16 field, uint64 code, which may be one that its field forbids
//	spliced     uint16 seed; uint16 seed; uint16 byte at which the second one goes on; uint16 bits to flip
//
// Numbers are little-endian. See Oracle for what is promised; a mutation with nothing flipped has its Expectation, too.
func Decode(protocol string) (Func, error) {
	d, err := protocols.Load(protocol)
	if err != nil {
		return nil, err
	}
	h := &decodeEntry{oracle: oracle.NewOracle(d), seals: d.Plan().Seals(), decoder: d, encoder: decode.NewEncoder(d)}
	h.seeds = corpus.Seeds(protocol)
	m := fuzz.NewMutator(d)
	for _, seed := range h.seeds {
		for mutation := range m.Mutations(seed.Data, fuzz.Sender(seed.From)) {
			h.mutations.add(mutation)
		}
	}
	return h.run, nil
}

type decodeEntry struct {
	oracle     *oracle.Oracle
	decoder    *decode.Decoder
	encoder    *decode.Encoder
	seals      plan.Seals
	seeds      []corpus.Seed
	mutations  mutations
	enumerated mutations // made when it is asked for
	trace      decode.Trace
	over       []decode.Override
	buf        []byte
}

func (d *decodeEntry) run(data []byte) (bool, error) {
	if len(data) == 0 {
		return false, nil
	}
	head, in := data[0], &script{data: data, at: 1}
	from := [...]decode.Direction{decode.FromUnknown, decode.Client, decode.Server}[head>>2%4%3]
	var want oracle.Expectation
	switch head % 4 {
	case modeRaw:
		d.buf = append(d.buf[:0], data[1:]...)
	case modeRepaired:
		d.buf = append(d.buf[:0], data[1:]...)
		d.seals.Repair(d.buf, -1)
	default:
		if in.left() < 4 {
			return false, nil
		}
		switch how := head >> 4 % 4; {
		case head%4 == modeBroken && how == brokenOverridden:
			if !d.override(in, from) {
				return false, nil
			}
		case head%4 == modeBroken && how == brokenSpliced:
			one, other := d.seed(in), d.seed(in)
			at := int(in.number(2))
			d.buf = append(d.buf[:0], one.Data[:min(at, len(one.Data))]...)
			d.buf = append(d.buf, other.Data[min(at, len(other.Data)):]...)
			d.seals.Repair(d.buf, -1)
			d.flip(in)
		default:
			var mutated []byte
			if head%4 == modeBroken && how == brokenEnumerated {
				n := in.number(3)
				mutated, want = d.enumeration().of(uint32(n), in.byte())
			} else {
				mutated, want = d.mutations.at(uint32(in.number(4)))
			}
			d.buf = append(d.buf[:0], mutated...)
			if d.flip(in) {
				want = oracle.Expectation{}
			}
		}
	}
	// The decoder is given a slice without capacity after it: a read outside would be seen.
	answer, err := d.oracle.Decode(slices.Clip(d.buf), from)
	if err == nil {
		err = want.Check(answer)
	}
	if err != nil {
		return false, fmt.Errorf("packet %x from %v: %w", d.buf, from, err)
	}
	return answer.Kind == 0, nil
}

func (d *decodeEntry) seed(in *script) *corpus.Seed {
	return &d.seeds[int(in.number(2))%len(d.seeds)]
}

// flip turns the bits that are left in the input and makes the checksum right, if there are any.
func (d *decodeEntry) flip(in *script) bool {
	if in.left() < 2 || len(d.buf) == 0 {
		return false
	}
	for in.left() >= 2 {
		bit := int(in.number(2)) % (8 * len(d.buf))
		d.buf[bit/8] ^= 1 << (bit % 8)
	}
	d.seals.Repair(d.buf, -1)
	return true
}

// mostOverrides bounds the fields that one input changes.
const mostOverrides = 8

// override writes a seed anew with several fields changed. It reports false where there is no such packet: what the
// codes steer can be more than a datagram holds.
func (d *decodeEntry) override(in *script, from decode.Direction) bool {
	p, seed := d.decoder.Plan(), d.seed(in)
	if d.decoder.Decode(seed.Data, from, &d.trace) != nil {
		return false
	}
	written := map[plan.Point]int{} // of each point, to each span
	var spans []decode.Override
	for i := range d.trace.Records {
		s := &d.trace.Records[i]
		nth := written[s.Point]
		written[s.Point]++
		step := p.StepAt(s.Point)
		if step.Flow() == plan.Straight {
			for leaf := range step.Leaves() {
				spans = append(spans, decode.Override{Point: s.Point, Leaf: leaf, Nth: nth})
			}
		}
		if _, ok := step.(*plan.Reserved); ok {
			spans = append(spans, decode.Override{Point: s.Point, Leaf: -1, Nth: nth})
		}
	}
	d.over = d.over[:0]
	for len(spans) > 0 && in.left() >= 3 && len(d.over) < mostOverrides {
		o := spans[int(in.number(2))%len(spans)]
		o.Code = in.number(8)
		d.over = append(d.over, o)
	}
	data, err := d.encoder.AppendOverridden(d.buf[:0], decode.Replay(&d.trace), from, d.over)
	if err != nil {
		return false
	}
	d.buf = data
	return true
}

// enumeration is every mutation of the enumeration, once for all seeds together.
func (d *decodeEntry) enumeration() *mutations {
	if len(d.enumerated.ends) == 0 {
		m, seen := fuzz.NewMutator(d.decoder), fuzz.Dedup{}
		for _, seed := range d.seeds {
			for mutation := range m.Enumerate(seed.Data, fuzz.Sender(seed.From), seen) {
				d.enumerated.add(mutation)
			}
		}
	}
	return &d.enumerated
}

// mutations are packets in one piece of memory: an enumeration has a hundred thousand of them.
type mutations struct {
	data    []byte
	ends    []int // of each packet
	want    []oracle.Expectation
	classes map[fuzz.Class][]uint32 // the numbers of each class
}

func (m *mutations) add(one *fuzz.Mutation) {
	m.data = append(m.data, one.Data...)
	if m.classes == nil {
		m.classes = map[fuzz.Class][]uint32{}
	}
	m.classes[one.Class] = append(m.classes[one.Class], uint32(len(m.ends)))
	m.ends = append(m.ends, len(m.data))
	m.want = append(m.want, one.Expect)
}

// of is a mutation of a class, or of all where class is 0 or has none.
func (m *mutations) of(number uint32, class byte) ([]byte, oracle.Expectation) {
	if list := m.classes[fuzz.Class(class-1)]; class > 0 && len(list) > 0 {
		number = list[number%uint32(len(list))]
	}
	return m.at(number)
}

func (m *mutations) at(number uint32) ([]byte, oracle.Expectation) {
	i := int(number % uint32(len(m.ends)))
	begin := 0
	if i > 0 {
		begin = m.ends[i-1]
	}
	return m.data[begin:m.ends[i]], m.want[i]
}

// EncodeSeed makes the input of Decode that is a packet as it is.
func EncodeSeed(packet []byte, from decode.Direction) []byte {
	return append([]byte{byte(modeRaw) | senderBits(from)}, packet...)
}

// EncodeRepaired makes the input of Decode that is a packet whose checksum is to be made right.
func EncodeRepaired(packet []byte, from decode.Direction) []byte {
	return append([]byte{byte(modeRepaired) | senderBits(from)}, packet...)
}

// EncodeMutation makes the input of Decode that is mutation number n with bits flipped.
func EncodeMutation(n uint32, from decode.Direction, flips ...uint16) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{byte(modeMutated) | senderBits(from)}, n)
	for _, bit := range flips {
		b = binary.LittleEndian.AppendUint16(b, bit)
	}
	return b
}

// EncodeEnumerated makes the input of Decode that is number n, below 2^24, of a class of the enumeration, with bits
// flipped.
func EncodeEnumerated(class fuzz.Class, n uint32, from decode.Direction, flips ...uint16) []byte {
	b := EncodeMutation(n&0xffffff|uint32(class+1)<<24, from, flips...)
	b[0] = b[0]&^3 | modeBroken | brokenEnumerated<<4
	return b
}

// A Code is a code for a field of a packet: which field, and what shall be there.
type Code struct {
	Field uint16
	Code  uint64
}

// EncodeOverridden makes the input of Decode that is a seed with other codes.
func EncodeOverridden(seed uint16, from decode.Direction, codes ...Code) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{modeBroken | brokenOverridden<<4 | senderBits(from)}, seed)
	for _, c := range codes {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, c.Field), c.Code)
	}
	return b
}

// EncodeSpliced makes the input of Decode that is one seed up to a byte, and another from there on.
func EncodeSpliced(one, other, at uint16, from decode.Direction) []byte {
	b := []byte{modeBroken | brokenSpliced<<4 | senderBits(from)}
	for _, v := range []uint16{one, other, at} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

func senderBits(from decode.Direction) byte {
	switch from {
	case decode.Client:
		return 1 << 2
	case decode.Server:
		return 2 << 2
	}
	return 0
}
