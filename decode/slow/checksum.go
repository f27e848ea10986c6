package slow

import (
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// The checksums, from their polynomials and one bit at a time (wire.md, "Checks and checksums").

// The polynomials with their bits reversed: both checksums take the lowest bit of each byte first.
const (
	polynomialCRC32  = 0xEDB88320 // CRC-32/ISO-HDLC, the one of zlib
	polynomialCRC32C = 0x82F63B78 // CRC-32/ISCSI, Castagnoli's
)

// Checksum is the CRC-32 of data, or its CRC-32C.
func Checksum(castagnoli bool, data []byte) uint32 {
	polynomial, c := uint32(polynomialCRC32), ^uint32(0)
	if castagnoli {
		polynomial = polynomialCRC32C
	}
	for _, b := range data {
		c ^= uint32(b)
		for range 8 {
			lowest := c & 1
			c >>= 1
			if lowest == 1 {
				c ^= polynomial
			}
		}
	}
	return ^c
}

// checksum reads a crc field, which stands on a byte, and compares it at once: nothing behind it is believed before.
func (w *walk) checksum(f frame, t *schema.ChecksumType) bool {
	n, ok := w.code(f, 32, false)
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
		covered = append(covered, 0, 0, 0, 0)
		covered = append(covered, w.data[w.bit/8:]...)
	}
	if uint64(Checksum(t.Castagnoli, covered)) != n.raw {
		return w.refuse(f, reject.CRCMismatch, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return true
}
