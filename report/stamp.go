package report

import (
	"strings"
	"time"
)

// stamp appends times in one layout. What it holds up to the second serves all packets of that second.
type stamp struct {
	layout string // up to the point before the fraction
	in     *time.Location
	rest   string // of the layout: a zero for each digit of the fraction, and what is after them
	digits int
	unit   int64 // ns of the last digit
	second int64 // since the Unix epoch
	text   []byte
}

// newStamp makes a stamp of a layout whose seconds have a fraction, as package time has it: all digits, of zeros.
func newStamp(layout string, in *time.Location) stamp {
	point := strings.IndexByte(layout, '.') + 1
	s := stamp{layout: layout[:point], in: in, rest: layout[point:], unit: 1e9}
	for s.digits < len(s.rest) && s.rest[s.digits] == '0' {
		s.digits, s.unit = s.digits+1, s.unit/10
	}
	return s
}

// append appends ns since the Unix epoch.
func (s *stamp) append(b []byte, ns int64) []byte {
	second, rest := ns/1e9, ns%1e9
	if rest < 0 {
		second, rest = second-1, rest+1e9
	}
	if second != s.second || s.text == nil {
		s.second, s.text = second, time.Unix(second, 0).In(s.in).AppendFormat(s.text[:0], s.layout)
	}
	b = append(b, s.text...)
	at := len(b) + s.digits
	b = append(b, s.rest...)
	for rest /= s.unit; rest > 0; rest /= 10 {
		at--
		b[at] += byte(rest % 10)
	}
	return b
}
