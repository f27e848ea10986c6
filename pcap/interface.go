package pcap

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// MaxInterfaces is the most interfaces a pcapng section may describe.
const MaxInterfaces = 65536

// maxOptions is the most bytes the options of one block may have: room for two
// comments of the largest size, and little enough to hold.
const maxOptions = 128 << 10

// iface is what the packets of an interface need to be read. Its name and
// comments stay in the Reader's text, which is bounded: they would be the
// attacker's way to fill memory.
type iface struct {
	link    LinkType
	snapLen uint32 // bytes; 0 is no limit
	text    span   // its options
	clock   clock
}

// Options of the blocks, by code.
const (
	optEnd      = 0
	optTSResol  = 9  // interface: if_tsresol, one byte
	optTSOffset = 14 // interface: if_tsoffset, seconds, int64
)

// checkOptions bounds the options of a block, which go from byte begin of it
// to byte end, before the block is taken into memory. The fault is the block's
// length: the options need not be there.
func (r *Reader) checkOptions(end, begin int, block string) error {
	if size := end - begin; size > maxOptions {
		return r.malformed(4, "%s: options: want at most %d bytes, got %d", r.named(block), maxOptions, size)
	}
	return nil
}

// options checks the option list b, which begins delta bytes after the
// reader's place and ends with its block. ifc is the interface that the
// options describe, nil for other blocks.
func (r *Reader) options(b []byte, delta int, block string, ifc *iface) error {
	for len(b) >= 4 {
		code, size := r.u16(b), int(r.u16(b[2:]))
		if code == optEnd {
			return nil // what follows is padding
		}
		padded := 4 + (size+3)&^3
		if padded > len(b) {
			return r.malformed(delta+2, "%s: length of option %d: want at most %d bytes, got %d", r.named(block), code, len(b)-4, size)
		}
		if ifc != nil {
			if err := r.interfaceOption(ifc, code, b[4:4+size], delta); err != nil {
				return err
			}
		}
		b = b[padded:]
		delta += padded
	}
	return nil // b was a multiple of 4 bytes, so nothing is left
}

func (r *Reader) interfaceOption(ifc *iface, code uint16, value []byte, delta int) error {
	switch code {
	case optTSResol:
		if len(value) != 1 {
			return r.malformed(delta+2, "interface block: length of if_tsresol: want 1, got %d", len(value))
		}
		ifc.clock.unknown = ifc.clock.unknown || !ifc.clock.setResolution(value[0])
	case optTSOffset:
		if len(value) != 8 {
			return r.malformed(delta+2, "interface block: length of if_tsoffset: want 8, got %d", len(value))
		}
		sec := int64(binary.LittleEndian.Uint64(value))
		if r.big {
			sec = int64(binary.BigEndian.Uint64(value))
		}
		if ifc.clock.unknown = ifc.clock.unknown || sec < -maxSeconds || sec > maxSeconds; !ifc.clock.unknown {
			ifc.clock.offset = sec * 1e9
		}
	}
	return nil
}

// maxSeconds is what an int64 of nanoseconds holds, in whole seconds.
const maxSeconds = math.MaxInt64 / 1_000_000_000

// A clock turns an interface's timestamps into nanoseconds since the Unix
// epoch: units*mul/div >> shift, plus offset. 1 ≤ mul, div ≤ 1e10; shift ≤ 63.
type clock struct {
	mul, div uint64
	shift    uint8
	offset   int64 // ns
	unknown  bool  // its interface has a resolution or an offset with which no time can be told
}

// microseconds is the resolution of an interface without if_tsresol.
var microseconds = clock{mul: 1000, div: 1}

// setResolution takes an if_tsresol: 10^-v s, or 2^-(v-128) s with the top
// bit. It reports false for those in which no uint64 reaches two seconds or
// the power has no 64 bits (127 made other readers panic).
func (c *clock) setResolution(v byte) bool {
	exp := int(v & 0x7f)
	if v&0x80 != 0 {
		if exp > 63 {
			return false
		}
		c.mul, c.div, c.shift = 1e9, 1, uint8(exp)
		return true
	}
	if exp > 19 {
		return false
	}
	c.mul, c.div, c.shift = 1, 1, 0
	for ; exp < 9; exp++ {
		c.mul *= 10
	}
	for ; exp > 9; exp-- {
		c.div *= 10
	}
	return true
}

// time is when a packet came that says t. odd is said of a time that only a signed number makes one, before 1970 but for
// the offset, and of none (timed is false then).
func (c *clock) time(t uint64) (ns int64, timed, odd bool) {
	if c.unknown {
		return 0, false, true
	}
	if ns, timed = c.nanoseconds(t); timed {
		return ns, true, false
	}
	plain := *c
	plain.offset = 0
	if ns, timed = plain.nanoseconds(-t); timed && int64(t) < 0 && ns <= math.MaxInt64+min(c.offset, 0) {
		return c.offset - ns, true, true
	}
	return 0, false, true
}

// nanoseconds is floor(t units) + offset. ok is false where that leaves int64.
func (c *clock) nanoseconds(t uint64) (ns int64, ok bool) {
	hi, lo := bits.Mul64(t, c.mul)
	if hi>>c.shift != 0 {
		return 0, false
	}
	u := lo
	if c.shift > 0 {
		u = hi<<(64-c.shift) | lo>>c.shift
	}
	if c.div > 1 {
		u /= c.div
	}
	if c.offset >= 0 {
		if u > uint64(math.MaxInt64-c.offset) {
			return 0, false
		}
		return int64(u) + c.offset, true
	}
	// |offset| ≤ maxSeconds*1e9 < 2^63: u-|offset| fits when it is ≤ MaxInt64.
	back := uint64(-c.offset)
	if u < back {
		return -int64(back - u), true
	}
	if u-back > math.MaxInt64 {
		return 0, false
	}
	return int64(u - back), true
}
