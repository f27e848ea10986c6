//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import (
	"math/bits"
	"sync"
)

// lengths are those that nobody gave and that are known when what they measure has been written. Each pass over a
// packet asks for them in the same order, writes what the pass before found, and finds whether it was right.
type lengths struct {
	first [lengthRoom]length
	more  *[]length // from spareLengths; nil where the first are all
	asked int
	guess int  // lengths of this pass that are not known yet
	retry bool // what this pass wrote is not what it has found
	pass  int
	dark  bool // where the packet ends is not known yet
}

// looks is what is known of the end of a packet in which no length has to be found.
type looks struct {
	dark bool // where the packet ends is not known yet
}

// length is one of them: known, it is what the pass found that said so last.
type length struct {
	value uint64
	known bool
	pass  int
}

func (l *lengths) numbered(i int) *length {
	if i < lengthRoom {
		return &l.first[i]
	}
	return &(*l.more)[i-lengthRoom]
}

// spareLengths has the memory of the lengths beyond the first, from packet to packet.
var spareLengths = sync.Pool{New: func() any { return new([]length) }}

// oneMore makes room for one more length.
func (l *lengths) oneMore() {
	i := l.asked - lengthRoom
	if i == 0 && l.more == nil {
		l.more = spareLengths.Get().(*[]length)
		*l.more = (*l.more)[:0]
	}
	if i >= 0 && i == len(*l.more) {
		*l.more = append(*l.more, length{})
	}
}

// give gives back the memory of the lengths beyond the first.
func (l *lengths) give() {
	if l.more != nil {
		spareLengths.Put(l.more)
		l.more = nil
	}
}

// ask is the value of a length and its number, from 1: the least of its type where it is not known.
func (w *writer) ask(least uint64) (value, at uint64) {
	l := &w.found
	l.oneMore()
	one := l.numbered(l.asked)
	l.asked++
	if !one.known {
		one.value = least
		l.guess++
	}
	return one.value, uint64(l.asked)
}

// learn finds the length number at, of which value*k + c is the size that is there, and reports whether there is one,
// the same for all that it measures.
func (w *writer) learn(at, size uint64, k, c int64) bool {
	l := &w.found
	one := l.numbered(int(at) - 1)
	value := int64(size) - c
	if value%k != 0 {
		return false
	}
	value /= k
	if one.known && one.pass == l.pass {
		return one.value == uint64(value)
	}
	if !one.known {
		l.guess--
		l.retry = true // what was judged before did not know it
	}
	if one.value != uint64(value) {
		l.retry = true
	}
	*one = length{uint64(value), true, l.pass}
	return true
}

// guessed reports whether a length is not known yet.
func (w *writer) guessed(at uint64) bool { return at != 0 && !w.found.numbered(int(at)-1).known }

// certain reports whether no length before is a guess, and else has another pass judge what depends on them. In the
// dark that pass is to come in any case.
func (w *writer) certain() bool {
	w.found.retry = w.found.retry || w.found.guess > 0 && !w.found.dark
	return w.found.guess == 0
}

// sure is certain for what reads the lengths before: none of them was a guess when it was written.
func (w *writer) sure() bool { return w.certain() && !w.found.retry }

// unsettled reports whether another pass is needed. A length that measured nothing is what it was given as: zero; in
// the dark it may be one that follows from the end.
func (w *writer) unsettled() bool {
	l := &w.found
	again := l.retry || l.guess > 0 && !l.dark
	for i := range l.asked {
		if one := l.numbered(i); !one.known && !l.dark {
			*one = length{known: true}
		}
	}
	l.asked, l.guess, l.retry = 0, 0, false
	l.pass++
	return again
}

// leastWidth is the fewest bits that hold a number.
func leastWidth(v uint64, signed bool) int {
	if signed {
		return bits.Len64(v^uint64(int64(v)>>63)) + 1
	}
	return bits.Len64(v)
}

// sized is the value of which value*k + c is a size, zero where there is none.
func sized(size uint64, k, c int64) uint64 {
	if n := int64(size) - c; n%k == 0 {
		return uint64(n / k)
	}
	return 0
}
