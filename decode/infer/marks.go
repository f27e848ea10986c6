package infer

import (
	"hash/fnv"
	"strings"
)

// A line of a draft ends with its mark: `n2 bits(9) // a range; seen 0..300 ~k3qa`. The mark stands for the line, blanks
// left out. So a line that somebody changed, in whatever way, is told from one that is as it was drafted.

const (
	markSign  = "~"
	markSize  = 4
	markChars = "abcdefghijkmnpqrstuvwxyz23456789"
)

// mark is that of a line.
func mark(line string) string {
	h := fnv.New32a()
	for word := range strings.FieldsSeq(line) {
		_, _ = h.Write([]byte(word))
	}
	sum := h.Sum32()
	var b [markSize]byte
	for i := range b {
		b[i] = markChars[sum>>(5*i)&31]
	}
	return markSign + string(b[:])
}

// marked is a line with its mark after it. What only closes or aligns has none.
func marked(line string) string {
	if line == "}" || line == "} else {" || strings.HasPrefix(line, "align") {
		return line
	}
	if strings.Contains(line, " // ") {
		line += " "
	} else {
		line += " // "
	}
	return line + mark(line)
}

// asDrafted reports whether a line ends with its mark.
func asDrafted(line string) bool {
	line = strings.TrimRight(line, " \t\r\n")
	at := len(line) - markSize - len(markSign)
	return at >= 0 && mark(line[:at]) == line[at:]
}
