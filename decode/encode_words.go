package decode

import (
	"encoding/binary"
	"slices"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Known codes of a run are written in the words in which a decoder reads them: up to four leaves are judged and put
// together before anything is stored.

// writtenWords are the words of each run, by its first leaf. Those with a leaf that wants more than its code are
// marked: such a leaf is judged further, or nobody says its code, or it sizes a window.
func writtenWords(d *Decoder, leaves []runLeaf) [][]ops.Word {
	words := make([][]ops.Word, len(leaves))
	for i := range d.program.Ops {
		op := &d.program.Ops[i]
		if op.Code != ops.OpRun {
			continue
		}
		run := slices.Clone(d.program.Runs[op.Imm].Words)
		rest := leaves[op.A:][:op.B]
		for k := range run {
			n := int(run[k].N)
			if slices.ContainsFunc(rest[:n], func(l runLeaf) bool { return l.asks != asksCode || l.sizes || l.count == 0 }) {
				run[k].Flags |= ops.WordApart
			}
			run[k].Flags &^= ops.WordWide
			rest = rest[n:]
		}
		words[op.A] = run
	}
	return words
}

// bitWriter is a word of bits on its way into data, so that no store waits for the one before, whose bytes it would
// read again. It is where bits 8·to+fill of data are.
type bitWriter struct {
	word uint64
	to   int
	fill uint // bits of word; fewer than 64
	// Of the codes of a run: how many are done, and the word of the run that is next.
	done, next int
}

// bitWriter begins with what is in the byte that the next bit goes into.
func (w *writer) bitWriter(order wire.Order) bitWriter {
	b := bitWriter{to: w.bit / 8, fill: uint(w.bit) % 8, word: uint64(w.data[w.bit/8])}
	if order == wire.MSB {
		b.word <<= 56
	}
	return b
}

// put appends the n low bits of code, n up to 64; the others are zero.
func (b *bitWriter) put(data []byte, code uint64, n uint, order wire.Order) {
	at := b.fill & 63 // so that a shift needs no test
	b.fill += n
	if order == wire.MSB {
		b.word |= code << (64 - n) >> at
		if b.fill >= 64 {
			binary.BigEndian.PutUint64(data[b.to:], b.word)
			b.to, b.fill = b.to+8, b.fill-64
			b.word = code << (64 - b.fill)
		}
		return
	}
	b.word |= code << at
	if b.fill >= 64 {
		binary.LittleEndian.PutUint64(data[b.to:], b.word)
		b.to, b.fill = b.to+8, b.fill-64
		b.word = code >> (n - b.fill)
	}
}

// flush stores what is in the word.
func (b *bitWriter) flush(data []byte, order wire.Order) {
	if order == wire.MSB {
		binary.BigEndian.PutUint64(data[b.to:], b.word)
	} else {
		binary.LittleEndian.PutUint64(data[b.to:], b.word)
	}
}

// The hot loops put known codes word by word, and into raw, element after element, up to the end or to a word that
// needs a further look. A leaf after another, without a loop, as in run_words.go.

func (b *bitWriter) putKnown(data []byte, words []ops.Word, known, raw []uint64, order wire.Order) {
	if order == wire.MSB {
		b.putMSB(data, words, known, raw)
	} else {
		b.putLSB(data, words, known, raw)
	}
}

func (b *bitWriter) putLSB(data []byte, words []ops.Word, known, raw []uint64) {
	word, to, fill := b.word, b.to, b.fill
	done, next := b.done, b.next
	raw = raw[:len(known)]
out:
	for done < len(known) {
		for ; next < len(words); next++ {
			w := &words[next]
			code := known[done]
			raw[done] = code
			if code-w.Lo[0] > w.Span[0] {
				break out
			}
			i, bits := done+1, code<<(w.Shift[0]&63)
			if w.N > 1 {
				code = known[i]
				raw[i] = code
				if code-w.Lo[1] > w.Span[1] {
					break out
				}
				bits |= code << (w.Shift[1] & 63)
				i++
				if w.N > 2 {
					code = known[i]
					raw[i] = code
					if code-w.Lo[2] > w.Span[2] {
						break out
					}
					bits |= code << (w.Shift[2] & 63)
					i++
					if w.N > 3 {
						code = known[i]
						raw[i] = code
						if code-w.Lo[3] > w.Span[3] {
							break out
						}
						bits |= code << (w.Shift[3] & 63)
						i++
					}
				}
			}
			if w.Flags != 0 {
				if w.Flags&ops.WordApart != 0 {
					break out
				}
				bits = w.Turn(bits)
			}
			at := fill & 63 // so that a shift needs no test
			word |= bits << at
			if fill += uint(w.Bits); fill >= 64 {
				binary.LittleEndian.PutUint64(data[to:], word)
				to, fill = to+8, fill-64
				word = bits >> 1 >> (63 - at)
			}
			done = i
		}
		next = 0
	}
	b.word, b.to, b.fill, b.done, b.next = word, to, fill, done, next
}

func (b *bitWriter) putMSB(data []byte, words []ops.Word, known, raw []uint64) {
	word, to, fill := b.word, b.to, b.fill
	done, next := b.done, b.next
	raw = raw[:len(known)]
out:
	for done < len(known) {
		for ; next < len(words); next++ {
			w := &words[next]
			code := known[done]
			raw[done] = code
			if code-w.Lo[0] > w.Span[0] {
				break out
			}
			i, bits := done+1, code<<(w.Shift[0]&63)
			if w.N > 1 {
				code = known[i]
				raw[i] = code
				if code-w.Lo[1] > w.Span[1] {
					break out
				}
				bits |= code << (w.Shift[1] & 63)
				i++
				if w.N > 2 {
					code = known[i]
					raw[i] = code
					if code-w.Lo[2] > w.Span[2] {
						break out
					}
					bits |= code << (w.Shift[2] & 63)
					i++
					if w.N > 3 {
						code = known[i]
						raw[i] = code
						if code-w.Lo[3] > w.Span[3] {
							break out
						}
						bits |= code << (w.Shift[3] & 63)
						i++
					}
				}
			}
			if w.Flags != 0 {
				if w.Flags&ops.WordApart != 0 {
					break out
				}
				bits = w.Turn(bits)
			}
			at := fill & 63 // so that a shift needs no test
			word |= bits >> at
			if fill += uint(w.Bits); fill >= 64 {
				binary.BigEndian.PutUint64(data[to:], word)
				to, fill = to+8, fill-64
				word = bits << 1 << (63 - at)
			}
			done = i
		}
		next = 0
	}
	b.word, b.to, b.fill, b.done, b.next = word, to, fill, done, next
}

// runInWords writes leaves one after the other.
func (w *writer) runInWords(s *plan.Run, n int, known []uint64) error {
	t, width := w.t, n*int(s.Bits)
	w.room(width)
	t.Raw = slices.Grow(t.Raw, n*s.N)
	bits := w.bitWriter(s.Order)
	if known != nil {
		bits.putKnown(w.data, w.layouts[s.First], known, t.Raw[len(t.Raw):cap(t.Raw)], s.Order)
	}
	if bits.done < n*s.N {
		if err := w.runPieces(s, n, &bits, known); err != nil {
			return err
		}
	} else if n == 1 {
		w.addRecord(len(t.Raw), s.N)
		t.Raw = t.Raw[:len(t.Raw)+s.N]
	} else {
		w.spans(n, uint32(s.N), s.Bits)
		w.index, t.Raw = w.index+uint32(n-1), t.Raw[:len(t.Raw)+n*s.N]
	}
	bits.flush(w.data, s.Order)
	w.bit = 8*bits.to + int(bits.fill)
	return nil
}

// runPieces writes what the hot loops leave, element by element: what is asked and what is refused is in the element
// that the trace has come to.
func (w *writer) runPieces(s *plan.Run, n int, b *bitWriter, known []uint64) error {
	t, words := w.t, w.layouts[s.First]
	start, first, index := w.bit, len(t.Raw), w.index
	raw := t.Raw[first:][:n*s.N]
	for e := 0; ; {
		for ; e < b.done/s.N; e++ {
			w.bit, w.index, t.Raw = start+e*int(s.Bits), index+uint32(e), t.Raw[:first+e*s.N]
			w.addRecord(len(t.Raw), s.N)
		}
		if e == n {
			t.Raw = t.Raw[:first+len(raw)]
			return nil
		}
		w.index, t.Raw = index+uint32(e), t.Raw[:first+b.done]
		if err := w.word(s, b, words[b.next].N, b.done-e*s.N, known); err != nil {
			return err
		}
		if b.next++; b.next == len(words) {
			b.next = 0
		}
		if known != nil {
			b.putKnown(w.data, words, known, raw, s.Order)
		}
	}
}

// word writes the n leaves of a word, from that with number i of a run on, as each of them wants.
func (w *writer) word(s *plan.Run, b *bitWriter, n uint8, i int, known []uint64) error {
	t := w.t
	for range n {
		l := &w.leaves[s.First+i]
		w.bit = 8*b.to + int(b.fill)
		code, err := w.runCode(s.First+i, l, known, b.done)
		if err != nil {
			return err
		}
		t.Raw = append(t.Raw, code)
		if l.swap {
			code = wire.SwapBytes(code, int(l.width))
		}
		b.put(w.data, code, uint(l.width), s.Order)
		b.done++
		i++
	}
	return nil
}
