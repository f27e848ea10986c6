package anyschema

// place is where in its byte an item begins, as far as that is known: n bits after where its body began, n bits after
// a byte boundary, or anywhere.
type place struct {
	how placed
	n   int64 // 0..7
}

type placed uint8

const (
	fromStart placed = iota
	fromByte
	anywhere
)

var (
	onByte  = place{fromByte, 0}
	atStart = place{fromStart, 0}
)

func (p place) plus(bits int64) place {
	if p.how != anywhere {
		p.n = (p.n + bits) % 8
	}
	return p
}

// then is a place that is known from where its body began, when that is p.
func (p place) then(q place) place {
	switch {
	case q.how != fromStart:
		return q
	case p.how == anywhere && q.n == 0:
		return p
	}
	return p.plus(q.n)
}

// or is p or q.
func (p place) or(q place) place {
	if p == q {
		return p
	}
	return place{how: anywhere}
}

// times is where any number of elements end that begin here, each moving the place as elem says.
func (p place) times(elem place) place {
	if elem == atStart {
		return p
	}
	return place{how: anywhere}
}

// size is how many bits something takes. The checker's least is within least..atMostLeast: it may know more about what
// a size is computed from.
type size struct{ least, atMostLeast, most int64 }

const sizeMax = int64(1) << 40

func fixed(n int64) size { return size{n, n, n} }

func (s size) plus(o size) size {
	return size{min(s.least+o.least, sizeMax), min(s.atMostLeast+o.atMostLeast, sizeMax), min(s.most+o.most, sizeMax)}
}

func (s size) or(o size) size {
	return size{min(s.least, o.least), min(s.atMostLeast, o.atMostLeast), max(s.most, o.most)}
}

func satTimes(a, n int64) int64 {
	if n > 0 && a > sizeMax/n {
		return sizeMax
	}
	return a * n
}

// times is lo..hi of s, where the least number is at most atMostLo.
func (s size) times(lo, atMostLo, hi int64) size {
	return size{satTimes(s.least, lo), satTimes(s.atMostLeast, atMostLo), satTimes(s.most, hi)}
}

func (s size) isFixed() bool { return s.least == s.most }
