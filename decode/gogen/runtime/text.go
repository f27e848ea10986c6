//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import (
	"hash/crc32"
	"unicode/utf16"
	"unicode/utf8"
)

// bytesAt is raw bytes that lie at any bit: a slice of the datagram where they lie on bytes, a copy in buf elsewhere.
func bytesAt(order uint8, data []byte, bit, size int, buf []byte) []byte {
	if bit%8 == 0 {
		return data[bit/8 : bit/8+size]
	}
	for i := range size {
		buf = append(buf, byte(load(order, data, bit+8*i, 8)))
	}
	return buf
}

// Each judge of text gives the text and why it is refused.

func judgeChar(b []byte) ([]byte, RejectKind) {
	text := len(b)
	for i, c := range b {
		if c == 0 && i < text {
			text = i
		} else if c != 0 && i > text {
			return nil, RejectBadString
		}
	}
	return b[:text], RejectNone
}

func judgeString(b []byte) ([]byte, RejectKind) {
	for _, c := range b {
		if c == 0 {
			return nil, RejectBadString
		}
	}
	if !utf8.Valid(b) {
		return nil, RejectBadString
	}
	return b, RejectNone
}

// judgeWide appends the units of a wstring as UTF-8.
func judgeWide(order uint8, data []byte, bit, size int, text []byte) ([]byte, RejectKind) {
	high := rune(0)
	for i := range size {
		u := rune(load(order, data, bit+32*i, 32))
		low := 0xdc00 <= u && u <= 0xdfff
		switch {
		case u <= 0 || u > 0xffff || low != (high != 0):
			return nil, RejectBadString
		case low:
			text = utf8.AppendRune(text, utf16.DecodeRune(high, u))
			high = 0
		case 0xd800 <= u && u <= 0xdbff:
			high = u
		default:
			text = utf8.AppendRune(text, u)
		}
	}
	if high != 0 {
		return nil, RejectBadString
	}
	return text, RejectNone
}

// until finds the NUL of a cstring of at most n bytes with it: the bytes before it, -1 after a refusal.
func (r *PacketReader) until(order uint8, data []byte, bit, end, n int, path string) int {
	for size := range n {
		at := bit + 8*size
		if end-at < 8 {
			return r.refuse(RejectPastEnd, bit, 8*size+8, path)
		}
		if load(order, data, at, 8) == 0 {
			return size
		}
	}
	return r.refuse(RejectBadString, bit, 8*n, path)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// noCRC stands in for the checksum's own bytes.
var noCRC [4]byte

// checksum is that of a packet whose field is at byte at: from that of the prefix on, the packet with the field's own bytes
// as zero, or only what follows the field.
func checksum(table *crc32.Table, sum uint32, overRest bool, data []byte, at int) uint64 {
	if !overRest {
		sum = crc32.Update(sum, table, data[:at])
		sum = crc32.Update(sum, table, noCRC[:])
	}
	return uint64(crc32.Update(sum, table, data[at+4:]))
}

// shortChecksum is a checksum of size bytes, which the standard library has not.
func shortChecksum(table *crc32.Table, sum, final uint32, size int, overRest bool, data []byte, at int) uint64 {
	sum ^= final
	if !overRest {
		sum = updateShort(table, sum, data[:at])
		sum = updateShort(table, sum, noCRC[:size])
	}
	return uint64(updateShort(table, sum, data[at+size:]) ^ final)
}

func updateShort(table *crc32.Table, sum uint32, data []byte) uint32 {
	for _, b := range data {
		sum = table[byte(sum)^b] ^ sum>>8
	}
	return sum
}
