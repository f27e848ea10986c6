package filter

// tally counts what a closure's condition was for the elements so far.
type tally struct{ yes, no, unknown int }

// quantified runs a closure over its list.
//
//	any   true if it is for one, else unknown if it is for one, else false; an empty list is false
//	all   false if it is for one, else unknown if it is for one, else true; an empty list is true
//	none  not any
//	one   true if it is for exactly one; unknown where unknown ones could change that
//	count how many it is true for
//
// Of an absent list all of them are unknown.
func (m *Matcher) quantified(q *quant) memo {
	if q.memo >= 0 && m.memos[q.memo].known {
		return m.memos[q.memo]
	}
	result := memo{known: true, truth: unknown}
	var t tally
	there := true
	if q.notes {
		m.eachNote(q, &t)
	} else if list := m.at(q.list); list.ok {
		m.eachElement(q, int32(list.v), &t)
	} else {
		there = false
	}
	if there {
		result.truth = t.truth(q.mode)
		result.number = integerOf(false, uint64(t.yes))
	}
	if q.memo >= 0 {
		m.memos[q.memo] = result
	}
	return result
}

func (t *tally) truth(mode quantMode) ternary {
	result := no
	switch mode {
	case quantAny, quantNone:
		if t.yes > 0 {
			result = yes
		} else if t.unknown > 0 {
			result = unknown
		}
		if mode == quantNone {
			result = yes - result
		}
	case quantAll:
		if t.no > 0 {
			result = no
		} else if t.unknown > 0 {
			result = unknown
		} else {
			result = yes
		}
	case quantOne:
		if t.yes > 1 {
			result = no
		} else if t.unknown > 0 {
			result = unknown
		} else {
			result = truthOf(t.yes == 1)
		}
	}
	return result
}

// judge computes the condition for the element whose slots are filled, and reports whether the rest can change nothing.
func (m *Matcher) judge(q *quant, t *tally) (done bool) {
	switch m.eval(q.body) {
	case yes:
		t.yes++
		return q.mode == quantAny || q.mode == quantNone || q.mode == quantOne && t.yes > 1
	case no:
		t.no++
		return q.mode == quantAll
	}
	t.unknown++
	return false
}

// eachElement goes over the spans after a list's: those of an element that stand directly in it fill the closure's
// slots. An element is there when something of it was read.
func (m *Matcher) eachElement(q *quant, list int32, t *tally) {
	f := &m.prog.frames[q.frame]
	spans := m.trace.Records
	element := -1
	for i := int(list) + 1; i < len(spans); i++ {
		s := &spans[i]
		if s.Parent < list {
			if isFlag(m.trace, s) {
				continue
			}
			break
		}
		if s.Parent == list && int(s.Index) != element && !m.hollow(s) {
			if element >= 0 && m.judge(q, t) {
				return
			}
			element = int(s.Index)
			clear(m.slots[f.slots:f.end])
		}
		if at := uint32(s.Point - f.first); at < uint32(len(f.table)) && f.table[at] != 0 {
			m.act(f.table[at]-1, i, list)
		}
	}
	if element >= 0 {
		m.judge(q, t)
	}
}

func (m *Matcher) eachNote(q *quant, t *tally) {
	f := &m.prog.frames[q.frame]
	outer := m.noteAt // where this closure is inside another over the notes
	for i := range m.notes() {
		note := m.note(i)
		m.noteAt, m.built[envNotePath] = i, false
		for _, e := range f.fills {
			s := &m.slots[e.slot]
			s.ok = true
			switch e.id {
			case envNoteKind:
				s.v = uint64(note.Kind)
			case envNoteBit:
				s.v = uint64(note.Bit)
			default:
				s.v = uint64(e.id)
			}
		}
		if m.judge(q, t) {
			break
		}
	}
	m.noteAt, m.built[envNotePath] = outer, false
}
