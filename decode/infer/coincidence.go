package infer

import (
	"math/bits"

	"github.com/pktscope/pktscope/decode/wire"
)

// What fits a checksum by how the packets are made, and is none.

// fingerprint is linear, so that what is independent is so in 64 bits, too.
var fingerprint = wire.NewCRC(64, 0x42F0E1EBA9EA3693, 0, false, false, 0)

// basis is that of some words over one bit: none is the xor of others.
type basis struct {
	words [64]uint64
	rank  int
}

// add takes a word, unless it is the xor of some that it has.
func (b *basis) add(x uint64) {
	for x != 0 {
		top := bits.Len64(x) - 1
		if b.words[top] == 0 {
			b.words[top] = x
			b.rank++
			return
		}
		x ^= b.words[top]
	}
}

// maxCopied is how many bytes of a packet are looked at for copies.
const maxCopied = 64

// copied reports whether each byte of the checksum stands elsewhere in the packets that fit, too, always at one place: of
// bytes that are said twice, the xor is what is said once.
func (k *Checksum) copied(r rows) bool {
	size := k.Algorithm.Width / 8
	var places [8]uint64
	for b := range places {
		places[b] = ^uint64(0)
	}
	for i := range r {
		data := r[i].raw()
		at, _, _, ok := k.place().find(data)
		if !ok || !k.Fits(data) {
			continue
		}
		for b := range size {
			for j := range maxCopied {
				if j >= len(data) || j >= at && j < at+size || data[j] != data[at+b] {
					places[b] &^= 1 << j
				}
			}
			if places[b] == 0 {
				return false
			}
		}
	}
	return true
}
