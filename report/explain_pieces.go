package report

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

// What Explain and its JSON have in common: which pieces of a packet are asked for, and those after the last field.

// selects reports whether a piece is asked for. What is inside a secret is asked for by any path into it.
func (e *ExplainOptions) selects(from, to int, path []byte, hide bool) bool {
	if e.Last >= e.First && (to <= e.First || from > e.Last) {
		return false
	}
	if e.Field == "" {
		return true
	}
	return pathUnder(path, e.Field) || hide && pathUnder([]byte(e.Field), string(path))
}

// pathUnder reports whether a packet's path is that of a field or of something in it. An index of the field may be *.
func pathUnder(path []byte, field string) bool {
	i := 0
	for j := 0; j < len(field); j++ {
		if field[j] == '*' {
			for i < len(path) && path[i] != ']' {
				i++
			}
			continue
		}
		if i == len(path) || path[i] != field[j] {
			return false
		}
		i++
	}
	return i == len(path) || path[i] == '.' || path[i] == '['
}

// explainTail tells what is after the last field: of a refused packet the bits that it was refused for, and what was
// not read.
func (d *Dump) explainTail() {
	t := d.trace
	end := 8 * len(t.Payload)
	r := t.Reject()
	if d.hiddenEnd() {
		d.covered(end)
		return
	}
	if r == nil {
		d.piece(end, end, false, nil)
		return
	}
	hide := t.RestSecret()
	if from := min(r.Bit, end); from > d.at { // padding that was accepted
		d.piece(d.at, from, hide, func(b []byte) ([]byte, int, int) {
			b = append(b, padding...)
			return b, len(b), len(b)
		})
	}
	if to := min(r.Bit+r.ShownWidth(), end); to > d.at && r.Bit >= d.at {
		d.piece(r.Bit, to, hide, func(b []byte) ([]byte, int, int) {
			n := len(b)
			if b = r.AppendShownPath(b); len(b) == n {
				b = append(b, reject.Packet...)
			}
			return d.wanted(b, to-r.Bit, hide)
		})
	}
	if width := end - d.at; width > 0 {
		d.piece(d.at, end, hide, func(b []byte) ([]byte, int, int) {
			b = append(b, notRead...)
			n := len(b)
			if hide {
				b = decode.AppendMask(b, width)
			}
			return b, n, n
		})
	}
}

// notRead is what bits are called that lie after the reject.
const notRead = "not read"

// wanted says after its path what a refused field had to be.
func (d *Dump) wanted(b []byte, width int, hide bool) ([]byte, int, int) {
	n := len(b)
	if hide {
		b = append(decode.AppendMask(b, width), ' ')
	}
	if d.packet.Verdict() == decode.Cut {
		return append(b, "cut"...), n, n // what it had to be is not known
	}
	b = append(b, d.trace.Reject().Kind.String()...)
	return b, n, n
}
