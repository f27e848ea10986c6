package report

import "github.com/pktscope/pktscope/decode"

// AppendCase appends the packet's case as text has it: the enum's case, or the tag in decimal; `-` where it was not
// reached or there is none, ‹secret› where it is one.
func AppendCase(b []byte, t *decode.Trace) []byte {
	v, ok := t.Case()
	if !ok {
		return append(b, '-')
	}
	return v.AppendText(b)
}
