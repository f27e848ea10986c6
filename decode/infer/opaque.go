package infer

import "math"

// form is how bytes are written of which no field was found.
type form uint8

const (
	formBytes  form = iota // as one: they look random, or there are many
	formFields             // each by itself: there is something in them, and a byte is what is most often a field
	formText
)

// Limits of what is written byte by byte, or as text.
const (
	maxLoose    = 48  // bytes, on average
	randomBits  = 7.2 // of a byte's entropy, from which on it looks random
	leastText   = 64  // bytes that are seen
	textPrinted = 0.98
)

// inBytes is the layout of packets of which nothing is claimed: bytes, a field each.
func inBytes() *block { return &block{items: []*item{{kind: kindRest, each: true}}} }

// Packets of a protocol of bytes, fewer than these, support fields only if these save a third of what the packets cost byte by byte.
const (
	fewPackets = 32
	fewSave    = 2. / 3
)

// supported reports whether a layout of that cost is better than bytes that are a field each.
func (s *shaper) supported(r rows, cost float64) bool {
	if len(r) >= fewPackets || !s.byByte {
		return true
	}
	var all seen
	for i := range r {
		all.n++
		for _, x := range r[i].data[r[i].pos/8 : r[i].end/8] {
			all.bytes[x]++
		}
	}
	if _, h := all.measure(); h >= randomBits {
		return true // most is opaque in any layout
	}
	return cost < fewSave*s.byteCost(r)
}

// byteCost is what rows cost where each byte is a field.
func (s *shaper) byteCost(r rows) float64 {
	var out [maxWidth + 1]choice
	sizes := r.lengths()
	cost := lengthCost(sizes)
	for _, l := range sizes {
		cost += float64(l.n * max(0, l.bits-maxCut))
	}
	for at := 0; at+8 <= maxCut; at += 8 {
		long := s.long(r, at+8)
		if len(long) == 0 {
			break
		}
		w := long.window(wideRows)
		s.column(&w, s.memo.of(&w, s.order), at, 8, &out)
		cost += out[8].bits - fieldPrice(8, 0)
	}
	return cost
}

// settle decides the forms of all that was not understood, from what all packets have there; they accept the same packets.
// Where that is most of the packets, and looks like fields, the few fields before it are not to be believed: all is bytes
// then, to be proved again.
func (d *draft) settle() (again bool) {
	total, fields := 0.0, 0.0
	d.root.each(func(it *item) {
		s := d.seen[it.name]
		if s == nil {
			return
		}
		bits := float64(s.n * it.width)
		if it.kind == kindRest || it.kind == kindGuard {
			if it.form = s.form(); it.each {
				it.form = formFields
			}
			n, _ := s.measure()
			bits = 8 * float64(n)
			if it.form == formFields {
				fields += bits
			}
		}
		total += bits
	})
	from := d.root.behindSum()
	if fields <= mostLoose*total || d.tail > 0 || d.keep != nil || len(d.root.items) == from+1 && d.root.items[from].kind == kindRest {
		return false
	}
	d.root.items = append(d.root.items[:from:from], inBytes().items...)
	d.names()
	return true
}

// mostLoose is the share of the bits that are not understood at most where a draft is believed.
const mostLoose = 0.75

// form is that of the bytes that were seen.
func (s *seen) form() form {
	n, printed := 0, min(s.bytes[0], s.n) // a text may have an end
	for x, k := range s.bytes {
		n += k
		if x >= ' ' && x < 0x7f || x == '\n' || x == '\r' || x == '\t' {
			printed += k
		}
	}
	_, h := s.measure()
	switch {
	case n >= leastText && n > 4*s.n && float64(printed) >= textPrinted*float64(n):
		return formText
	case n == 0 || n > maxLoose*s.n || h >= randomBits:
		return formBytes
	}
	return formFields
}

// measure is how many bytes were seen, and the entropy of each in bits. Few bytes show less than there is; what is
// missing is on average a bit for each value but one, in 2·ln 2·n.
func (s *seen) measure() (n int, h float64) {
	kinds := 0
	for _, k := range s.bytes {
		n += k
		if k > 0 {
			kinds++
		}
	}
	if n == 0 {
		return 0, 0
	}
	h = nlogn(n)
	for _, k := range s.bytes {
		h -= nlogn(k)
	}
	return n, min(8, h/float64(n)+float64(kinds-1)/(2*math.Ln2*float64(n)))
}
