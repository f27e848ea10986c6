package slow

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/reject"
)

// name reads a dnsname. First come its own bytes, up to a root or a pointer; then, as often as there is a pointer, the
// labels that it leads to, which are before the name. The order of the checks is that of the bytes.
func (w *walk) name(f frame) bool {
	start := w.bit
	labels, target, ok := w.labels(f, nil)
	if !ok {
		return false
	}
	width := w.bit - start
	bad := func() bool { return w.refuse(f, reject.BadString, start, width) }
	below := start / 8 // the first byte of the labels that the pointer ends
	for pointers := 0; target >= 0; {
		if pointers++; target >= below || pointers > 64 {
			return bad()
		}
		below = target
		front := w.data[:start/8]
		at := target
		for target = -1; ; {
			if at >= len(front) {
				return bad()
			}
			length := int(front[at])
			if length == 0 {
				break
			}
			if length >= 0xC0 {
				if at+1 >= len(front) {
					return bad()
				}
				target = (length-0xC0)*256 + int(front[at+1])
				break
			}
			if length > 63 || at+1+length > len(front) {
				return bad()
			}
			if labels = append(labels, front[at+1:at+1+length]); long(labels) {
				return bad()
			}
			at += 1 + length
		}
	}
	w.readData(f, start, width, []byte(shown(labels)))
	return true
}

// labels reads the bytes that are here. target is where the pointer at their end leads to, -1 for a root.
func (w *walk) labels(f frame, labels [][]byte) (_ [][]byte, target int, ok bool) {
	start := w.bit
	more := func(n int) bool {
		return w.end-w.bit >= 8*n || w.refuse(f, reject.PastEnd, start, w.bit-start+8*n)
	}
	for {
		if !more(1) {
			return nil, 0, false
		}
		length := int(w.data[w.bit/8])
		switch {
		case length == 0:
			w.bit += 8
			return labels, -1, true
		case length >= 0xC0:
			if !more(2) {
				return nil, 0, false
			}
			target = (length-0xC0)*256 + int(w.data[w.bit/8+1])
			w.bit += 16
			return labels, target, true
		case length > 63 || long(append(labels, make([]byte, length))):
			return nil, 0, w.refuse(f, reject.BadString, start, w.bit-start+8)
		case !more(1 + length):
			return nil, 0, false
		}
		labels = append(labels, w.data[w.bit/8+1:][:length])
		w.bit += 8 * (1 + length)
	}
}

// long reports whether labels have more than 255 bytes, each with its length, and the root's.
func long(labels [][]byte) bool {
	size := 1
	for _, l := range labels {
		size += 1 + len(l)
	}
	return size > 255
}

// shown is a name as zone files have it.
func shown(labels [][]byte) string {
	text := ""
	for _, l := range labels {
		for _, c := range l {
			switch {
			case c == '.' || c == '\\':
				text += "\\" + string(rune(c))
			case '!' <= c && c <= '~':
				text += string(rune(c))
			default:
				text += fmt.Sprintf("\\%03d", c)
			}
		}
		text += "."
	}
	if text == "" {
		return "."
	}
	return text
}
