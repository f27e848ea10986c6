package report

import (
	"strconv"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// A TimeForm is how text shows when a packet came: a row of TimeForms.
type TimeForm struct {
	Word string
	Help string
	// layout is that of a line, in the zone of in; empty where append is.
	layout string
	in     *time.Location
	// append appends seconds with so many digits after the point.
	append func(b []byte, e *decode.Envelope, digits int) []byte
	behind string // the text after the seconds in a tree
}

// TimeForms are the forms of -t, with the words of tshark; the first is the default.
var TimeForms = []TimeForm{
	{Word: "u", Help: "time of day in UTC", layout: lineTime, in: time.UTC},
	{Word: "ud", Help: "with the date", layout: "2006-01-02 " + lineTime, in: time.UTC},
	{Word: "a", Help: "time of day here", layout: lineTime, in: time.Local},
	{Word: "ad", Help: "with the date", layout: "2006-01-02 " + lineTime, in: time.Local},
	{Word: "r", Help: "seconds since the capture's first datagram", behind: "since the first", append: func(b []byte, e *decode.Envelope, digits int) []byte {
		return appendSeconds(b, e.Time-e.First, digits)
	}},
	{Word: "d", Help: "since the datagram before, shown or not", behind: "since the one before", append: func(b []byte, e *decode.Envelope, digits int) []byte {
		return appendSeconds(b, e.Time-e.Before, digits)
	}},
	{Word: "e", Help: "since 1970", behind: "since 1970", append: func(b []byte, e *decode.Envelope, digits int) []byte {
		return appendSeconds(b, e.Time, digits)
	}},
}

// timeForm is the row of a word; "" is the first.
func timeForm(word string) *TimeForm {
	for i := range TimeForms {
		if TimeForms[i].Word == word {
			return &TimeForms[i]
		}
	}
	return &TimeForms[0]
}

// AppendLineTime appends when a packet came, as a line has it in the form of a word of TimeForms.
func AppendLineTime(b []byte, word string, e *decode.Envelope) []byte {
	f := timeForm(word)
	s := f.stamp()
	return f.line(b, e, &s)
}

// How many digits seconds have in a line, and in a tree; and how many cells a time takes in a line at least.
const (
	lineDigits = 6
	treeDigits = 9
	timeColumn = len(lineTime)
)

// stamp makes what line needs, for any number of lines.
func (f *TimeForm) stamp() stamp { return newStamp(f.layout, f.in) }

// line appends the time as a line has it.
func (f *TimeForm) line(b []byte, e *decode.Envelope, s *stamp) []byte {
	switch start := len(b); {
	case !e.HasTime():
		return append(pad(b, max(len(f.layout), timeColumn)-1), '-')
	case f.append == nil:
		return s.append(b, e.Time)
	default:
		var room [32]byte
		text := f.append(room[:0], e, lineDigits)
		return append(pad(b[:start], timeColumn-len(text)), text...)
	}
}

// tree appends the time as the head of a tree has it: with the date, and all digits.
func (f *TimeForm) tree(b []byte, e *decode.Envelope) []byte {
	switch {
	case f.append != nil:
		return append(append(f.append(b, e, treeDigits), " s "...), f.behind...)
	case f.in == time.UTC:
		return appendTime(b, e.Time, treeTime)
	}
	return time.Unix(0, e.Time).In(f.in).AppendFormat(b, "2006-01-02 15:04:05.000000000 -0700")
}

// appendSeconds appends nanoseconds as seconds with so many digits, 1 to 9; what is after them is cut off.
func appendSeconds(b []byte, ns int64, digits int) []byte {
	size := uint64(ns)
	if ns < 0 {
		b, size = append(b, '-'), -size
	}
	b = append(strconv.AppendUint(b, size/1e9, 10), '.')
	for unit := uint64(1e8); digits > 0; digits, unit = digits-1, unit/10 {
		b = append(b, byte('0'+size/unit%10))
	}
	return b
}
