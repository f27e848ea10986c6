// Package chain has lists whose elements hold their neighbors themselves: who is in a list is taken out of it at once,
// and nothing is allocated.
package chain

// Links are the neighbors of an element, which embeds them. An element is in one list at a time.
type Links[E any] struct{ prev, next *E }

// Next is the element after this one in its list; nil after the last, and of an element that is in no list.
func (l *Links[E]) Next() *E { return l.next }

func (l *Links[E]) links() *Links[E] { return l }

// element is a pointer to what embeds Links.
type element[E any] interface {
	*E
	links() *Links[E]
}

// List is elements in the order in which they were pushed. The zero List is empty.
type List[E any, P element[E]] struct {
	first, last *E
	n           int
}

// First is the element that was pushed before all others that are there; nil of an empty list.
func (l *List[E, P]) First() *E { return l.first }

// Len is how many elements there are.
func (l *List[E, P]) Len() int { return l.n }

// Push adds an element, which is in no list, at the end.
func (l *List[E, P]) Push(e P) {
	e.links().prev, e.links().next = l.last, nil
	if l.last == nil {
		l.first = e
	} else {
		P(l.last).links().next = e
	}
	l.last = e
	l.n++
}

// Remove takes an element of the list out of it.
func (l *List[E, P]) Remove(e P) {
	at := e.links()
	if at.prev == nil {
		l.first = at.next
	} else {
		P(at.prev).links().next = at.next
	}
	if at.next == nil {
		l.last = at.prev
	} else {
		P(at.next).links().prev = at.prev
	}
	at.prev, at.next = nil, nil
	l.n--
}
