package report

import (
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/diff"
	"github.com/pktscope/pktscope/report/scan"
)

// placeWords are the `in` of `first`.
var placeWords = [...]string{
	diff.InField: "field", diff.InPadding: padding, diff.InCheck: "check", diff.InReserved: "reserved",
	diff.NotRead: "not-read", diff.EndFirst: "end-of-a", diff.EndSecond: "end-of-b",
}

// AppendJSON appends what Append says as one object and a newline:
//
//	{"schema_version":1,"kind":"differs","a":{…},"b":{…},"first":{"bit":107,"in":"field","path":"body.keys"},
//	 "differences":[{"path":"body.keys","a":{"bit":96,"width":16,"code":"21","value":["Up"]},"b":{…}}]}
//
// with kind equal and no more than a and b where nothing differs. Codes are decimal strings, values as in `fields`.
func (d *Differences) AppendJSON(b []byte, pa, pb *scan.Packet, nameA, nameB string) []byte {
	part, differ := diff.First(pa.Trace, pb.Trace, pa.Cut, pb.Cut)
	kind := "equal"
	if differ || Differ(pa, pb) {
		kind = "differs"
	}
	b = append(append(append(b, `{"schema_version":1,"kind":"`...), kind...), '"')
	b = d.packet(append(b, `,"a":`...), pa, nameA)
	b = d.packet(append(b, `,"b":`...), pb, nameB)
	if !differ {
		return append(b, "}\n"...)
	}
	b = strconv.AppendInt(append(b, `,"first":{"bit":`...), int64(part.Bit), 10)
	b = append(append(append(b, `,"in":"`...), placeWords[part.Place]...), '"')
	if part.Path != "" {
		b = syntax.AppendJSON(append(b, `,"path":`...), part.Path)
	}
	if part.Secret {
		b = append(b, `,"secret":true`...)
	}
	b = append(b, `},"differences":[`...)
	r, left := d.each(pa, pb, func(f *diff.Difference) {
		ev, t := f.A, pa.Trace
		if ev == nil {
			ev, t = f.B, pb.Trace
		}
		b = append(separate(b), `{"path":`...)
		d.json.scratch = t.AppendEventPath(d.json.scratch[:0], ev)
		b = syntax.AppendJSON(b, d.json.scratch)
		b = d.sideJSON(b, `,"a":{`, pa.Trace, f.A, f.Secret)
		b = append(d.sideJSON(b, `,"b":{`, pb.Trace, f.B, f.Secret), '}')
	})
	b = append(b, ']')
	for _, n := range []struct {
		key string
		n   int
	}{{`,"differences_left":`, left}, {`,"unread_a":`, r.UnreadA}, {`,"unread_b":`, r.UnreadB}} {
		if n.n > 0 {
			b = strconv.AppendInt(append(b, n.key...), int64(n.n), 10)
		}
	}
	return append(b, "}\n"...)
}

// packet appends which packet it is, and its verdict.
func (d *Differences) packet(b []byte, p *scan.Packet, name string) []byte {
	b = syntax.AppendJSON(append(b, `{"name":`...), name)
	if p.N > 0 {
		b = strconv.AppendInt(append(b, `,"n":`...), p.N, 10)
		b = d.json.address(b, `,"src":"`, p.Src)
		b = d.json.address(b, `,"dst":"`, p.Dst)
	}
	b = append(append(append(b, `,"protocol":"`...), p.Trace.Plan.Schema.Name...), '"')
	if p.Trace.HasTag {
		b = append(AppendCase(append(b, `,"case":"`...), p.Trace), '"')
	}
	b = strconv.AppendInt(append(b, `,"bits":`...), int64(p.Bits()), 10)
	b = append(append(append(b, `,"verdict":"`...), p.Verdict().String()...), '"')
	if p.Verdict() == decode.Refused {
		b = d.json.reject(b, p.Trace)
	}
	return append(b, '}')
}

func (d *Differences) sideJSON(b []byte, key string, t *decode.Trace, ev *decode.Event, secret bool) []byte {
	if ev == nil {
		return b
	}
	b = appendPlace(append(append(b, key...), `"bit":`...), ev.Bit)
	b = appendPlace(append(b, `,"width":`...), ev.Width)
	switch {
	case secret:
		b = append(decode.AppendMask(append(b, `,"value":"`...), ev.Width), '"')
	case ev.Kind == decode.Blob:
		b = t.Value(ev).AppendJSON(append(b, `,"value":`...))
	case ev.Leaf >= 0:
		b = strconv.AppendUint(append(b, `,"code":"`...), ev.Raw, 10)
		b = t.Value(ev).AppendJSON(append(b, `","value":`...))
	}
	return append(b, '}')
}
