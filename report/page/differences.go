package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
)

// How two packets, or two captures, differ: what `diff -T json` writes, as a part of a page.

// The most of it that a page has.
const (
	maxPairs      = 500     // of packets
	maxPairFields = 200     // of one pair
	maxOnly       = 2000    // packets that one capture has alone
	maxDiffLine   = 1 << 20 // bytes of one object; longer ones are counted, not shown
	maxDiffBytes  = 8 << 20 // of all that are shown
)

// Differences takes the lines that `diff -T json` writes, in any pieces. What is more than a page has is counted. Its
// text may be hostile; what @secret fields had is not in it.
type Differences struct {
	Names [2]string // of the two packets or captures

	line  []byte // that has not ended
	long  bool   // it is longer than maxDiffLine
	pairs []savedDifference
	only  []savedDifference
	flows int              // taken for one another
	sum   *savedDifference // the last object, nil of two packets
	equal bool             // two packets without a difference
	kept  int              // bytes of pairs and only
	left  int              // objects that are not kept
}

// savedDifference is an object of any kind.
type savedDifference struct {
	Kind  string
	A, B  savedEnd
	First *struct {
		Bit    json.RawMessage
		In     string
		Path   string
		Secret bool
	}
	Differences []struct {
		Path string
		A, B *savedSide
	}
	DifferencesLeft int `json:"differences_left"`
	UnreadA         int `json:"unread_a"`
	UnreadB         int `json:"unread_b"`

	In       string
	Packet   *savedEnd
	N        int64
	Src, Dst string
	Section  string
	Bits     int64
	Again    bool

	Same, Differ, Reordered int64
	NotCompared             int64 `json:"not_compared"`
	OnlyA                   int64 `json:"only_a"`
	OnlyB                   int64 `json:"only_b"`
	Messages                *struct {
		A, B, Same int64
		OnlyA      int64 `json:"only_a"`
		OnlyB      int64 `json:"only_b"`
	}
}

// savedEnd is a packet; its number is missing of one that is in no capture.
type savedEnd struct {
	Name, Src, Dst, Case, Verdict string
	N, Bits                       int64
}

// savedSide is a field of one of two packets.
type savedSide struct {
	Bit, Width, Value json.RawMessage
	Code              string
}

var errNotDiff = errors.New("page: want what diff -T json writes")

// Write takes a part of the lines. The error is that they are none of `diff -T json`.
func (d *Differences) Write(b []byte) (int, error) {
	for rest := b; ; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		if d.long = d.long || len(d.line)+len(line) > maxDiffLine; !d.long {
			d.line = append(d.line, line...)
		}
		if !ended {
			return len(b), nil
		}
		if d.long {
			d.left++
		} else if err := d.take(); err != nil {
			return 0, err
		}
		d.line, d.long, rest = d.line[:0], false, after
	}
}

func (d *Differences) take() error {
	var one savedDifference
	if err := json.Unmarshal(d.line, &one); err != nil {
		return errNotDiff
	}
	keep := func(list *[]savedDifference, most int) {
		if len(*list) < most && d.kept+len(d.line) <= maxDiffBytes {
			*list, d.kept = append(*list, one), d.kept+len(d.line)
			return
		}
		d.left++
	}
	switch one.Kind {
	case "differs":
		keep(&d.pairs, maxPairs)
	case "equal":
		d.equal = true
	case "only", "only_message":
		keep(&d.only, maxOnly)
	case "paired":
		d.flows++
	case "summary":
		d.sum = &one
	default:
		return errNotDiff
	}
	return nil
}

// diffRow is a field of two packets.
type diffRow struct{ Path, A, B string }

// diffPair is two packets.
type diffPair struct {
	Title, First string
	Rows         []diffRow
	More         string
}

// onlyRow is a packet or a message of one capture.
type onlyRow struct{ In, What, Sender, Receiver, Case, Bits, Verdict string }

// diffView is how they differ.
type diffView struct {
	A, B          string
	Verdict, Tone string
	Facts         []fact
	Pairs         []diffPair
	Only          []onlyRow
	More          string
}

func newDiff(d *Differences) *diffView {
	if d == nil {
		return nil
	}
	v := &diffView{A: plain(d.Names[0]), B: plain(d.Names[1]), More: more(d.left, "difference")}
	v.Verdict, v.Tone = "Nothing differs.", "good"
	if len(d.pairs)+len(d.only)+d.left > 0 {
		v.Verdict, v.Tone = "They differ.", "bad"
	}
	if s := d.sum; s != nil {
		v.summary(s, d.flows)
	}
	for i := range d.pairs {
		v.Pairs = append(v.Pairs, newDiffPair(&d.pairs[i]))
	}
	for i := range d.only {
		v.Only = append(v.Only, v.onlyOf(&d.only[i]))
	}
	return v
}

func (dv *diffView) summary(s *savedDifference, flows int) {
	add := func(name string, n int64, note string) {
		dv.Facts = append(dv.Facts, fact{name, table.Grouped(n), note})
	}
	same, differ, a, b := s.Same, s.Differ, s.OnlyA, s.OnlyB
	what := "packet"
	if m := s.Messages; m != nil && same+differ+a+b == 0 {
		same, a, b, what = m.Same, m.OnlyA, m.OnlyB, "message"
	}
	add("same", same, what+"s")
	add("differ", differ, "pairs of them")
	add("only in A", a, dv.A)
	add("only in B", b, dv.B)
	if s.Reordered > 0 {
		add("in another order", s.Reordered, "")
	}
	if s.NotCompared > 0 {
		add("not compared", s.NotCompared, "pairs")
	}
	if flows > 0 {
		add("flows paired", int64(flows), "whose addresses differ")
	}
	if n := differ + a + b; n > 0 {
		dv.Verdict, dv.Tone = fmt.Sprintf("Of %s, %s differ or are missing.", table.Count(same+n, what), table.Grouped(n)), "bad"
	}
}

func newDiffPair(x *savedDifference) diffPair {
	p := diffPair{Title: endText(&x.A) + " and " + endText(&x.B)}
	if f := x.First; f != nil {
		p.First = "They part at bit " + rawText(f.Bit) + ", in " + plain(f.In)
		if f.Path != "" {
			p.First += " " + plain(f.Path)
		}
		p.First += "."
	}
	for i := range x.Differences[:min(len(x.Differences), maxPairFields)] {
		f := &x.Differences[i]
		p.Rows = append(p.Rows, diffRow{plain(f.Path), f.A.text(), f.B.text()})
	}
	var left []string
	if n := x.DifferencesLeft + len(x.Differences) - len(p.Rows); n > 0 {
		left = append(left, more(n, "field"))
	}
	if n := x.UnreadA + x.UnreadB; n > 0 {
		left = append(left, table.Count(n, "field")+" where reading the other had ended")
	}
	p.More = strings.Join(left, "; ")
	return p
}

func (dv *diffView) onlyOf(x *savedDifference) onlyRow {
	if p := x.Packet; p != nil {
		in := map[string]string{"a": dv.A, "b": dv.B}[x.In]
		return onlyRow{in, fmt.Sprint("packet ", p.N), plain(p.Src), plain(p.Dst), plain(p.Case), table.Grouped(p.Bits), plain(p.Verdict)}
	}
	what := fmt.Sprintf("%s of packet %d", plain(x.Section), x.N)
	if x.Again {
		what += ", which the other has less often"
	}
	return onlyRow{In: plain(x.In), What: what, Sender: plain(x.Src), Receiver: plain(x.Dst), Bits: table.Grouped(x.Bits)}
}

func endText(e *savedEnd) string {
	text := plain(e.Name)
	if e.N > 0 && !strings.HasSuffix(text, fmt.Sprint(":", e.N)) {
		text += fmt.Sprint(":", e.N)
	}
	if e.Case != "" {
		text += " " + plain(e.Case)
	}
	if e.Verdict != "" && e.Verdict != "accept" {
		text += " (" + plain(e.Verdict) + ")"
	}
	return text
}

// text is a field of one side, "" where it has none.
func (s *savedSide) text() string {
	if s == nil {
		return ""
	}
	text := rawText(s.Value)
	if text == "" && s.Code != "" {
		text = plain(s.Code)
	}
	return strings.TrimSpace(text + " at " + rawText(s.Bit) + "+" + rawText(s.Width))
}

// rawText is a JSON value as it is; a text without its quotes.
func rawText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return plain(text)
	}
	return plain(string(raw))
}
