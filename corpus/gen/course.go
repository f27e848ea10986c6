package main

import "math/rand/v2"

// The test packet of the course's chapter on bit serialization: seven values after one another, each as its distance
// from the least it can be, the low byte of a value first and each byte from its high end.

// courseWriter appends values in groups of eight bits, the lowest group first. A group that does not fit the free bits
// of a byte leaves its low bits there, and the rest opens the next byte from the left.
type courseWriter struct {
	b    []byte
	free int // bits on the right of the last byte
}

func (c *courseWriter) put(v uint64, n int) {
	for ; n > 0; n -= 8 {
		c.group(byte(v), min(n, 8))
		v >>= 8
	}
}

func (c *courseWriter) group(v byte, n int) {
	v &= 1<<n - 1
	if c.free > 0 {
		fit := min(n, c.free)
		c.b[len(c.b)-1] |= v & (1<<fit - 1) << (c.free - fit)
		c.free -= fit
		v >>= fit
		n -= fit
	}
	if n > 0 {
		c.b = append(c.b, v<<(8-n))
		c.free = 8 - n
	}
}

// coursePacket is what the packet holds. What is written of a number is its distance from the least it can be, so that
// a hostile one can be any that its bits hold.
type coursePacket struct {
	first, second, third uint64
	fourth, fifth        bool
	sixth, seventh       uint64
}

const (
	leastSecond = -7
	leastSixth  = -4000
	mostSecond  = 15 // over the least
	mostThird   = 31
	mostSixth   = 8000
	mostSeventh = 256

	atSecond   = 8
	atThird    = atSecond + 4
	atSixth    = atThird + 5 + 1 + 1
	atSeventh  = atSixth + 13
	courseBits = atSeventh + 9
)

// chapterPacket has the chapter's own values: 5, 3, 18, true, false, 3578, 123.
var chapterPacket = coursePacket{5, 3 - leastSecond, 18, true, false, 3578 - leastSixth, 123}

func (c coursePacket) append(b []byte) []byte {
	w := courseWriter{b: b}
	w.put(c.first, 8)
	w.put(c.second, 4)
	w.put(c.third, atSixth-atThird-2)
	w.put(bitOf(c.fourth), 1)
	w.put(bitOf(c.fifth), 1)
	w.put(c.sixth, atSeventh-atSixth)
	w.put(c.seventh, courseBits-atSeventh)
	return w.b
}

// playCourse is a client and a server that send each other values, 40 a second, the chapter's own at first, and a
// stranger in between.
func playCourse(seed uint64, out *sink) {
	rng := rand.New(rand.NewPCG(seed, 0x434F))
	server := endpoint{[6]byte{2, 0, 0, 0, 10, 1}, []byte{10, 10, 0, 1}, 4002}
	client := endpoint{[6]byte{2, 0, 0, 0, 10, 10}, []byte{10, 10, 0, 10}, 53000}
	stranger := endpoint{[6]byte{2, 0, 0, 0, 10, 66}, []byte{10, 10, 0, 66}, 6666}
	var buf []byte
	next := chapterPacket
	for n := 0; !out.done(); n++ {
		p := packet{at: int64(n)*25_000 + rng.Int64N(9_000), from: &client, to: &server}
		if n%2 == 1 {
			p.from, p.to = p.to, p.from
		}
		buf = next.append(buf[:0])
		next = coursePacket{
			rng.Uint64N(256), rng.Uint64N(mostSecond + 1), rng.Uint64N(mostThird + 1),
			rng.IntN(2) == 0, rng.IntN(2) == 0,
			rng.Uint64N(mostSixth + 1), rng.Uint64N(mostSeventh + 1),
		}
		if n%9 == 8 {
			f := courseForgeries[n/9%len(courseForgeries)]
			buf = f.make(buf[:0])
			p.from, p.to, p.want = &stranger, &server, verdict{f.want, f.path, f.bit, f.note}
		}
		p.payload = buf
		out.send(&p)
	}
}

// chapterCut is the chapter's packet up to a byte.
func chapterCut(n int) func([]byte) []byte {
	return func(b []byte) []byte { return chapterPacket.append(b)[:n] }
}

// chapterWith is the chapter's packet with other codes for the two numbers whose bits hold more than their range.
func chapterWith(sixth, seventh uint64) func([]byte) []byte {
	return func(b []byte) []byte {
		p := chapterPacket
		p.sixth, p.seventh = sixth, seventh
		return p.append(b)
	}
}

var courseForgeries = []forgery{
	{chapterCut(0), "past-end", "first", 0, ""},
	{chapterCut(1), "past-end", "second", atSecond, ""},
	{chapterCut(2), "past-end", "third", atThird, ""},
	{chapterCut(3), "past-end", "sixth", atSixth, ""},
	{chapterCut(4), "past-end", "seventh", atSeventh, ""},
	{chapterCut(5), "past-end", "seventh", atSeventh, ""},
	{chapterWith(mostSixth+1, 123), "out-of-range", "sixth", atSixth, ""},
	{chapterWith(1<<13-1, 123), "out-of-range", "sixth", atSixth, ""},
	{chapterWith(0, mostSeventh+1), "out-of-range", "seventh", atSeventh, ""},
	{chapterWith(1<<13-1, 1<<9-1), "out-of-range", "sixth", atSixth, ""},
	{chapterWith(mostSixth, 1<<9-1), "out-of-range", "seventh", atSeventh, ""},
	{func(b []byte) []byte { return append(chapterPacket.append(b), 0) }, "trailing-bytes", "", courseBits, ""},
	{func(b []byte) []byte { return chapterPacket.append(chapterPacket.append(b)) }, "trailing-bytes", "", courseBits, ""},
	{func(b []byte) []byte { return append(chapterPacket.append(b), make([]byte, 1394)...) }, "trailing-bytes", "", courseBits, ""},
	{func(b []byte) []byte { // what the last seven bits hold decides nothing
		b = chapterPacket.append(b)
		b[courseBits/8] |= 1<<(8-courseBits%8) - 1
		return b
	}, "", "", 0, "trailing-bits"},
}
