package flow

// flowList is flows in the order of entering.
type flowList struct {
	first, last *flow
	n           int
}

func (l *flowList) push(f *flow) {
	f.prev, f.next = l.last, nil
	if l.last == nil {
		l.first = f
	} else {
		l.last.next = f
	}
	l.last = f
	l.n++
}

func (l *flowList) remove(f *flow) {
	if f.prev == nil {
		l.first = f.next
	} else {
		f.prev.next = f.next
	}
	if f.next == nil {
		l.last = f.prev
	} else {
		f.next.prev = f.prev
	}
	f.prev, f.next = nil, nil
	l.n--
}

// slotList is open messages in the order of opening.
type slotList struct{ first, last *slot }

func (l *slotList) push(s *slot) {
	s.prev, s.next = l.last, nil
	if l.last == nil {
		l.first = s
	} else {
		l.last.next = s
	}
	l.last = s
}

func (l *slotList) remove(s *slot) {
	if s.prev == nil {
		l.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		l.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
}
