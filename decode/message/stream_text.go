package message

import (
	"bytes"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Where a stream is in its text: between two members or elements of its innermost frame, before the comma.

// open makes the container of a node the innermost one. parent and index are those of what is in it.
func (s *stream) open(a *decode.Query, node plan.NodeID, parent int32, index uint32) error {
	for at := len(s.frames) - 1; at >= 0; at-- {
		if s.is(at, node, parent, index) {
			return s.close(at + 1)
		}
	}
	outer, of, opening := parent, index, byte('{')
	if s.isList(node) {
		outer, of, opening = a.Trace.Records[parent].Parent, a.Trace.Records[parent].Index, '['
	}
	at, err := s.comes(a, node, outer, of)
	if err != nil || at < 0 || s.text.data[at] != opening {
		return errElsewhere
	}
	s.take(at + 1)
	s.frames = append(s.frames, frame{node: node, parent: parent, index: index, count: -1})
	return nil
}

// is reports whether a frame is the container of a node, for what is in it at an index.
func (s *stream) is(at int, node plan.NodeID, parent int32, index uint32) bool {
	f := &s.frames[at]
	return f.node == node && f.parent == parent && (f.index == index || parent < 0 || s.isList(node))
}

func (s *stream) isList(node plan.NodeID) bool { return s.tree.p.Nodes[node].Kind == plan.NodeArray }

// close ends the containers from frame number to on.
func (s *stream) close(to int) error {
	for at := len(s.frames) - 1; at >= to; at-- {
		f, closing := &s.frames[at], byte('}')
		if s.isList(f.node) {
			if closing = ']'; f.count >= 0 && f.count != int64(f.begun) {
				return errElsewhere
			}
		} else if _, err := s.member(f, nil); err != nil {
			return err
		}
		if s.text.space() != closing {
			return errElsewhere
		}
		s.text.at++
		s.frames = s.frames[:at]
	}
	return nil
}

// comes returns where a node's value begins, which must be what comes next in its container; -1 where it does not come.
func (s *stream) comes(a *decode.Query, node plan.NodeID, parent int32, index uint32) (at int, err error) {
	n := &s.tree.p.Nodes[node]
	if err := s.open(a, n.Parent, parent, index); err != nil {
		return -1, err
	}
	f := &s.frames[len(s.frames)-1]
	if !n.Elem {
		return s.member(f, s.keys[node])
	}
	if f.begun != index {
		return -1, errElsewhere
	}
	if at = s.after(f); at < 0 || s.text.data[at] == ']' {
		return -1, nil
	}
	return at, nil
}

// after returns where the next member or element of a frame begins, or its end; -1 where a comma is missing, or the
// line ends.
func (s *stream) after(f *frame) int {
	r := &s.text
	c, here := r.space(), r.at
	if f.begun > 0 && c == ',' {
		r.at++
		c = r.space()
	} else if f.begun > 0 {
		c = end
	}
	at := r.at
	r.at = here
	if c == end {
		return -1
	}
	return at
}

// member returns where the value of a member begins, -1 where another comes. Those that nobody asks for are passed.
func (s *stream) member(f *frame, key []byte) (int, error) {
	r := &s.text
	for {
		at := s.after(f)
		if at < 0 || r.data[at] != '"' {
			return -1, nil
		}
		if key != nil && bytes.HasPrefix(r.data[at:], key) {
			here := r.at
			r.at = at + len(key)
			r.space()
			at, r.at = r.at, here
			if at == len(r.data) {
				return -1, errElsewhere
			}
			return at, nil
		}
		names := s.computed[f.node]
		if len(names) == 0 {
			return -1, nil
		}
		here := r.at
		r.at = at
		name, err := r.string()
		n, ok := names[string(name)]
		if err != nil || !ok || f.seen>>n&1 != 0 || r.space() != ':' {
			r.at = here
			return -1, nil
		}
		f.seen |= 1 << n
		s.take(r.at + 1)
		if err := s.scalar(); err != nil {
			return -1, err
		}
	}
}

// take begins a member or an element of the innermost frame, whose text is from at on.
func (s *stream) take(at int) {
	s.text.at = at
	s.frames[len(s.frames)-1].begun++
}

// read reads the value of a node.
func (s *stream) read(a *decode.Query, node plan.NodeID, parent int32, index uint32) error {
	at, err := s.comes(a, node, parent, index)
	if err != nil || at < 0 {
		return errElsewhere
	}
	s.take(at)
	return s.scalar()
}

// scalar reads what is no object, or a list of such.
func (s *stream) scalar() error {
	r, v := &s.text, &s.value
	switch r.space() {
	case '{', 'n':
		return errElsewhere
	case '[':
		return s.list()
	case '"':
		return s.string()
	}
	v.Code = 0
	return r.value(v, 0)
}

// string reads a text. The line as a whole has not been looked at for UTF-8, so that what is no text has to be.
func (s *stream) string() error {
	data, err := s.text.string()
	if err == nil && s.text.wide && !utf8.Valid(data) {
		err = errElsewhere
	}
	s.value.Kind, s.value.Data = Text, data
	return err
}

// list reads a list of texts: flags.
func (s *stream) list() error {
	r := &s.text
	r.at++
	s.items = s.items[:0]
	for c := r.space(); c != ']'; c = r.space() {
		if len(s.items) > 0 && c == ',' {
			r.at++
			c = r.space()
		} else if len(s.items) > 0 {
			return errElsewhere
		}
		if c != '"' {
			return errElsewhere
		}
		if err := s.string(); err != nil {
			return err
		}
		s.items = append(s.items, Value{Kind: Text, Data: s.value.Data})
	}
	r.at++
	s.value.Kind, s.value.Items = List, s.items
	return nil
}

// elements counts the elements of the list that comes next, by its commas: that it is JSON is seen when it is read.
func (s *stream) elements() int {
	data := s.text.data[s.text.at:]
	count, depth := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return count
			}
			continue
		case ',':
			if depth == 1 {
				count++
			}
			continue
		case ' ', '\t', '\r', '\n':
			continue
		}
		if depth > 0 && count == 0 && i > 0 {
			count = 1
		}
	}
	return count
}
