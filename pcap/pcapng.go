package pcap

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// pcapng: blocks of {type, total length, body, total length}, all a multiple of
// 4 bytes. Source: draft-ietf-opsawg-pcapng.
//
// To read another block: 1. its type and name below; 2. a case in ngPacket that
// checks the fixed part before anything relies on the declared lengths, takes
// the block by r.block, and discards it when it yields no packet.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 2 // obsolete since 2004, still met
	blockSimple    = 3
	blockEnhanced  = 6
)

// numbered are the other blocks that Wireshark gives a number, as of 4.0: entries of a journal, events of sysdig (three
// forms), and custom blocks that may and may not be copied.
var numbered = [...]uint32{9, 0x204, 0x216, 0x221, 0xbad, 0x40000bad}

const (
	// maxBlock bounds blocks that are skipped, as Wireshark does: they cost
	// no memory, but no honest one is larger.
	maxBlock = 16 << 20
	// blockFrame is type and both lengths; enhancedLen, packetLen and
	// simpleLen count the bytes before the packet's.
	blockFrame   = 12
	enhancedLen  = 28
	packetLen    = 28
	simpleLen    = 12
	sectionLen   = 24
	interfaceLen = 16
	// maxHeldBlock is the largest block that is ever whole in memory.
	maxHeldBlock = enhancedLen + MaxPacket + maxOptions + 4
)

const _ = uint(bufferSize - maxHeldBlock) // does not compile if a block cannot fit

const byteOrderMagic = 0x1a2b3c4d

// ngPacket reads blocks up to and including the next packet.
func (r *Reader) ngPacket() ([]byte, error) {
	for {
		h := r.in.peek(8)
		if len(h) < 8 {
			if r.in.cleanEnd() {
				return nil, io.EOF
			}
			return nil, r.ended("block header", r.in.off, 8)
		}
		if binary.BigEndian.Uint32(h) == blockSection { // a palindrome: any order
			if err := r.section(); err != nil {
				return nil, err
			}
			continue
		}
		kind, total := r.u32(h), r.u32(h[4:])
		if err := r.checkTotal(total, blockFrame, "block"); err != nil {
			return nil, err
		}
		switch kind {
		case blockEnhanced:
			return r.enhancedPacket(int(total))
		case blockPacket:
			return r.obsoletePacket(int(total))
		case blockSimple:
			return r.simplePacket(int(total))
		case blockInterface:
			if err := r.interfaceBlock(int(total)); err != nil {
				return nil, err
			}
		default:
			if slices.Contains(numbered[:], kind) {
				r.packets++
			}
			if err := r.skipBlock(int64(total)); err != nil {
				return nil, err
			}
		}
	}
}

// checkTotal checks a block's declared length before anything follows it.
func (r *Reader) checkTotal(total uint32, least int, name string) error {
	if total < uint32(least) || total > maxBlock || total%4 != 0 {
		return r.malformed(4, "length of %s: want %d..%d in steps of 4, got %d", name, least, maxBlock, total)
	}
	return nil
}

// checkTrailer checks that the length after a block repeats the one before.
// b are those four bytes, delta after the reader's place.
func (r *Reader) checkTrailer(b []byte, delta int, total int) error {
	if got := r.u32(b); got != uint32(total) {
		return r.malformed(delta, "length after block: want %d as before it, got %d", total, got)
	}
	return nil
}

// block takes the whole block, of total ≤ maxHeldBlock bytes, without
// consuming it, and checks its trailer. name is for errors, "" for the packet.
func (r *Reader) block(total int, name string) ([]byte, error) {
	b := r.in.peek(total)
	if len(b) < total {
		return nil, r.ended(r.named(name), r.in.off, int64(total))
	}
	return b, r.checkTrailer(b[total-4:], total-4, total)
}

// skipBlock passes over a block of a type we do not read.
func (r *Reader) skipBlock(total int64) error {
	begin := r.in.off
	if !r.in.skip(total-4) || len(r.in.peek(4)) < 4 {
		return r.ended("block", begin, total)
	}
	if err := r.checkTrailer(r.in.peek(4), 0, int(total)); err != nil {
		return err
	}
	r.in.discard(4)
	return nil
}

// section reads a section header: it sets the byte order and forgets the
// interfaces. The section's own length is not used: every block is checked for
// itself, and a lie there must not make us skip packets.
func (r *Reader) section() error {
	const name = "section header"
	h := r.in.peek(12)
	if len(h) < 12 {
		return r.ended(name, r.in.off, 12)
	}
	switch magic := h[8:12]; {
	case binary.BigEndian.Uint32(magic) == byteOrderMagic:
		r.big = true
	case binary.LittleEndian.Uint32(magic) == byteOrderMagic:
		r.big = false
	default:
		return r.malformed(8, "section header: byte-order magic: want %#x in either order, got %#x", byteOrderMagic, binary.BigEndian.Uint32(magic))
	}
	total := r.u32(h[4:])
	if err := r.checkTotal(total, sectionLen+4, name); err != nil {
		return err
	}
	if err := r.checkOptions(int(total)-4, sectionLen, name); err != nil {
		return err
	}
	b, err := r.block(int(total), name)
	if err != nil {
		return err
	}
	// 1.2 was written by mistake and means 1.0; minors are compatible.
	if major := r.u16(b[12:]); major != 1 {
		return r.malformed(12, "pcapng version: want 1, got %d", major)
	}
	if err := r.options(b[sectionLen:total-4], sectionLen, name, nil); err != nil {
		return err
	}
	r.ifaces, r.text = r.ifaces[:0], r.text[:0]
	r.sections++
	r.sectionText = r.keep(b[sectionLen : total-4])
	if r.keepsHead {
		r.head = append([]byte(nil), b...)
	}
	r.in.discard(int(total))
	return nil
}

// interfaceBlock adds an interface to the section.
func (r *Reader) interfaceBlock(total int) error {
	const name = "interface block"
	if err := r.checkTotal(uint32(total), interfaceLen+4, name); err != nil {
		return err
	}
	if err := r.checkOptions(total-4, interfaceLen, name); err != nil {
		return err
	}
	if len(r.ifaces) == MaxInterfaces {
		return r.malformed(0, "section: want at most %d interfaces, got more", MaxInterfaces)
	}
	b, err := r.block(total, name)
	if err != nil {
		return err
	}
	ifc := iface{link: LinkType(r.u16(b[8:])), snapLen: r.u32(b[12:]), clock: microseconds}
	if err := r.options(b[interfaceLen:total-4], interfaceLen, name, &ifc); err != nil {
		return err
	}
	ifc.text = r.keep(b[interfaceLen : total-4])
	r.ifaces = append(r.ifaces, ifc)
	if r.keepsHead && len(r.head) <= MaxHead { // else it is too long already
		r.head = append(r.head, b...)
	}
	r.in.discard(total)
	return nil
}

// enhancedPacket reads an enhanced packet block.
func (r *Reader) enhancedPacket(total int) ([]byte, error) {
	r.packets++
	if err := r.checkTotal(uint32(total), enhancedLen+4, "enhanced packet block"); err != nil {
		return nil, err
	}
	h := r.in.peek(enhancedLen)
	if len(h) < enhancedLen {
		return nil, r.ended(r.named(""), r.in.off, int64(total))
	}
	return r.timedPacket(total, r.u32(h[8:]), h)
}

// obsoletePacket reads a packet block. It is an enhanced one whose interface
// id has 16 bits and is followed by a drop count.
func (r *Reader) obsoletePacket(total int) ([]byte, error) {
	r.packets++
	if err := r.checkTotal(uint32(total), packetLen+4, "packet block"); err != nil {
		return nil, err
	}
	h := r.in.peek(packetLen)
	if len(h) < packetLen {
		return nil, r.ended(r.named(""), r.in.off, int64(total))
	}
	return r.timedPacket(total, uint32(r.u16(h[8:])), h)
}

// timedPacket reads what enhanced and obsolete packet blocks have in common;
// h are their first 28 bytes.
func (r *Reader) timedPacket(total int, id uint32, h []byte) ([]byte, error) {
	if id >= uint32(len(r.ifaces)) {
		return nil, r.malformed(8, "packet %d: interface id: the section has %d so far, got %d", r.packets, len(r.ifaces), id)
	}
	units := uint64(r.u32(h[12:]))<<32 | uint64(r.u32(h[16:]))
	capLen, wireLen := r.u32(h[20:]), r.u32(h[24:])
	if err := r.checkCaptured(capLen, total-enhancedLen-4, 20); err != nil {
		return nil, err
	}
	ifc := &r.ifaces[id]
	optsAt := enhancedLen + (int(capLen)+3)&^3
	if err := r.checkOptions(total-4, optsAt, ""); err != nil {
		return nil, err
	}
	b, err := r.block(total, "")
	if err != nil {
		return nil, err
	}
	if optsAt < total-4 {
		r.opts = b[optsAt : total-4]
		if err := r.options(r.opts, optsAt, "", nil); err != nil {
			return nil, err
		}
	}
	r.in.discard(total)
	r.link = ifc.link
	r.info.wire, r.info.iface = wireLength(capLen, wireLen), int(id)
	r.info.time, r.info.timed, r.info.odd = ifc.clock.time(units)
	end := enhancedLen + int(capLen)
	return b[enhancedLen:end:end], nil
}

// simplePacket reads a simple packet block: a packet of interface 0 without a
// time, cut at that interface's snap length.
func (r *Reader) simplePacket(total int) ([]byte, error) {
	r.packets++
	if err := r.checkTotal(uint32(total), simpleLen+4, "simple packet block"); err != nil {
		return nil, err
	}
	h := r.in.peek(simpleLen)
	if len(h) < simpleLen {
		return nil, r.ended(r.named(""), r.in.off, int64(total))
	}
	if len(r.ifaces) == 0 {
		return nil, r.malformed(0, "packet %d: simple packet block before any interface block", r.packets)
	}
	ifc := &r.ifaces[0]
	wireLen := r.u32(h[8:])
	capLen := wireLen
	if ifc.snapLen > 0 {
		capLen = min(capLen, ifc.snapLen)
	}
	if err := r.checkCaptured(capLen, total-simpleLen-4, 8); err != nil {
		return nil, err
	}
	// No options here: what is left between packet and trailer must be less
	// than a word, or the block would be free to be of any size.
	if pad := total - 4 - simpleLen - int(capLen); pad > 3 {
		return nil, r.malformed(4, "packet %d: length of simple packet block: want %d for its packet, got %d", r.packets, total-pad&^3, total)
	}
	b, err := r.block(total, "")
	if err != nil {
		return nil, err
	}
	r.in.discard(total)
	r.link = ifc.link
	r.info = info{wire: wireLength(capLen, wireLen)}
	end := simpleLen + int(capLen)
	return b[simpleLen:end:end], nil
}

// checkCaptured checks a captured length, delta bytes after the reader's
// place, against MaxPacket and the room its block has.
func (r *Reader) checkCaptured(capLen uint32, room, delta int) error {
	if capLen > MaxPacket {
		return r.malformed(delta, "packet %d: captured length: want 0..%d, got %d", r.packets, MaxPacket, capLen)
	}
	if int(capLen) > room {
		return r.malformed(delta, "packet %d: captured length: want at most the %d bytes of its block, got %d", r.packets, room, capLen)
	}
	return nil
}

// named is what an error calls a block: its name, or with "" the current
// packet and its number (formatted only here, on the way to an error).
func (r *Reader) named(block string) string {
	if block == "" {
		return fmt.Sprintf("packet %d", r.packets)
	}
	return block
}
