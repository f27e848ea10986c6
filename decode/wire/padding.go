package wire

import "math/bits"

// FirstSet returns the position of the first set bit of the n at position bit, or -1; the caller owes that they lie in
// data. Of padding it is the bit that a reader reports. In order bousk positions run as in msb: it is only values that
// do not.
func (o Order) FirstSet(data []byte, bit, n int) int {
	for last := bit + n; bit < last; {
		width := min(64, last-bit)
		if o == LSB {
			if v := LoadLSB(data, bit, width); v != 0 {
				return bit + bits.TrailingZeros64(v)
			}
		} else if v := LoadMSB(data, bit, width); v != 0 {
			return bit + width - bits.Len64(v)
		}
		bit += width
	}
	return -1
}
