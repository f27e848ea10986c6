package infer

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// Cover is what a checksum covers, in the words of the language.
type Cover uint8

// The covers that are tried.
const (
	CoverAll    Cover = iota // the datagram, with the checksum as zeros
	CoverRest                // what is after the checksum
	CoverBefore              // what is before it
	covers
)

// coverWords are what a schema says of each, with a blank where a word follows.
var coverWords = [covers]string{"", "over rest", "over before"}

// Checksum is one that was found. All packets but Forged have it.
type Checksum struct {
	Algorithm *wire.Algorithm
	At        int  // the byte where it is; below 0, so many bytes before the end
	Big       bool // its highest byte comes first
	Cover     Cover
	// Prefix and Suffix are bytes that both ends know and that are never sent, as numbers whose lowest byte comes first, of
	// PrefixBytes and SuffixBytes.
	Prefix, Suffix           uint64
	PrefixBytes, SuffixBytes int
	Match, Of                int // packets of the sample that it fits
}

// Limits of the search.
const (
	maxPairs    = 96
	firstPairs  = 12  // that say whether the others are looked at
	maxOffset   = 16  // bytes before a checksum
	maxSummed   = 512 // bytes of a packet in a pair
	sumBits     = 160 // that match, for a checksum that is no CRC
	proofBits   = 96  // that match in differences none of which follows from the others
	judgePacket = 400
)

// crcFamily are the CRCs of one polynomial and direction: they differ in what they begin with and are xor'ed to.
type crcFamily struct {
	linear  *wire.TableCRC // begins with 0, and nothing is xor'ed
	members []*wire.Algorithm
}

// families are the CRCs of the language, and apart from them its other sums.
func families() (crcs []*crcFamily, sums []*wire.Algorithm) {
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		if a.Polynomial == 0 {
			sums = append(sums, a)
			continue
		}
		var same *crcFamily
		for _, f := range crcs {
			if m := f.members[0]; m.Width == a.Width && m.Polynomial == a.Polynomial && m.RefIn == a.RefIn && m.RefOut == a.RefOut {
				same = f
			}
		}
		if same == nil {
			same = &crcFamily{linear: wire.NewCRC(a.Width, a.Polynomial, 0, a.RefIn, a.RefOut, 0)}
			crcs = append(crcs, same)
		}
		same.members = append(same.members, a)
	}
	return crcs, sums
}

// place is where a checksum might be and what it covers.
type place struct {
	at, size int
	cover    Cover
}

// find has the bytes of a packet that the checksum is in and covers; ok is false where the packet is too short.
func (p place) find(data []byte) (at, from, to int, ok bool) {
	at = p.at
	if at < 0 {
		at += len(data)
	}
	if at < 0 || at+p.size > len(data) {
		return 0, 0, 0, false
	}
	switch p.cover {
	case CoverRest:
		return at, at + p.size, len(data), true
	case CoverBefore:
		return at, 0, at, true
	default:
		return at, 0, len(data), true
	}
}

// places are all that are tried for a checksum of some bytes.
func places(size int) []place {
	out := []place{{-size, size, CoverBefore}, {-size, size, CoverAll}}
	for at := 0; at <= maxOffset; at++ {
		out = append(out, place{at, size, CoverAll}, place{at, size, CoverRest})
		if at > 0 {
			out = append(out, place{at, size, CoverBefore})
		}
	}
	return out
}

func number(data []byte, size int, big bool) uint64 {
	var word [8]byte
	if big {
		copy(word[8-size:], data[:size])
		return binary.BigEndian.Uint64(word[:])
	}
	copy(word[:], data[:size])
	return binary.LittleEndian.Uint64(word[:])
}

// raw is the datagram of a row.
func (r *row) raw() []byte { return r.data[:r.size] }

// findChecksum looks for a checksum in packets: a pair of equal length whose difference fits a CRC that begins with zero
// fits it whatever it begins with, and whatever is never sent. It is decided by how many pairs match, not by their share:
// three matches of 32 bits are no accident, however many packets are forged.
func findChecksum(r rows) *Checksum {
	pairs := pairsOf(r)
	crcs, sums := families()
	var best *Checksum
	for _, f := range crcs {
		size := f.members[0].Width / 8
		need := max(3, 80/f.members[0].Width)
		for _, p := range places(size) {
			for _, big := range [2]bool{false, true} {
				if big && size == 1 {
					continue
				}
				for _, behind := range [5]int{0, 1, 2, 4, 8} {
					if f.matches(pairs, p, big, behind, need) < need {
						continue
					}
					if k := f.settle(r, p, big, behind); k != nil && k.better(best) {
						best = k
					}
				}
			}
		}
	}
	if best != nil {
		return best
	}
	for _, a := range sums {
		for _, p := range places(a.Width / 8) {
			for _, big := range [2]bool{false, true} {
				k := &Checksum{Algorithm: a, At: p.at, Big: big, Cover: p.cover}
				if k.judge(r, 16); k.Match < 12 {
					continue
				}
				if k.judge(r, judgePacket); k.Match*a.Width >= sumBits && k.Match*10 >= k.Of*9 && k.varied(r) && k.better(best) && !k.copied(r) {
					best = k
				}
			}
		}
	}
	return best
}

// better prefers what fits more packets, then what says nothing of unsent bytes, then the larger checksum.
func (k *Checksum) better(than *Checksum) bool {
	if than == nil {
		return true
	}
	if d := k.Match - than.Match; d*50 > than.Match || -d*50 > than.Match {
		return d > 0
	}
	if a, b := k.PrefixBytes+k.SuffixBytes, than.PrefixBytes+than.SuffixBytes; a != b {
		return a < b
	}
	return k.Algorithm.Width > than.Algorithm.Width
}

// pairsOf pairs packets with the next ones of their length.
func pairsOf(r rows) (pairs [][2][]byte) {
	last := map[int]int{}
	stride := max(1, len(r)/4000)
	for i := 0; i < len(r) && len(pairs) < maxPairs; i += stride {
		n := r[i].size
		if n > maxSummed {
			continue
		}
		if j, ok := last[n]; ok {
			if string(r[i].raw()) != string(r[j].raw()) {
				pairs = append(pairs, [2][]byte{r[j].raw(), r[i].raw()})
			}
		}
		last[n] = i
	}
	return pairs
}

// matches counts pairs whose difference is that of the CRC, with some zero bytes after what is covered; it gives up
// where the first ones have none.
func (f *crcFamily) matches(pairs [][2][]byte, p place, big bool, behind, need int) int {
	n := 0
	var independent basis // differences that follow from others, such as those of a counter, prove nothing
	var diff [maxSummed]byte
	for i, pair := range pairs {
		if i == firstPairs && n == 0 {
			break
		}
		at, from, to, ok := p.find(pair[0])
		if !ok || to == from {
			continue
		}
		d := diff[:len(pair[0])]
		for j := range d {
			d[j] = pair[0][j] ^ pair[1][j]
		}
		got := number(d[at:], p.size, big)
		if got == 0 {
			continue
		}
		clear(d[at : at+p.size])
		s := f.linear.Bytes(f.linear.Begin(), d[from:to])
		for range behind {
			s = f.linear.Byte(s, 0)
		}
		if f.linear.End(s) != got {
			continue
		}
		n++
		independent.add(fingerprint.End(fingerprint.Bytes(fingerprint.Begin(), d[from:to])))
	}
	if independent.rank < max(3, proofBits/f.members[0].Width) {
		return 0
	}
	return n
}

// settle finds which CRC of the family it is: one with what begins it as the catalogue has it, else one after bytes, or
// with bytes after, that are never sent.
func (f *crcFamily) settle(r rows, p place, big bool, behind int) *Checksum {
	var best *Checksum
	consider := func(k *Checksum) {
		if k.judge(r, judgePacket); k.Match >= 3 && k.Match*10 >= k.Of*3 && k.better(best) && !k.copied(r) {
			best = k
		}
	}
	for _, a := range f.members {
		k := Checksum{Algorithm: a, At: p.at, Big: big, Cover: p.cover}
		if behind == 0 {
			consider(&k)
			continue
		}
		k.SuffixBytes = behind
		k.solve(r, &k.Suffix, consider)
	}
	if best != nil || behind > 0 {
		return best
	}
	for _, a := range f.members {
		k := Checksum{Algorithm: a, At: p.at, Big: big, Cover: p.cover, PrefixBytes: 4}
		switch {
		case a.Width > 32:
			k.PrefixBytes = 8
		case a.Width <= 16:
			k.PrefixBytes = a.Width / 8
		}
		k.solve(r, &k.Prefix, consider)
	}
	return best
}

// solve finds what the unsent bytes are, from a packet and then another, until one fits most: a checksum is linear in
// their bits.
func (k *Checksum) solve(r rows, unsent *uint64, consider func(*Checksum)) {
	width := 8 * max(k.PrefixBytes, k.SuffixBytes)
	tried := 0
	for i := 0; i < len(r) && tried < 5; i += max(1, len(r)/5) {
		want, ok := k.number(r[i].raw())
		if !ok {
			continue
		}
		tried++
		*unsent = 0
		zero := k.compute(r[i].raw())
		var basis, names [64]uint64
		for b := range width {
			*unsent = 1 << b
			v, name := k.compute(r[i].raw())^zero, uint64(1)<<b
			for v != 0 {
				top := bits.Len64(v) - 1
				if basis[top] == 0 {
					basis[top], names[top] = v, name
					break
				}
				v, name = v^basis[top], name^names[top]
			}
		}
		left, solution := want^zero, uint64(0)
		for left != 0 {
			top := bits.Len64(left) - 1
			if basis[top] == 0 {
				break
			}
			left, solution = left^basis[top], solution^names[top]
		}
		if left != 0 {
			continue
		}
		*unsent = solution
		one := *k
		consider(&one)
	}
}

func (k *Checksum) place() place { return place{k.At, k.Algorithm.Width / 8, k.Cover} }

// number is the checksum that a packet has.
func (k *Checksum) number(data []byte) (uint64, bool) {
	at, from, to, ok := k.place().find(data)
	if !ok || from == to {
		return 0, false
	}
	return number(data[at:], k.Algorithm.Width/8, k.Big), true
}

// compute is the checksum that a packet ought to have.
func (k *Checksum) compute(data []byte) uint64 {
	at, from, to, _ := k.place().find(data)
	c := k.Algorithm.Summer()
	s := wire.SumValue(c, c.Begin(), k.Prefix, k.PrefixBytes, false)
	s = wire.SumCovered(c, s, data, from, to, at, k.Algorithm.Width/8)
	return c.End(wire.SumValue(c, s, k.Suffix, k.SuffixBytes, false))
}

// Fits reports whether a packet has the checksum.
func (k *Checksum) Fits(data []byte) bool {
	got, ok := k.number(data)
	return ok && k.Algorithm.Summer().Same(k.compute(data), got)
}

// judge counts the packets that have it, of n or so.
func (k *Checksum) judge(r rows, n int) {
	k.Match, k.Of = 0, 0
	for i := 0; i < len(r); i += max(1, len(r)/n) {
		k.Of++
		if k.Fits(r[i].raw()) {
			k.Match++
		}
	}
}

// varied reports whether the checksum has many values: a byte that is always 0 fits much.
func (k *Checksum) varied(r rows) bool {
	seen := map[uint64]bool{}
	for i := 0; i < len(r) && len(seen) < 8; i++ {
		if v, ok := k.number(r[i].raw()); ok {
			seen[v] = true
		}
	}
	return len(seen) >= 8
}

// Type is the checksum as the type of a field.
func (k *Checksum) Type(order wire.Order) string {
	var options []string
	if k.PrefixBytes > 0 {
		options = append(options, unsent("prefix", k.Prefix, k.PrefixBytes))
	}
	if k.SuffixBytes > 0 {
		options = append(options, unsent("suffix", k.Suffix, k.SuffixBytes))
	}
	if k.Cover != CoverAll {
		options = append(options, coverWords[k.Cover])
	}
	text := k.Algorithm.Name
	if len(options) > 0 {
		text += "(" + strings.Join(options, ", ") + ")"
	}
	if k.Algorithm.Width > 8 && k.Big != (order == wire.MSB) {
		if k.Big {
			return text + " be"
		}
		return text + " le"
	}
	return text
}

// unsent is an option of a checksum: numbers of 1, 2, 4 or 8 bytes that are lowest byte first.
func unsent(word string, v uint64, size int) string {
	return fmt.Sprintf("%s %#x : uint%d", word, v, 8*size)
}

// String says where it is and what it covers.
func (k *Checksum) String() string {
	where := fmt.Sprintf("%d bytes at byte %d", k.Algorithm.Width/8, k.At)
	if k.At < 0 {
		where = fmt.Sprintf("the last %d bytes", k.Algorithm.Width/8)
	}
	text := k.Algorithm.Name + ", " + where
	if w := coverWords[k.Cover]; w != "" {
		text += ", " + w
	}
	if k.PrefixBytes > 0 {
		text += fmt.Sprintf(", after %#0*x, which is never sent", 2*k.PrefixBytes, k.Prefix)
	}
	if k.SuffixBytes > 0 {
		text += fmt.Sprintf(", with %#0*x after, which is never sent", 2*k.SuffixBytes, k.Suffix)
	}
	return text
}

// FindChecksum looks for a checksum in the packets of a sample; nil if there is none.
func FindChecksum(s *Sample) *Checksum { return findChecksum(s.rows) }
