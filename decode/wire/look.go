package wire

// Peek returns what a value of n bits, 1 to 64, would be at position bit; bits from end on count as 0. The caller owes
// 0 ≤ bit ≤ end. What lies after data counts as 0, too.
func (o Order) Peek(data []byte, bit, end, n int) uint64 {
	if end = min(end, 8*len(data)); bit+n <= end {
		return o.Load(data, bit, n)
	}
	return o.loadPart(data, bit, n, bit, end)
}

// Tail returns what a value of n bits, 1 to 64, would be that ends at end; bits before position bit count as 0. The
// caller owes 0 ≤ bit ≤ end. What lies after data counts as 0, too.
func (o Order) Tail(data []byte, bit, end, n int) uint64 {
	if end-n >= bit && end <= 8*len(data) {
		return o.Load(data, end-n, n)
	}
	return o.loadPart(data, end-n, n, bit, min(end, 8*len(data)))
}

// loadPart reads the n bits at position p, which may be negative, of which only those from position from to position to
// count. It reads nothing else of data.
func (o Order) loadPart(data []byte, p, n, from, to int) uint64 {
	if max(from, p) >= min(to, p+n) {
		return 0
	}
	var part [9]byte // the value's bytes, as they lie at p
	first := p >> 3
	for i := max(from, p) >> 3; i <= (min(to, p+n)-1)>>3; i++ {
		part[i-first] = data[i]
	}
	o.clear(part[:], 0, max(from-8*first, 0))
	o.clear(part[:], min(to-8*first, 8*len(part)), 8*len(part))
	return o.Load(part[:], p-8*first, n)
}

// clear makes the bits from position from to position to zero.
func (o Order) clear(data []byte, from, to int) {
	for i := from; i < to; {
		n := min(8-i%8, to-i)
		bits := byte(0xff) >> (8 - n)
		if o == LSB {
			bits <<= i % 8
		} else {
			bits <<= 8 - i%8 - n
		}
		data[i/8] &^= bits
		i += n
	}
}
