package message

import (
	"encoding/hex"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string: a part of the line where it has no escapes. Half a surrogate pair is refused: encoding/json
// makes U+FFFD of it, which is another text than the one that was given.
func (r *reader) string() ([]byte, error) {
	r.at++
	rest, seen := r.data[r.at:], textPlain
	n := 0
	for ; n < len(rest); n++ {
		c := textBytes[rest[n]]
		if c == 0 {
			break
		}
		seen |= c
	}
	r.at += n
	r.wide = seen != textPlain
	if n < len(rest) && rest[n] == '"' {
		r.at++
		return rest[:n:n], nil
	}
	text := append([]byte(nil), rest[:n]...)
	r.wide = true
	for {
		c := r.peek()
		r.at++
		switch {
		case c == '"':
			return text, nil
		case textBytes[c] != 0:
			text = append(text, c)
			continue
		case c != '\\':
			return nil, errSyntax
		}
		c = r.peek()
		r.at++
		switch c {
		case '"', '\\', '/':
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
			u, err := r.character()
			if err != nil {
				return nil, err
			}
			text = utf8.AppendRune(text, u)
			continue
		default:
			return nil, errSyntax
		}
		text = append(text, c)
	}
}

// textBytes says of each byte of a string whether it means itself; of a wide one more than one byte makes a character.
var textBytes = func() (of [256]uint8) {
	for c := range of {
		switch {
		case c >= utf8.RuneSelf:
			of[c] = textPlain | textWide
		case c >= ' ' && c != '"' && c != '\\':
			of[c] = textPlain
		}
	}
	return of
}()

const (
	textPlain uint8 = 1 << iota
	textWide
)

// character reads what comes after \u, which may be two units.
func (r *reader) character() (rune, error) {
	u, err := r.unit()
	if err != nil || !utf16.IsSurrogate(u) {
		return u, err
	}
	low := rune(0)
	if r.peek() == '\\' && r.at+1 < len(r.data) && r.data[r.at+1] == 'u' {
		r.at += 2
		if low, err = r.unit(); err != nil {
			return 0, err
		}
	}
	if u = utf16.DecodeRune(u, low); u == utf8.RuneError {
		return 0, r.fail("half a surrogate pair is no text")
	}
	return u, nil
}

// unit reads four hexadecimal digits.
func (r *reader) unit() (rune, error) {
	if len(r.data)-r.at < 4 {
		return 0, errSyntax
	}
	var two [2]byte
	if _, err := hex.Decode(two[:], r.data[r.at:r.at+4]); err != nil {
		return 0, errSyntax
	}
	r.at += 4
	return rune(two[0])<<8 | rune(two[1]), nil
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
