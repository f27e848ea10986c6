package stats

import "encoding/binary"

// filter remembers which peers were left out (Bloom 1970): of those it says yes, and of one in a million others when
// 3,000 were left out, of one in twelve when 100,000 were. It is empty until the first, and merges by adding.
//
// Whoever chooses addresses can make it say yes of a peer. Then nothing is judged of that peer across the border of two
// parts, and it may be among the rest.
type filter struct {
	words []uint64 // nil or filterWords
}

const (
	filterWords = 8 << 10 // 64 KiB
	filterBits  = 64 * filterWords
	filterTimes = 4
	maxFilters  = 1024 // of a saved part: 64 MiB
)

// place is the nth bit of a hash.
func (f *filter) place(hash uint64, nth uint32) (word int, bit uint64) {
	at := (uint32(hash) + nth*(uint32(hash>>32)|1)) % filterBits
	return int(at / 64), 1 << (at % 64)
}

func (f *filter) add(hash uint64) {
	if f.words == nil {
		f.words = make([]uint64, filterWords)
	}
	for n := range uint32(filterTimes) {
		word, bit := f.place(hash, n)
		f.words[word] |= bit
	}
}

func (f *filter) has(hash uint64) bool {
	if f.words == nil {
		return false
	}
	for n := range uint32(filterTimes) {
		if word, bit := f.place(hash, n); f.words[word]&bit == 0 {
			return false
		}
	}
	return true
}

func (f *filter) merge(o *filter) {
	if o.words == nil {
		return
	}
	if f.words == nil {
		f.words = make([]uint64, filterWords)
	}
	for i, w := range o.words {
		f.words[i] |= w
	}
}

// code writes how many words follow, and each that is not 0 with how many are before it.
func (f *filter) code(c *coder) {
	n, from := 0, uint64(0)
	for _, w := range f.words {
		if w != 0 {
			n++
		}
	}
	n = c.length(n, filterWords, 9)
	if c.writing {
		for i, w := range f.words {
			if w == 0 {
				continue
			}
			gap := uint64(i) - from
			c.uint(&gap, filterWords)
			c.b = binary.LittleEndian.AppendUint64(c.b, w)
			from = uint64(i) + 1
		}
		return
	}
	if n > 0 { // 20 bytes can ask for one
		c.filters++
		c.check(c.filters <= maxFilters, "too many pieces of the saved part left out peers")
	}
	for range n {
		var gap uint64
		c.uint(&gap, filterWords)
		from += gap
		c.check(from < filterWords && len(c.b) >= 8, "the peers of the saved part that were left out cannot be read")
		if c.err != nil {
			return
		}
		if f.words == nil {
			f.words = make([]uint64, filterWords)
		}
		f.words[from] = binary.LittleEndian.Uint64(c.b)
		c.b = c.b[8:]
		from++
	}
}
