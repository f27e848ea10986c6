package report

import (
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/diff"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/scan"
)

// Two packets side by side: a line for each, the first bit in which they part, and the fields that differ, as a diff
// has lines.
//
//	--- a.pcap:12: 14:07:21.001 10.0.0.2:5000 C→S 10.0.0.1:4124   PlayerInput   16 B accept
//	+++ b.pcap:12: 14:07:21.001 10.0.0.2:5000 C→S 10.0.0.1:4124   PlayerInput   16 B accept
//	they part at bit 107 (byte 13+3), in body.keys
//	body.keys
//	-     96+16   0x0015  Up|Left|Shoot
//	+     96+16   0x0005  Up|Left

// Differences renders how packets of one plan differ. Not for two goroutines at once.
type Differences struct {
	text *Text
	dump *Dump
	json *JSON
	most int // fields of one pair; 0 is all of them
}

// NewDifferences makes a renderer for packets decoded by p that shows most fields of a pair, or all of them for 0.
func NewDifferences(p *plan.Plan, opts TextOptions, most int) *Differences {
	return &Differences{text: NewText(p, opts), dump: NewDump(p, opts), json: NewJSON(p), most: most}
}

// Differ reports whether there is anything to tell of two packets: a field, a bit, or the verdict. What the capture of
// one cut away is not.
func Differ(a, b *scan.Packet) bool {
	if a.Verdict() != b.Verdict() && a.Verdict() != decode.Cut && b.Verdict() != decode.Cut {
		return true
	}
	_, differ := diff.First(a.Trace, b.Trace, a.Cut, b.Cut)
	return differ
}

// Append appends what is said of two packets, which the caller calls nameA and nameB, with an empty line after it.
func (d *Differences) Append(b []byte, pa, pb *scan.Packet, nameA, nameB string) []byte {
	x := d.text
	b = d.head(b, x.refused, "--- ", nameA, pa)
	b = d.head(b, x.accept, "+++ ", nameB, pb)
	part, differ := diff.First(pa.Trace, pb.Trace, pa.Cut, pb.Cut)
	if !differ {
		b = append(b, "no bit differs"...)
		if n, m := len(pa.Trace.Payload), len(pb.Trace.Payload); n != m {
			b = append(b, " in the bytes that both captures kept"...)
		}
		return append(b, "\n\n"...)
	}
	b = append(d.parting(b, &part, nameA, nameB), '\n')
	r, left := d.each(pa, pb, func(f *diff.Difference) { b = d.field(b, f, pa.Trace, pb.Trace) })
	if left > 0 {
		b = append(syntax.AppendCount(append(b, "and "...), left, "more field"), '\n')
	}
	b = d.unread(b, r.UnreadA, nameB, nameA)
	b = d.unread(b, r.UnreadB, nameA, nameB)
	return append(b, '\n')
}

// each compares two packets and takes the differences that are shown; left is how many more there are.
func (d *Differences) each(pa, pb *scan.Packet, take func(*diff.Difference)) (r diff.Result, left int) {
	shown := 0
	r = diff.Compare(pa.Trace, pb.Trace, pa.Cut, pb.Cut, func(f *diff.Difference) bool {
		if d.most > 0 && shown == d.most {
			left++
			return true
		}
		shown++
		take(f)
		return true
	})
	return r, left
}

func (d *Differences) head(b []byte, hue table.Paint, sign, name string, p *scan.Packet) []byte {
	b = append(append(b, hue.On...), sign...)
	b = append(syntax.AppendEscaped(b, name), hue.Off...)
	b = append(b, ": "...)
	if p.N > 0 {
		line := d.text.AppendLine(nil, p)
		i := 0 // without the number, which is in the name
		for i = len(d.text.dim.On) + numberColumn; i < len(line) && line[i] != ' '; i++ {
		}
		b = append(b, d.text.dim.On...)
		return append(b, line[min(i+1, len(line)):]...)
	}
	b = append(d.text.caseColumn(b, p.Trace), ' ')
	b = append(syntax.AppendCount(b, p.Trace.Size, "byte"), ' ')
	return append(d.text.verdict(b, p), '\n')
}

// parting says where two packets part.
func (d *Differences) parting(b []byte, p *diff.Parting, nameA, nameB string) []byte {
	b = append(b, "they part at bit "...)
	b = reject.AppendBit(b, p.Bit)
	switch {
	case p.Place == diff.EndFirst:
		return syntax.AppendEscaped(append(b, ", where there is no more of "...), nameA)
	case p.Place == diff.EndSecond:
		return syntax.AppendEscaped(append(b, ", where there is no more of "...), nameB)
	case p.Secret && p.Path == "":
		return append(b, " or after it, in what may be a secret"...)
	case p.Secret:
		return d.text.style.name.Append(append(b, " or after it, in the secret "...), p.Path)
	case p.Place == diff.InPadding:
		b = append(b, ", in padding"...)
	case p.Place == diff.InCheck:
		b = append(b, ", in a check"...)
	case p.Place == diff.InReserved:
		b = append(b, ", in reserved bits"...)
	case p.Place == diff.NotRead:
		b = syntax.AppendEscaped(append(b, ", in what was not read of "...), nameA)
	}
	if p.Path != "" {
		b = d.text.style.name.Append(append(b, ", in "...), p.Path)
	}
	return b
}

// unread says how many fields of one packet were not compared.
func (d *Differences) unread(b []byte, n int, in, refused string) []byte {
	if n == 0 {
		return b
	}
	b = syntax.AppendCount(b, n, "more field")
	b = syntax.AppendEscaped(append(b, " of "...), in)
	return append(syntax.AppendEscaped(append(b, ", where reading "...), refused), " had ended\n"...)
}

// field appends one field that differs.
func (d *Differences) field(b []byte, f *diff.Difference, ta, tb *decode.Trace) []byte {
	ev, t := f.A, ta
	if ev == nil {
		ev, t = f.B, tb
	}
	b = append(b, d.text.style.name.On...)
	if ev.Kind == decode.Item && !d.text.plan.Nodes[ev.Node].Named {
		b = append(b, "reserved"...)
	} else {
		b = t.AppendEventPath(b, ev)
	}
	b = append(append(b, d.text.style.name.Off...), '\n')
	same := 0 // bytes at the beginning of both, of which a line would show nothing else
	if f.A != nil && f.B != nil && f.A.Kind == decode.Blob && f.B.Kind == decode.Blob {
		for a, b := f.A.Data, f.B.Data; same < len(a) && same < len(b) && a[same] == b[same]; same++ {
		}
	}
	b = d.side(b, f.A, ta, '-', d.text.refused, f.Secret, same)
	return d.side(b, f.B, tb, '+', d.text.accept, f.Secret, same)
}

func (d *Differences) side(b []byte, ev *decode.Event, t *decode.Trace, sign byte, hue table.Paint, secret bool, same int) []byte {
	if ev == nil {
		return b
	}
	b = append(append(append(b, hue.On...), sign), hue.Off...)
	n := &d.text.plan.Nodes[ev.Node]
	b = d.text.position(append(b, "  "...), ev.Bit, ev.Width)
	if secret {
		return append(decode.AppendMask(b, ev.Width), '\n')
	}
	if ev.Kind == decode.Blob && same > inlineBytes/2 {
		b = strconv.AppendInt(append(b, "from byte "...), int64(same), 10)
		b = append(b, " of "...)
		b = append(syntax.AppendCount(b, len(ev.Data), "byte"), ": "...)
		return append(d.dump.blob(b, n, ev.Data[same:]), '\n')
	}
	d.dump.trace = t
	d.json.scratch = d.json.scratch[:0]
	text, path, code := d.dump.describe(d.json.scratch, n, ev)
	d.json.scratch = text
	b = append(b, text[path:code]...)
	if code > path && len(text) > code {
		b = append(b, "  "...)
	}
	return append(append(b, text[code:]...), '\n')
}
