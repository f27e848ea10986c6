package oracle

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Text that is not UTF-8 has no place in JSON, and a packet may hold it: char(n) and cstring take any byte. A reader's
// answer is its bytes nevertheless: as they are, as lone surrogates (Python's surrogateescape), in {"raw":…} as
// hexadecimal digits, or, where its language has replaced them before anybody could ask, as U+FFFD.

// plainText reports whether a line's strings are what encoding/json makes of them: it puts U+FFFD for bytes that are
// not UTF-8 and for lone surrogates.
func plainText(line []byte) bool {
	return utf8.Valid(line) && !bytes.Contains(line, []byte(`\ud`)) && !bytes.Contains(line, []byte(`\uD`))
}

// exactValue is a JSON value with the bytes of its strings.
func exactValue(raw json.RawMessage, depth int) (value any, err error) {
	if depth > maxFieldDepth {
		return nil, tooMuch()
	}
	switch raw[0] {
	case '"':
		return exactText(raw)
	case '{':
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
		object := make(map[string]any, len(members))
		for key, inner := range members {
			if object[key], err = exactValue(inner, depth+1); err != nil {
				return nil, err
			}
		}
		return object, nil
	case '[':
		var members []json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
		list := make([]any, len(members))
		for i, inner := range members {
			if list[i], err = exactValue(inner, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// exactText is a JSON string's bytes: those that are not UTF-8 stay, a lone surrogate U+DC80..U+DCFF is the byte that
// Python made it of, another one is its three bytes.
func exactText(quoted []byte) (string, error) {
	text := quoted[1 : len(quoted)-1]
	var out []byte
	begin := 0
	upTo := func(end int) error { // what lies between is for the library
		var plain string
		err := json.Unmarshal(append(append([]byte{'"'}, text[begin:end]...), '"'), &plain)
		out = append(out, plain...)
		return err
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			if err := upTo(i); err != nil {
				return "", err
			}
			out = append(out, text[i])
			i++
			begin = i
		case r != '\\':
			i += n
		default:
			unit, ok := escapedUnit(text[i:])
			if !ok || !utf16.IsSurrogate(unit) {
				i += 2 // of \u0041 the digits are letters like others
				continue
			}
			if low, _ := escapedUnit(text[i+6:]); utf16.DecodeRune(unit, low) != utf8.RuneError {
				i += 12
				continue
			}
			if err := upTo(i); err != nil {
				return "", err
			}
			if unit >= 0xdc80 && unit <= 0xdcff {
				out = append(out, byte(unit))
			} else {
				out = append(out, 0xe0|byte(unit>>12), 0x80|byte(unit>>6&0x3f), 0x80|byte(unit&0x3f))
			}
			i += 6
			begin = i
		}
	}
	err := upTo(len(text))
	return string(out), err
}

// escapedUnit is the UTF-16 unit that a text begins with as an escape; false when it begins with another one, or none.
func escapedUnit(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// sameText compares a reader's text with a packet's. Zeros at its end are the rest of a buffer.
func sameText(want []byte, got string) bool {
	text := bytes.TrimRight([]byte(got), "\x00")
	return bytes.Equal(text, want) || !utf8.Valid(want) && substituted(want, text)
}

// substituted reports whether a text is what a decoder of UTF-8 makes of bytes that are none: U+FFFD for each byte
// (Go), for each beginning of a character (Rust, JavaScript, Python), or for all that are next to each other.
func substituted(want, text []byte) bool {
	for len(want) > 0 {
		r, n := utf8.DecodeRune(want)
		if r != utf8.RuneError {
			if !bytes.HasPrefix(text, want[:n]) {
				return false
			}
			want, text = want[n:], text[n:]
			continue
		}
		bad := 0
		for ; r == utf8.RuneError && n > 0; r, n = utf8.DecodeRune(want) { // U+FFFD itself counts with its neighbours
			want = want[n:]
			bad++
		}
		rest := bytes.TrimLeft(text, "\ufffd")
		if marks := (len(text) - len(rest)) / len("\ufffd"); marks < 1 || marks > bad {
			return false
		}
		text = rest
	}
	return len(text) == 0
}
