package serialize

import (
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Serializer is a type that says what it looks like on the wire, once: its Serialize hands each field to s in wire
// order, and s reads it, writes it or counts its bits.
type Serializer interface{ Serialize(s *Stream) }

// Stream reads, writes or measures one packet at a time.
//
// It is one concrete type that knows its direction. The ways were measured before (BenchmarkChoice; reading flat97, the
// shortest of many runs on one busy core, ns a packet of 88 fields):
//
//	one concrete type        270
//	a type parameter         295   (Go calls a type parameter's methods through a dictionary; reading only, so without a mode)
//	an interface             380
//	generated straight code  180   (constant widths, one look at the end for every run of fields)
//
// The interface also makes every variable whose address a field takes escape: a local count is an allocation for each
// packet. Generated code wins by folding positions, but is a second source to keep, and is what decode/gogen makes of a
// schema. So there is one type; only the integers are generic, over the field's type, where no call is dispatched.
//
// Errors are sticky: after the first nothing is read or written, and fields do not say so. What is read then becomes
// the least value of its range (0, false, "" where there is none), so a count or an index that was not read is still
// inside its bounds. Object calls nobody any more, and Array, Slice and Subset end.
//
// A Stream keeps its memory from packet to packet; it is not for two goroutines at once, and not copied after its first
// use. The zero Stream is ready. Outside a packet a Stream measures and nobody asks; after a refusal it stays refused.
type Stream struct {
	// MaxDatagram is the most bytes that a packet may have, read or written: more is `datagram-size`, before anything
	// in it is looked at. 0 is no bound of the program's own. Set it between packets.
	MaxDatagram int

	mode  mode
	order wire.Order
	dir   direction
	// data is, reading, the datagram; writing, the room from its first byte to the buffer's capacity. Nil when
	// measuring and after a refusal, so that the fast paths find no room and leave it to the slow ones.
	data []byte
	bit  int
	end  int // reading: 8*len(data)

	buf []byte // writing: what came before the packet

	scopes  []scope
	idle    int  // elements that took no bits
	wasted  int  // calls after the refusal
	crc     bool // the packet has a checksum, which is sum
	sum     sum
	scratch []byte

	refusal reject.Reject
	field   field
	want    wanted
}

// mode selects the fast path of a field.
type mode uint8

const (
	measure mode = iota
	readLSB
	readOther
	writeLSB
	writeOther
	failed
)

// direction is what the packet is used for, also after a refusal.
type direction uint8

const (
	measuring direction = iota
	reading
	writing
)

// Read reads datagram into v. A refused packet's error is a *reject.Reject inside s, valid until s is used again
// (reject.Reject.Clone keeps it); what v holds then is not to be used. Whole bytes after the last field are refused;
// up to 7 bits are not looked at.
//
// datagram is the attacker's in every bit. Read keeps no part of it and does not write to it. Work is linear in its
// bits plus the program's own loops (see doc.go), whatever it declares.
func (s *Stream) Read(o wire.Order, datagram []byte, v Serializer) error {
	s.begin(reading, o)
	s.data, s.end = datagram, 8*len(datagram)
	s.mode = readOther
	if o == wire.LSB {
		s.mode = readLSB
	}
	if !s.sized(len(datagram)) {
		return s.Err()
	}
	v.Serialize(s)
	if left := s.end - s.bit; s.mode != failed && left >= 8 {
		s.scopes = s.scopes[:0]
		s.refuse(reject.TrailingBytes, s.bit, left, field{}, uint64(left), 0)
	}
	s.over()
	return s.Err()
}

// Append appends v's packet to buf; its first bit is the first after what buf held. A value that does not fit its
// field is refused as a reader would refuse it, with its path, and buf comes back as it was. v is only read, so several
// goroutines may write the same value, each with its own Stream. It allocates only for lack of room (see Measure); nine
// bytes more than the packet needs keep its end on the fast path.
func (s *Stream) Append(o wire.Order, buf []byte, v Serializer) ([]byte, error) {
	s.begin(writing, o)
	s.buf = buf
	s.data = buf[len(buf):cap(buf)]
	s.mode = writeOther
	if o == wire.LSB {
		s.mode = writeLSB
	}
	if len(s.data) > 0 {
		s.data[0] = 0
	}
	v.Serialize(s)
	if s.mode == failed || !s.sized((s.bit+7)/8) {
		s.buf = nil
		return buf, s.Err()
	}
	s.fillSum()
	out := s.buf[:len(s.buf)+(s.bit+7)/8]
	s.buf = nil
	s.over()
	return out, nil
}

// Measure returns how many bits v takes at most, whatever the bit it starts at: an alignment to n bits counts as n - 1,
// everything else is exact. The error is the one that Append would give, with its bits counted in this way;
// `datagram-size` is Append's alone, as the bits here may be more than the packet has.
func (s *Stream) Measure(o wire.Order, v Serializer) (bits int, err error) {
	s.begin(measuring, o)
	v.Serialize(s)
	return s.bit, s.Err()
}

// sized refuses a packet of more bytes than MaxDatagram.
func (s *Stream) sized(size int) bool {
	if s.MaxDatagram > 0 && size > s.MaxDatagram {
		s.refuse(reject.DatagramSize, 0, 8*size, field{}, uint64(size), uint64(s.MaxDatagram))
		return false
	}
	return true
}

func (s *Stream) begin(d direction, o wire.Order) {
	if o > wire.Bytewise {
		panic("pktscope: internal error: serialize: unknown " + o.String())
	}
	s.dir, s.order, s.mode = d, o, measure
	s.data, s.bit, s.end = nil, 0, 0
	s.scopes = s.scopes[:0]
	s.idle, s.wasted, s.crc = 0, 0, false
}

// over ends a packet: fields outside one measure, as the zero Stream's do. The datagram and the buffer are the caller's
// again.
func (s *Stream) over() {
	s.data = nil
	if s.mode != failed {
		s.mode, s.dir = measure, measuring
	}
}

// Reading reports whether fields are being set: the time to clear what a packet may leave out.
func (s *Stream) Reading() bool { return s.dir == reading }

// Writing reports whether fields are being taken: when a packet is made and when it is measured, so that what a program
// does only for a writer (a count from the length of a list) is in the measure too. It is !Reading().
func (s *Stream) Writing() bool { return s.dir != reading }

// OK reports whether nothing has been refused so far. A loop of the program's own that ends on what it reads must ask
// it:
//
//	for s.OK() && more { … }
func (s *Stream) OK() bool { return s.mode != failed }

// Err is the refusal, nil if there is none: a *reject.Reject, valid until s is used for another packet.
func (s *Stream) Err() error {
	if s.mode != failed {
		return nil
	}
	return &s.refusal
}

// Bit is the position of the next field in bits from the start of the packet; measuring, the bits so far. After a
// refusal it is that of the refused field.
func (s *Stream) Bit() int { return s.bit }

// Object hands v's fields to s under a name. At most 64 objects and lists are inside each other; more is
// `over-budget`, because a type inside itself nests as deep as the packet says; one that calls its own Serialize
// without Object is not counted, and nests once for each bit of the packet.
func (s *Stream) Object(name string, v Serializer) {
	if !s.enter(name) {
		return
	}
	depth := len(s.scopes)
	v.Serialize(s)
	s.leave(depth)
}

// maxWasted is how many calls may follow a refusal: more than any datagram has bits. Who makes more is in a loop that
// only the packet could end, and would be in it forever.
const maxWasted = 1 << 20

// waste counts a call after the refusal.
func (s *Stream) waste() {
	s.wasted++
	if s.wasted > maxWasted {
		panic("pktscope: internal error: serialize: a loop goes on though the stream has failed: range over Array, Slice or Subset, or ask OK")
	}
}
