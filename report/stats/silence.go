package stats

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/report/saved"
)

// MaxSilences is how many silences are listed: the longest.
const MaxSilences = 256

// silences are the times for which a peer sent nothing for longer than `expect timeout`. Each lies between two accepted
// packets of one sender to one receiver; what the server sends is not judged.
type silences struct {
	n    uint64
	list []silence // at most 2*MaxSilences, of which the longest MaxSilences count
}

type silence struct {
	sender, receiver netip.AddrPort
	from, until      int64 // ns since the Unix epoch
	after, before    place
}

func (s *silence) length() uint64 { return uint64(s.until) - uint64(s.from) }

func (s *silences) add(one silence) {
	s.n++
	s.list = append(s.list, one)
	if len(s.list) >= 2*MaxSilences {
		s.trim()
	}
}

// trim puts the longest first and leaves out what is too many. The order is total, so that it does not matter when this
// was done.
func (s *silences) trim() {
	slices.SortFunc(s.list, func(a, b silence) int {
		return cmp.Or(cmp.Compare(b.length(), a.length()), cmp.Compare(a.from, b.from), a.sender.Compare(b.sender),
			a.receiver.Compare(b.receiver), a.after.compare(b.after), a.before.compare(b.before))
	})
	s.list = s.list[:min(len(s.list), MaxSilences)]
}

func (s *silences) merge(o *silences) {
	s.n += o.n
	s.list = append(s.list, o.list...)
	s.trim()
}

func (s *silences) code(c *coder) {
	if c.writing {
		s.trim()
	}
	c.uint(&s.n, saved.MaxCount)
	n := c.length(len(s.list), MaxSilences, 6)
	if !c.writing {
		s.list = make([]silence, n)
	}
	c.check(uint64(n) <= s.n, "the saved part lists more silences than there were")
	for i := range s.list {
		one := &s.list[i]
		c.addr(&one.sender)
		c.addr(&one.receiver)
		c.instant(&one.from)
		c.instant(&one.until)
		c.place(&one.after)
		c.place(&one.before)
		c.check(one.until >= one.from, "a silence of the saved part ends before it begins")
	}
}
