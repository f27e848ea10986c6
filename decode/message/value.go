package message

import (
	"slices"
	"sort"
	"strings"
)

// Kind is what a Value holds.
type Kind uint8

// The kinds of values. A trace gives Object, List, Code, Bytes and Null; JSON gives Object, List, Number, Text, Bool
// and Null, which mean something only once it is known which field they are for.
const (
	Null   Kind = iota // nothing: an optional that is absent, JSON's null
	Object             // Items are its members, each with a Name
	List               // Items are its elements
	Code               // a leaf's code, in the form of decode.Trace's Raw
	Bytes              // Data: raw bytes, or a text's
	Number             // Data: the digits of a JSON number
	Text               // Data: the UTF-8 of a JSON string
	Bool               // Code is 0 or 1
)

// String names a kind as errors do.
func (k Kind) String() string {
	return [...]string{"null", "an object", "a list", "a number", "bytes", "a number", "a string", "a bool"}[k]
}

// Value is one value of a packet's tree. A program that edits the tree may set any of its fields, and give a List or an
// Object other Items: an append to them never reaches the Items of another Value.
type Value struct {
	Name  string // of a member; "" for an element
	Data  []byte
	Items []Value
	Code  uint64
	Kind  Kind
	// Long: the code of a ladder takes the last rung, though a shorter one would do.
	Long bool
	// Own: the bytes of a dnsname, of kind Bytes, where they end with a pointer. They are written where they read as Data.
	Own []byte

	next uint32 // of an Object: where the next member that is asked for likely is
	used uint32 // the pass of the source that asked for it last
}

// Member finds the member of an Object, nil when it has none of that name.
func (v *Value) Member(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for i := range v.Items {
		if v.Items[i].Name == name {
			return &v.Items[i]
		}
	}
	return nil
}

// manyMembers is from how many members on an object that is not asked in its own order gets an index: searching each of
// them from end to end would be quadratic, and the sender of the JSON chooses how many there are.
const manyMembers = 32

// ask finds a member as Member does; asking for all in their own order takes one comparison each.
func (s *source) ask(v *Value, name string) *Value {
	items := v.Items
	if at := int(v.next); at < len(items) && items[at].Name == name {
		v.next++
		return &items[at]
	}
	at := -1
	if len(items) < manyMembers {
		at = slices.IndexFunc(items, func(m Value) bool { return m.Name == name })
	} else {
		sorted := s.sorted[v]
		if sorted == nil {
			sorted = make([]int32, len(items))
			for i := range sorted {
				sorted[i] = int32(i)
			}
			slices.SortStableFunc(sorted, func(a, b int32) int { return strings.Compare(items[a].Name, items[b].Name) })
			s.sorted[v] = sorted
		}
		i := sort.Search(len(sorted), func(i int) bool { return items[sorted[i]].Name >= name })
		if i < len(sorted) && items[sorted[i]].Name == name {
			at = int(sorted[i])
		}
	}
	if at < 0 {
		return nil
	}
	v.next = uint32(at) + 1
	return &items[at]
}

// arena holds the Items of a tree, one list after the other, and is filled again for the next tree.
type arena struct {
	chunks [][]Value
	chunk  int
	stack  []Value // of the lists that are still open
}

const arenaChunk = 1024 // values

// reset forgets the tree. What took several chunks gets one that holds all of it, so that a long row of trees never
// holds more than twice the largest.
func (a *arena) reset() {
	if total := 0; a.chunk > 0 {
		for _, c := range a.chunks {
			total += len(c)
		}
		a.chunks = [][]Value{make([]Value, 0, total)}
	}
	for i := range a.chunks {
		a.chunks[i] = a.chunks[i][:0]
	}
	a.chunk, a.stack = 0, a.stack[:0]
}

// push appends a value to the innermost open list.
func (a *arena) push() *Value {
	if len(a.stack) == cap(a.stack) {
		a.stack = slices.Grow(a.stack, 1)
	}
	a.stack = a.stack[:len(a.stack)+1]
	v := &a.stack[len(a.stack)-1]
	*v = Value{}
	return v
}

// take ends the list of the values that were pushed from start on.
func (a *arena) take(start int) []Value {
	from := a.stack[start:]
	a.stack = a.stack[:start]
	if len(from) == 0 {
		return nil
	}
	for {
		if a.chunk == len(a.chunks) {
			a.chunks = append(a.chunks, make([]Value, 0, max(arenaChunk, len(from))))
		}
		c := a.chunks[a.chunk]
		if cap(c)-len(c) < len(from) {
			a.chunk++
			continue
		}
		at := len(c)
		c = append(c, from...)
		a.chunks[a.chunk] = c
		return c[at:len(c):len(c)]
	}
}
