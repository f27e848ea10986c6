package fuzz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// A Func is what a fuzzing engine calls with bytes of its own making. The error is a broken promise; interesting says
// that the input got far (a packet was accepted, a schema compiled), which engines with a score take as a hint. A Func
// may reuse memory, so it is for one goroutine.
type Func func(data []byte) (interesting bool, err error)

// The modes of Decode's input, in the two low bits of its first byte; the next two bits modulo 3 are the sender.
const (
	modeRaw      = iota // the rest is the packet
	modeRepaired        // the rest is the packet, and its checksum is made right
	modeMutated         // a mutation of a seed, and bits of it to flip; the checksum is made right
)

// Decode returns the Func that attacks the decoder of a built-in protocol. Random bytes die at a checksum, so an input
// can also choose a mutation of a seed packet:
//
//	raw       byte 0: mode 0 and sender; the packet
//	repaired  byte 0: mode 1 and sender; the packet, whose checksum is made right
//	mutated   byte 0: mode 2 or 3 and sender; uint32 number of the mutation, modulo their number; uint16 bits to flip
//
// Numbers are little-endian. See Oracle for what is promised; a mutation with nothing flipped has its Expectation, too.
func Decode(protocol string) (Func, error) {
	d, err := Builtin(protocol)
	if err != nil {
		return nil, err
	}
	h := &decodeHarness{oracle: NewOracle(d), crc: findChecksum(d.Plan()), plan: d.Plan()}
	m := NewMutator(d)
	for _, seed := range corpus.Seeds(protocol) {
		for mutation := range m.Mutations(seed.Data, senders[seed.From]) {
			mutation.Data = bytes.Clone(mutation.Data)
			h.mutations = append(h.mutations, *mutation)
		}
	}
	return h.run, nil
}

// Builtin compiles a built-in protocol.
func Builtin(protocol string) (*decode.Decoder, error) {
	src, ok := protocols.Source(protocol)
	if !ok {
		return nil, fmt.Errorf("%q is no built-in protocol", protocol)
	}
	s, diags := schema.Load(protocol+".pks", src, nil)
	if s == nil {
		return nil, fmt.Errorf("%s", diags[0].AppendLine(nil, protocol+".pks"))
	}
	p, diags := plan.Compile(s)
	if p == nil {
		return nil, fmt.Errorf("%s", diags[0].AppendLine(nil, protocol+".pks"))
	}
	return decode.New(p), nil
}

// senders are the corpus's words for who sent a packet.
var senders = map[string]decode.Direction{
	corpus.Client:  decode.Client,
	corpus.Server:  decode.Server,
	corpus.Unknown: decode.Unknown,
}

type decodeHarness struct {
	oracle    *Oracle
	plan      *plan.Plan
	crc       checksum
	mutations []Mutation
	buf       []byte
}

func (h *decodeHarness) run(data []byte) (bool, error) {
	if len(data) == 0 {
		return false, nil
	}
	head, data := data[0], data[1:]
	from := [...]decode.Direction{decode.Unknown, decode.Client, decode.Server}[head>>2%4%3]
	var what Mutation
	switch head % 4 {
	case modeRaw:
		h.buf = append(h.buf[:0], data...)
	case modeRepaired:
		h.buf = append(h.buf[:0], data...)
		h.crc.repair(h.plan, h.buf)
	default:
		if len(data) < 4 {
			return false, nil
		}
		what = h.mutations[binary.LittleEndian.Uint32(data)%uint32(len(h.mutations))]
		h.buf = append(h.buf[:0], what.Data...)
		if flips := data[4:]; len(flips) >= 2 && len(h.buf) > 0 {
			for ; len(flips) >= 2; flips = flips[2:] {
				bit := int(binary.LittleEndian.Uint16(flips)) % (8 * len(h.buf))
				h.buf[bit/8] ^= 1 << (bit % 8)
			}
			h.crc.repair(h.plan, h.buf)
			what = Mutation{}
		}
	}
	// The decoder is given a slice without capacity behind it: a read outside would be seen.
	answer, err := h.oracle.Decode(slices.Clip(h.buf), from)
	if err == nil {
		err = what.Expect.Check(answer)
	}
	if err != nil {
		return false, fmt.Errorf("packet %x: %w", h.buf, err)
	}
	return answer.Kind == 0, nil
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

func senderBits(from decode.Direction) byte {
	switch from {
	case decode.Client:
		return 1 << 2
	case decode.Server:
		return 2 << 2
	}
	return 0
}

// Sender is the direction that a word of the corpus stands for.
func Sender(word string) decode.Direction { return senders[word] }
