package wire

// LabelHash is the 32 bits that a check with a label puts on the wire: the one-at-a-time hash of the label in ASCII
// upper case, from 0 and without its final mixing (wire.md, "Checks and checksums").
func LabelHash(label string) uint32 {
	var h uint32
	for i := range len(label) {
		c := label[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		h += uint32(c)
		h += h << 10
		h ^= h >> 6
	}
	return h
}
