package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// A run is written as 64-bit words, put together in registers with constant shifts. Where the run begins inside a byte
// that is only known on the way, each word is shifted once, by a variable.

// part of what is written as words: a field, or with no width what is done between two of them.
type part struct {
	emit       func()
	code       string
	off, width int
}

// wellFilled is how many bytes a word has at least that ends before a field that does not fit. One that would have less gets
// a part of the field: it costs less to put a field into two words than to have more words.
const wellFilled = 5

// layOut is the bytes at which the words of a run begin. Where the run begins inside a byte that is only known on the way,
// a word is shifted by up to seven bits, so 57 are of use. What a word has in the first byte of the next is written with
// that: seven bits of its own and seven of the shift at most, so that none of a word before it are left there.
func layOut(fields []part, phase int) (starts []int, usable int) {
	usable = aligned
	if phase < 0 {
		usable = unaligned
	}
	starts = []int{0}
	for i := range fields {
		off, width := max(phase, 0)+fields[i].off, fields[i].width
		for {
			a := starts[len(starts)-1]
			if off+width <= 8*a+usable {
				break
			}
			next := a + usable/8
			if phase < 0 && width <= unaligned-7 && off/8 >= a+wellFilled {
				next = off / 8
			}
			starts = append(starts, next)
		}
	}
	return starts, usable
}

// words64 puts codes into words and stores each as soon as it is whole: few codes are held at a time.
func (f *function) words64(id plan.StepID, fields []part, bits int, order wire.Order) {
	if bits == 0 {
		for i := range fields {
			fields[i].emit()
		}
		return
	}
	starts, usable := layOut(fields, f.phase)
	n := len(starts)
	parts := make([][]string, n)
	put := "binary.LittleEndian.PutUint"
	had, left, back := "uint64(d%d[0])&before[%s]", "<<", -1
	if order == wire.MSB {
		put = "binary.BigEndian.PutUint"
		had, left, back = "uint64(d%d[0])<<56&^(^uint64(0)>>(%s&63))", ">>", 1
	}
	// The last word is stored as the bytes that it has where these are a number, and in order lsb: there the compiler knows
	// which are zero, and would store each of those alone.
	size, narrow := starts[n-1]+8, false
	if bytes := (f.phase+bits+7)/8 - starts[n-1]; f.phase >= 0 && bytes < 8 && (order == wire.LSB || bytes&(bytes-1) == 0) {
		size, narrow = starts[n-1]+bytes, true
	}
	f.p("p%d := uint(bit) >> 3", id)
	f.makeRoom(id, bits, size)
	f.p("d%d := %s", id, arrayAt("b", id, size))
	shift := fmt.Sprint(max(f.phase, 0))
	if f.phase < 0 {
		f.p("k%d := uint(bit) & 7", id)
		shift = fmt.Sprintf("k%d", id)
	}
	cut := make([]bool, n) // the last field of the word goes on in the next
	store := func(j int) {
		text := strings.Join(parts[j], " | ")
		word := fmt.Sprintf("w%d_%d", id, j)
		switch {
		case f.phase < 0 && order == wire.LSB && !cut[j]:
			// Nothing is shifted out. Of a shift the compiler would know which bytes stay zero, and store each alone.
			f.p("%s := bits.RotateLeft64(%s, int(k%d))", word, text, id)
			text = word
		case f.phase < 0:
			f.p("%s := (%s)%s(%s&63)", word, text, left, shift)
			text = word
		}
		if j == 0 && f.phase != 0 {
			text += " | " + fmt.Sprintf(had, id, shift)
		} else if f.phase < 0 {
			text += " | " + shifted(fmt.Sprintf("w%d_%d", id, j-1), back*8*(starts[j]-starts[j-1])) // of codes alone: no word waits for another
		}
		if narrow && j == n-1 {
			f.storeBytes(fmt.Sprintf("d%d", id), starts[j], size-starts[j], word, text, order)
			return
		}
		f.p("%s64(d%d[%d:], %s)", put, id, starts[j], text)
	}
	done, at := 0, 0
	for i := range fields {
		fields[i].emit()
		code, width := fields[i].code, fields[i].width
		if width == 0 {
			continue
		}
		off := max(f.phase, 0) + fields[i].off
		for ; at+1 < n && 8*starts[at+1] <= off; at++ {
		}
		for j := at; j < n; j++ { // bits beyond a word are those that begin the next
			by := off - 8*starts[j]
			if order == wire.MSB {
				by = 64 - by - width
			}
			parts[j] = append(parts[j], shifted(code, by))
			if off+width <= 8*starts[j]+usable {
				break
			}
			cut[j] = true
		}
		if done+1 < n && off+width >= 8*starts[done+1] {
			// One alone: the compiler splits a store whose last byte the next overwrites, where no field is loaded between.
			store(done)
			done++
		}
	}
	for ; done < n; done++ {
		store(done)
	}
	f.p("bit += %d", bits)
}

// storeBytes stores the size first bytes of a word, fewer than eight, into an array from byte at on.
func (f *function) storeBytes(array string, at, size int, word, text string, order wire.Order) {
	f.p("%s := %s", word, text)
	endian := "Little"
	if order == wire.MSB {
		endian = "Big"
	}
	for done := 0; done < size; {
		n := 4
		for n > size-done {
			n /= 2
		}
		by := -8 * done
		if order == wire.MSB {
			by = 8*(done+n) - 64
		}
		part := fmt.Sprintf("(%s)", shifted(word, by))
		if n == 1 {
			f.p("%s[%d] = byte%s", array, at+done, part)
		} else {
			f.p("binary.%sEndian.PutUint%d(%s[%d:], uint%d%s)", endian, 8*n, array, at+done, 8*n, part)
		}
		done += n
	}
}

// shifted is a code moved left, or right where by is negative.
func shifted(code string, by int) string {
	switch {
	case by > 0:
		return fmt.Sprintf("%s<<%d", code, by)
	case by < 0:
		return fmt.Sprintf("%s>>%d", code, -by)
	}
	return code
}
