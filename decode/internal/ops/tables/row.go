package tables

import (
	"fmt"
	"strconv"
	"strings"
)

// Language is how a language writes tables. Records have braces in all of them.
type Language struct {
	Assign string    // between a member's name and its value
	List   [2]string // the brackets of a list
	Quote  func(text string) string
	Bytes  func(data string) string // of a text of any bytes
	First  int                      // the number of a table's first row
}

// Record begins a record without members.
func (l *Language) Record() *Row { return &Row{l: l} }

// Join is a list of what is written already.
func (l *Language) Join(items []string) string {
	return l.List[0] + strings.Join(items, ", ") + l.List[1]
}

// Words is a list of the halves of some words.
func (l *Language) Words(words ...uint64) string {
	var halves []string
	for _, v := range words {
		halves = append(halves, strconv.FormatUint(v>>32, 10), strconv.FormatUint(v&0xffffffff, 10))
	}
	return l.Join(halves)
}

// Interval is a list of the halves of both ends, and of what belongs to it.
func (l *Language) Interval(lo, hi uint64, more ...uint64) string {
	items := []string{fmt.Sprint(lo >> 32), fmt.Sprint(lo & 0xffffffff), fmt.Sprint(hi >> 32), fmt.Sprint(hi & 0xffffffff)}
	for _, v := range more {
		items = append(items, fmt.Sprint(v))
	}
	return l.Join(items)
}

// Row is a record with the members that are not what a missing one stands for.
type Row struct {
	l *Language
	b []byte
}

// Raw adds a member that is written already; where a language has records and lists in one, "" is the next of the list.
func (r *Row) Raw(name, text string) {
	if len(r.b) > 0 {
		r.b = append(r.b, ", "...)
	}
	if name != "" {
		r.b = append(append(r.b, name...), r.l.Assign...)
	}
	r.b = append(r.b, text...)
}

// Number adds a number unless it is 0.
func (r *Row) Number(name string, n int64) {
	if n != 0 {
		r.Raw(name, strconv.FormatInt(n, 10))
	}
}

// Given adds a number, 0 too.
func (r *Row) Given(name string, n int64) { r.Raw(name, strconv.FormatInt(n, 10)) }

// Index adds the number of a row of another table unless i, which counts from 0, is negative.
func (r *Row) Index(name string, i int) {
	if i >= 0 {
		r.Given(name, int64(i+r.l.First))
	}
}

// Text adds a text unless it is empty.
func (r *Row) Text(name, text string) {
	if text != "" {
		r.Raw(name, r.l.Quote(text))
	}
}

// Flag adds true, and nothing else.
func (r *Row) Flag(name string, set bool) {
	if set {
		r.Raw(name, "true")
	}
}

// Word adds the halves of a word as a list unless it is 0.
func (r *Row) Word(name string, v uint64) {
	if v != 0 {
		r.Raw(name, r.l.Words(v))
	}
}

// Halves adds the halves of a word as two members, with an h and an l after the prefix, each unless it is 0.
func (r *Row) Halves(prefix string, v uint64) {
	r.Number(prefix+"h", int64(v>>32))
	r.Number(prefix+"l", int64(v&0xffffffff))
}

// String is the record.
func (r *Row) String() string { return "{" + string(r.b) + "}" }

// Empty reports whether it has no member.
func (r *Row) Empty() bool { return len(r.b) == 0 }
