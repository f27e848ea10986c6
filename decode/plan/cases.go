package plan

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode/schema"
)

// Case is a code of an enum, or the bits of a flag, and what it is called.
type Case struct {
	Code uint64
	Name string
}

// Cases are the names of an enum or of flags. All fields of the type share them: a schema can have 100,000 cases and as
// many fields.
type Cases struct {
	List []Case    // an enum's by code; flags in the order of the source
	keys []uint64  // an enum's values as keys, sorted (see Operand.Key)
	low  [4]uint64 // bit set of an enum's codes below 256, which most have: a search takes as long as all else of a leaf
}

// casesOf lists the cases of e by their codes in a leaf of so many bits that is no enum yet.
func (l *LeafInfo) casesOf(e *schema.Enum, width int) *Cases {
	c := &Cases{List: make([]Case, 0, len(e.Cases))}
	for i := range e.Cases {
		c.List = append(c.List, Case{l.CodeOf(Low64(e.Cases[i].Value), width), e.Cases[i].Name})
	}
	if e.Flags {
		return c
	}
	slices.SortFunc(c.List, func(a, b Case) int { return cmp.Compare(a.Code, b.Code) })
	c.keys = make([]uint64, len(c.List))
	for i := range c.List {
		c.keys[i] = l.key(c.List[i].Code, width)
		if code := c.List[i].Code; code < 256 {
			c.low[code/64] |= 1 << (code % 64)
		}
	}
	slices.Sort(c.keys)
	return c
}

// Name is the enum case of a code, "" when it is unlisted.
func (c *Cases) Name(code uint64) string {
	if i := sort.Search(len(c.List), func(i int) bool { return c.List[i].Code >= code }); i < len(c.List) && c.List[i].Code == code {
		return c.List[i].Name
	}
	return ""
}

// has reports whether a code of an enum is listed.
func (c *Cases) has(code uint64) bool {
	if code < 256 {
		return c.low[code/64]>>(code%64)&1 != 0
	}
	i := sort.Search(len(c.List), func(i int) bool { return c.List[i].Code >= code })
	return i < len(c.List) && c.List[i].Code == code
}
