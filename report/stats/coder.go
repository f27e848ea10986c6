package stats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"unicode"
	"unicode/utf8"

	"github.com/pktscope/pktscope/report/saved"
)

// The saved form of a Stats (see part.go). Each type has one method, code, which writes it or reads it, so that the two
// cannot differ.
//
// A saved part may come from a stranger. All that is read goes through the coder, which checks it against its bound;
// the first error stays and everything after it reads as nothing. Nothing is sized by a length before that is compared
// with the bytes that are left.

type coder struct {
	writing bool
	version byte   // of the part
	b       []byte // what was written, or what is still to be read
	err     error
	crowded uint64   // latencies that a part of a version before 3 did not count
	filters int      // that were read
	files   []string // that places name
	clock   int64    // the instant before
	timed   bool     // the Stats has a timeline
	cells   cells    // of answers that are read: none yet, with the bound of the Stats
	ticks   tick     // the one before
}

var (
	errPartEnds = errors.New("the saved part ends too early")
	errPartRest = errors.New("the saved part has bytes after its end")
)

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

// check refuses a part that is not as it must be. What is written is as it must be.
func (c *coder) check(ok bool, problem string) {
	if !ok && !c.writing {
		c.fail(errors.New(problem))
	}
}

// uint is a number up to most.
func (c *coder) uint(v *uint64, most uint64) {
	if c.writing {
		c.b = binary.AppendUvarint(c.b, *v)
		return
	}
	got, n := binary.Uvarint(c.b)
	switch {
	case n <= 0:
		c.fail(errPartEnds)
		got = 0
	case got > most:
		c.fail(fmt.Errorf("a number of the saved part is too large: want %d at most, got %d", most, got))
		got = 0
	default:
		c.b = c.b[n:]
	}
	*v = got
}

func (c *coder) int(v *int64) {
	u := uint64(*v)<<1 ^ uint64(*v>>63)
	c.uint(&u, ^uint64(0))
	*v = int64(u>>1) ^ -int64(u&1)
}

func (c *coder) bool(v *bool) {
	var u uint64
	if *v {
		u = 1
	}
	c.uint(&u, 1)
	*v = u == 1
}

func (c *coder) byte(v *uint8, most uint8) {
	u := uint64(*v)
	c.uint(&u, uint64(most))
	*v = uint8(u)
}

// length is how many of something follow, each of which takes so many bytes at least.
func (c *coder) length(n, most, each int) int {
	u := uint64(n)
	c.uint(&u, uint64(most))
	if !c.writing && u > uint64(len(c.b)/max(each, 1)) {
		c.fail(errPartEnds)
		return 0
	}
	return int(u)
}

// text is a name, with a bound in bytes.
func (c *coder) text(s *string, most int) {
	n := c.length(len(*s), most, 1)
	if c.writing {
		c.b = append(c.b, *s...)
		return
	}
	*s = string(c.b[:n])
	c.b = c.b[n:]
	for _, r := range *s {
		// Names go to terminals, and to whoever reads the JSON.
		c.check(r != utf8.RuneError && unicode.IsPrint(r) && !unicode.IsMark(r), "a name of the saved part cannot be shown")
	}
}

// addr is an address and port; the zero one where there was none.
func (c *coder) addr(a *netip.AddrPort) {
	if c.writing {
		raw, _ := a.MarshalBinary() // never fails
		c.b = append(append(c.b, byte(len(raw))), raw...)
		return
	}
	n := c.length(0, 18, 1)
	ok := a.UnmarshalBinary(c.b[:n]) == nil && (n == 2 || n == 6 || n == 18)
	c.check(ok, "an address of the saved part is none")
	if c.err != nil {
		*a = netip.AddrPort{}
		return
	}
	c.b = c.b[n:]
}

// tick is mostly that of the one before.
func (c *coder) tick(t *tick) {
	step := int64(*t - c.ticks)
	c.int(&step)
	*t = c.ticks + tick(step)
	c.check(*t >= 0 && *t <= maxTick, "a time of the saved part is outside of time")
	c.ticks = *t
}

// unit checks the number of a stretch of 1<<shift units.
func (c *coder) unit(at int64, shift uint8) {
	first := at << shift
	c.check(first>>shift == at && first >= -tickZero<<1 && first <= tickZero, "a time of the saved part is outside of time")
}

// sparse is a few numbers, most of which are 0.
func sparse(c *coder, list []uint64) {
	var mask uint64
	for i, n := range list {
		if n > 0 {
			mask |= 1 << i
		}
	}
	c.uint(&mask, 1<<len(list)-1)
	for ; mask != 0; mask &= mask - 1 {
		c.uint(&list[lowest(mask)], saved.MaxCount)
	}
}

func lowest[T uint64 | uint16 | uint8](mask T) int { return bits.TrailingZeros64(uint64(mask)) }
