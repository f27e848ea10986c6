package slow

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// The checksums, from their polynomials and one bit at a time (wire.md, "Checks and checksums").

// checksums are the algorithms by their words. All take the lowest bit of each byte first, so the bits of a polynomial
// are reversed.
var checksums = map[string]struct {
	width                      int
	polynomial, initial, final uint32
}{
	"crc32":        {32, 0xEDB88320, 0xFFFFFFFF, 0xFFFFFFFF}, // CRC-32/ISO-HDLC, the one of zlib
	"crc32c":       {32, 0x82F63B78, 0xFFFFFFFF, 0xFFFFFFFF}, // CRC-32/ISCSI, Castagnoli's
	"crc16_modbus": {16, 0xA001, 0xFFFF, 0},                  // CRC-16/MODBUS
}

// Checksum is a checksum of data, by its word in the language, and its number of bits.
func Checksum(word string, data []byte) (sum uint32, width int) {
	a, ok := checksums[word]
	if !ok {
		panic(fmt.Sprintf("pktscope: internal error: slow: unknown checksum %q", word))
	}
	c := a.initial
	for _, b := range data {
		c ^= uint32(b)
		for range 8 {
			lowest := c & 1
			c >>= 1
			if lowest == 1 {
				c ^= a.polynomial
			}
		}
	}
	return c ^ a.final, a.width
}

// checksum reads a crc field, which stands on a byte, and compares it at once: nothing behind it is believed before.
func (w *walk) checksum(f frame, t *schema.ChecksumType) bool {
	width := checksums[t.Algorithm.Name].width
	n, ok := w.code(f, width, false)
	if !ok {
		return false
	}
	var covered []byte
	if t.HasPrefix {
		for i := range t.PrefixWidth / 8 {
			at := 8 * i
			if t.PrefixBE {
				at = t.PrefixWidth - 8 - at
			}
			covered = append(covered, byte(t.Prefix>>at))
		}
	}
	if t.OverRest {
		covered = append(covered, w.data[w.bit/8:]...)
	} else {
		covered = append(covered, w.data[:n.bit/8]...)
		covered = append(covered, make([]byte, width/8)...)
		covered = append(covered, w.data[w.bit/8:]...)
	}
	if sum, _ := Checksum(t.Algorithm.Name, covered); uint64(sum) != n.raw {
		return w.refuse(f, reject.CRCMismatch, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return true
}
