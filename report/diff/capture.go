package diff

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode"
)

// MaxRecords is how many datagrams of one capture are matched. A datagram takes 28 bytes, and the two ends of a flow 29
// with IPv4 and 53 with IPv6, in both captures together; ends of which only one capture has flows 20 to 40 more.
const MaxRecords = 1 << 21

// Flow is who sent to whom, and in which of the caller's protocols.
type Flow struct {
	Src, Dst netip.AddrPort
	From     decode.Direction
	Protocol int
}

// Record is what matching knows of a datagram. It holds no pointer, so that collecting garbage around many is cheap.
type Record struct {
	Hash    uint64 // of the payload; a cut one has none that counts
	Seq     int64  // the @seq field; without its wraps once the capture is sorted
	flow    uint32
	Size    uint16 // bytes, as far as kept
	Cut     bool
	counter uint8 // which of the capture's, and 1; 0 without a number
}

// Capture is the records of a capture, by flow.
type Capture struct {
	ends     *ends // of both captures that are matched
	records  store[Record]
	messages store[Message]
	moduli   []uint64
	tooMany  bool // more than MaxMessages
	unread   int

	sent, brought byFlow // the records and the messages, once all are there
}

// NewCaptures makes two empty captures, which are to be matched.
func NewCaptures() (a, b *Capture) {
	both := &ends{seed: maphash.MakeSeed(), numbers: map[uint64]uint32{}}
	return &Capture{ends: both}, &Capture{ends: both}
}

// Add adds the capture's next datagram. The modulus is what its number, if it is numbered, counts to before it begins
// anew; 0 is 2^64. The error says that there are too many.
func (c *Capture) Add(f Flow, r Record, modulus uint64, numbered bool) error {
	if c.records.n == MaxRecords {
		return fmt.Errorf("more than %d datagrams: compare a part of the capture", MaxRecords)
	}
	if numbered {
		at := slices.Index(c.moduli, modulus)
		if at < 0 && len(c.moduli) < 255 { // a hostile schema has more: they count to what the last one does
			at, c.moduli = len(c.moduli), append(c.moduli, modulus)
		}
		r.counter = uint8(1 + min(uint(at), 254))
	}
	r.flow = c.ends.number(f)
	c.records.add(r)
	return nil
}

// sort sorts what was added by flow, once.
func (c *Capture) sort() {
	if c.sent.end != nil {
		return
	}
	c.sent.sort(c.records.n, c.ends.where.n, func(i uint32) uint32 { return c.records.at(i).flow })
	c.brought.sort(c.messages.n, c.ends.where.n, func(i uint32) uint32 { return c.messages.at(i).flow })
	for f := range 2 * uint32(c.ends.where.n) {
		c.unwrap(c.track(f))
	}
	c.ends.numbers = nil
}

// unwrap counts on where a sequence number begins anew: it is taken to be the one that is nearest to the number before.
func (c *Capture) unwrap(t track) {
	last, begun := int64(0), false
	for i := range t.list {
		r := t.at(i)
		if r.counter == 0 {
			continue
		}
		if m := c.moduli[r.counter-1]; begun && m > 1 && m < 1<<62 {
			step := (uint64(r.Seq)%m + m - uint64(mod(last, int64(m)))) % m
			if r.Seq = last + int64(step); step > m/2 {
				r.Seq -= int64(m)
			}
		}
		last, begun = r.Seq, true
	}
}

func mod(a, m int64) int64 { return (a%m + m) % m }

// track is what one flow sent, in the order of the capture.
type track struct {
	*Capture
	list []uint32 // of the records
}

func (c *Capture) track(flow uint32) track { return track{c, c.sent.of(flow)} }
func (t *track) at(i int) *Record          { return t.records.at(t.list[i]) }

// store is a list that grows without being copied.
type store[T any] struct {
	parts [][]T
	n     int
}

const storePart = 1 << 12

func (s *store[T]) add(v T) {
	if s.n%storePart == 0 {
		s.parts = append(s.parts, make([]T, storePart))
	}
	s.n++
	*s.at(uint32(s.n - 1)) = v
}

func (s *store[T]) at(i uint32) *T { return &s.parts[i/storePart][i%storePart] }

// byFlow has the numbers of a store's elements by flow, those of one flow in their order.
type byFlow struct {
	order []uint32
	end   []uint32 // where in order those of two ends are over
	flow  func(i uint32) uint32
}

func (x *byFlow) sort(n, ends int, flow func(i uint32) uint32) {
	if n == 0 {
		return
	}
	x.flow, x.order, x.end = flow, make([]uint32, n), make([]uint32, ends+1)
	for i := range uint32(n) {
		x.end[flow(i)/2+1]++
	}
	for i := range ends {
		x.end[i+1] += x.end[i]
	}
	for odd := range uint32(2) {
		for i := range uint32(n) {
			if f := flow(i); f%2 == odd {
				x.order[x.end[f/2]] = i
				x.end[f/2]++
			}
		}
	}
}

func (x *byFlow) of(flow uint32) []uint32 {
	from := uint32(0)
	if x.end == nil {
		return nil
	} else if flow > 1 {
		from = x.end[flow/2-1]
	}
	list := x.order[from:x.end[flow/2]]
	odd := sort.Search(len(list), func(i int) bool { return x.flow(list[i])%2 == 1 })
	if flow%2 == 1 {
		return list[odd:]
	}
	return list[:odd]
}

// ends numbers the pairs of ends between which there are flows. A flow has twice their number, and one more where the
// larger address sends.
type ends struct {
	seed    maphash.Seed
	numbers map[uint64]uint32 // by hash, as payloads are compared; nil once all are known
	where   store[uint32]
	parts   [][]byte // texts: how long it and its part before Dst are, From, Protocol, Src, Dst
}

const textPart = 1 << 16

// number finds the number of a flow.
func (e *ends) number(f Flow) uint32 {
	odd := uint32(0)
	if f.Src.Compare(f.Dst) > 0 {
		f, odd = f.reverse(), 1
	}
	text, _ := f.Src.AppendBinary([]byte{0, 0, byte(f.From), byte(f.Protocol), byte(f.Protocol >> 8)})
	text[1] = byte(len(text))
	text, _ = f.Dst.AppendBinary(text)
	text[0] = byte(len(text))
	hash := maphash.Bytes(e.seed, text)
	n, known := e.numbers[hash]
	if !known {
		n = uint32(e.where.n)
		e.numbers[hash] = n
		if last := len(e.parts) - 1; last < 0 || len(e.parts[last])+len(text) > textPart {
			e.parts = append(e.parts, make([]byte, 0, textPart))
		}
		last := &e.parts[len(e.parts)-1]
		e.where.add(uint32(textPart*(len(e.parts)-1) + len(*last)))
		*last = append(*last, text...)
	}
	return 2*n + odd
}

// flow is the flow of a number.
func (e *ends) flow(n uint32) (f Flow) {
	at := *e.where.at(n / 2)
	text := e.parts[at/textPart][at%textPart:]
	_ = f.Src.UnmarshalBinary(text[5:text[1]]) // as number wrote them
	_ = f.Dst.UnmarshalBinary(text[text[1]:text[0]])
	f.From, f.Protocol = decode.Direction(text[2]), int(text[3])|int(text[4])<<8
	if n%2 == 1 {
		return f.reverse()
	}
	return f
}

func (f Flow) reverse() Flow { return Flow{f.Dst, f.Src, (3 - f.From) % 3, f.Protocol} }
