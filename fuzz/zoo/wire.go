package zoo

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strconv"
	"unicode/utf8"
)

// order is how bits fill bytes.
type order uint8

const (
	lsb order = iota
	msb
	bousk
)

// wire is the bit reader that the animals are written with, in the style of the articles: a read past the end gives
// zero and sets a flag that stays. It is written for the zoo and shares nothing with the decoder that judges it.
type wire struct {
	data    []byte
	pos     int // bits
	end     int // bits
	order   order
	mistake mistake
	failed  bool // a read went past the end
	values  []Value
	kept    []uint64 // from packet to packet
	cost    int
	memory  int
	loose   bool
}

func (w *wire) begin(payload []byte, loose bool) {
	w.data = slices.Clip(payload) // a read outside must be seen
	w.pos, w.end, w.failed, w.loose = 0, 8*len(payload), false, loose
	w.values, w.cost, w.memory = w.values[:0], 0, 0
}

// makes reports whether the reader makes this mistake. It is where twins differ.
func (w *wire) makes(m mistake) bool { return w.mistake == m }

// work counts, and stops what does not end.
func (w *wire) work(units int) {
	if w.cost += units; w.cost > StepLimit && !w.loose {
		panic(Hung)
	}
}

// reserve counts memory that is asked for before it is filled, and stops what would not fit.
func (w *wire) reserve(bytes int) {
	if w.memory += bytes; w.memory > ByteLimit && !w.loose {
		panic(Exhausted)
	}
}

// bits reads n bits, 0..64: zero past the end.
func (w *wire) bits(n int) uint64 {
	w.work(1)
	if w.failed || n > w.end-w.pos {
		w.failed, w.pos = true, w.end
		return 0
	}
	var v uint64
	switch w.order {
	case lsb:
		v = w.words(n)
	case msb:
		v = w.high(n)
	default:
		v = w.groups(n)
	}
	return v
}

// words reads in order lsb, by words of 32 bits.
func (w *wire) words(n int) uint64 {
	var v uint64
	for got := 0; got < n; {
		first := w.pos % 32
		take := min(n-got, 32-first)
		v |= uint64(w.word(w.pos/32)>>first) & (1<<take - 1) << got
		got += take
		w.pos += take
	}
	return v
}

// word is word i of the packet; the last may be short.
func (w *wire) word(i int) uint32 {
	b := w.data[4*i:]
	if len(b) >= 4 {
		return binary.LittleEndian.Uint32(b)
	}
	var word uint32
	for k, c := range b {
		if w.makes(lastWordOrder) {
			word = word<<8 | uint32(c)
		} else {
			word |= uint32(c) << (8 * k)
		}
	}
	return word
}

// high reads in order msb, by bytes.
func (w *wire) high(n int) uint64 {
	var v uint64
	for n > 0 {
		free := 8 - w.pos%8
		take := min(n, free)
		piece := uint64(w.data[w.pos/8]) >> (free - take) & (1<<take - 1)
		v = v<<take | piece
		w.pos += take
		n -= take
	}
	return v
}

// groups reads in order bousk: eight bits of the value at a time, the lowest first; of a group that meets the end of a
// byte the low bits come first.
func (w *wire) groups(n int) uint64 {
	var v uint64
	for shift := 0; shift < n; shift += 8 {
		size, free := min(8, n-shift), 8-w.pos%8
		group := w.high(min(size, free))
		if size > free {
			group |= w.high(size-free) << free
		}
		v |= group << shift
	}
	return v
}

// align skips to the next byte; false when what it skips is not zero, or not there.
func (w *wire) align() bool {
	return w.bits(-w.pos&7) == 0 && !w.failed
}

// take gives the next n whole bytes; the position must be on one.
func (w *wire) take(n int) []byte {
	w.work(1)
	if w.failed || 8*n > w.end-w.pos {
		w.failed, w.pos = true, w.end
		return nil
	}
	at := w.pos / 8
	w.pos += 8 * n
	return w.data[at : at+n]
}

// finish judges the end of the packet: nothing was missing, and no whole byte is left.
func (w *wire) finish() bool { return !w.failed && w.end-w.pos < 8 }

// put records a value.
func (w *wire) put(path string, v uint64) { w.values = append(w.values, Value{Path: path, Number: v}) }

func (w *wire) putText(path string, text []byte) {
	w.values = append(w.values, Value{Path: path, Text: string(text)})
}

// number reads a value of n bits and records it.
func (w *wire) number(path string, n int) uint64 {
	v := w.bits(n)
	w.put(path, v)
	return v
}

// below reads a value of n bits that has at most so much, and records it; false when it has more, or is not there.
func (w *wire) below(path string, n int, most uint64) (uint64, bool) {
	v := w.number(path, n)
	return v, v <= most && !w.failed
}

// signed extends the sign of n bits.
func signed(v uint64, n int) uint64 { return uint64(int64(v<<(64-n)) >> (64 - n)) }

// element is the path of element i.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// checksum is that of a packet whose first four bytes hold it. The protocol's id goes first, if there is one, and is
// never sent.
func checksum(data []byte, id ...uint32) uint32 {
	var sum uint32
	for _, v := range id {
		sum = crc32.Update(sum, crc32.IEEETable, binary.LittleEndian.AppendUint32(nil, v))
	}
	sum = crc32.Update(sum, crc32.IEEETable, make([]byte, 4))
	return crc32.Update(sum, crc32.IEEETable, data[4:])
}

// badText says what is wrong with text.
func badText(text []byte) (nul, notUTF8 bool) {
	return slices.Contains(text, 0), !utf8.Valid(text)
}
