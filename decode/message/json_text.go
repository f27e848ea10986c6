package message

import (
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string: a part of the line where it has no escapes. Half a surrogate pair is refused: encoding/json
// makes U+FFFD of it, which is another text than the one that was given.
func (r *reader) text() ([]byte, error) {
	r.at++
	start := r.at
	for r.data[r.at] != '"' && r.data[r.at] != '\\' {
		r.at++
	}
	if r.data[r.at] == '"' {
		r.at++
		return r.data[start : r.at-1 : r.at-1], nil
	}
	text := append([]byte(nil), r.data[start:r.at]...)
	for {
		c := r.data[r.at]
		r.at++
		switch {
		case c == '"':
			return text, nil
		case c != '\\':
			text = append(text, c)
			continue
		}
		c = r.data[r.at]
		r.at++
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			u := r.unit()
			if utf16.IsSurrogate(u) {
				low := rune(0)
				if r.data[r.at] == '\\' && r.data[r.at+1] == 'u' {
					r.at += 2
					low = r.unit()
				}
				if u = utf16.DecodeRune(u, low); u == utf8.RuneError {
					return nil, r.fail("half a surrogate pair is no text")
				}
			}
			text = utf8.AppendRune(text, u)
			continue
		}
		text = append(text, c)
	}
}

// unit reads four hexadecimal digits.
func (r *reader) unit() rune {
	u, err := strconv.ParseUint(string(r.data[r.at:r.at+4]), 16, 16)
	if err != nil {
		panic("pktscope: internal error: valid JSON with a bad escape")
	}
	r.at += 4
	return rune(u)
}

// fewKeys is up to how many keys are compared each with each.
const fewKeys = 16

// repeated finds a key that an object has twice. Which of the two counts differs from reader to reader, so neither
// does.
func (m *Message) repeated(members []Value, kind Kind) (string, bool) {
	if kind != Object {
		return "", false
	}
	if len(members) <= fewKeys {
		for i := range members {
			for j := range i {
				if members[i].Name == members[j].Name {
					return members[i].Name, true
				}
			}
		}
		return "", false
	}
	m.keys = m.keys[:0]
	for i := range members {
		m.keys = append(m.keys, members[i].Name)
	}
	slices.Sort(m.keys)
	for i := 1; i < len(m.keys); i++ {
		if m.keys[i] == m.keys[i-1] {
			return m.keys[i], true
		}
	}
	return "", false
}
