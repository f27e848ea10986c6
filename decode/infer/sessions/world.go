package sessions

import "math/rand/v2"

// world is what a session's packets tell of: numbers that change, each in its way. A number is known by its key.
type world struct {
	*rand.Rand
	numbers map[any]*number
	ms      int // the clock, in milliseconds
	i       int // packets before
	client  int // who sends
	seq     int // of the client's packets
}

type number struct{ at, speed int }

// walk is a number below size that moves with momentum.
func (w *world) walk(key any, size int) int { return w.within(key, size, max(3, size/400)) }

// within is walk, with the most that it moves at once.
func (w *world) within(key any, size, fast int) int {
	n := w.numbers[key]
	if n == nil {
		n = &number{at: size/4 + w.IntN(size/2)}
		w.numbers[key] = n
	}
	turn := max(1, fast/6)
	n.speed = min(max(n.speed+w.IntN(2*turn+1)-turn, -fast), fast)
	if n.at += n.speed; n.at <= size/10 || n.at >= 9*size/10 {
		n.speed = -n.speed
		n.at += 2 * n.speed
	}
	return n.at
}

// sticky is a number up to most that changes once in so many times.
func (w *world) sticky(key any, most, once int) int {
	n := w.numbers[key]
	if n == nil || w.IntN(once) == 0 {
		n = &number{at: w.IntN(most + 1)}
		w.numbers[key] = n
	}
	return n.at
}

func (w *world) flag(key any, once int) bool { return w.sticky(key, 1, once) == 1 }

// falls is a number that falls from most once in so many times, and begins again.
func (w *world) falls(key any, most, once int) int {
	n := w.numbers[key]
	if n == nil {
		n = &number{at: most}
		w.numbers[key] = n
	}
	if w.IntN(once) == 0 {
		n.at -= 1 + w.IntN(max(1, most/10))
	}
	if n.at < 0 {
		n.at = most
	}
	return n.at
}

// rises is a number that rises by one or two once in so many times.
func (w *world) rises(key any, once int) int {
	n := w.numbers[key]
	if n == nil {
		n = &number{}
		w.numbers[key] = n
	}
	if w.IntN(once) == 0 {
		n.at += 1 + w.IntN(2)
	}
	return n.at
}

// odds is one of the indexes of shares, each as often as its share says.
func (w *world) odds(shares ...int) int {
	all := 0
	for _, s := range shares {
		all += s
	}
	x := w.IntN(all)
	for k, s := range shares {
		if x -= s; x < 0 {
			return k
		}
	}
	return 0
}

// key is a key of the client that sends.
func (w *world) key(name string, more ...int) any {
	k := [3]any{name, w.client}
	if len(more) > 0 {
		k[2] = more[0]
	}
	return k
}

type fields = map[string]any

// some makes n elements.
func some(n int, one func(k int) fields) []any {
	out := []any{}
	for k := range n {
		out = append(out, one(k))
	}
	return out
}
