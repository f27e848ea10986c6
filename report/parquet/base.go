package parquet

import (
	"net/netip"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// The columns that every file has, in their order.
const (
	columnN = iota
	columnFile
	columnTime
	columnTimeNS
	columnSrcIP
	columnDstIP
	columnSrcPort
	columnDstPort
	columnDirection
	columnProtocol
	columnCase
	columnBits
	columnVerdict
	columnRejectKind
	columnRejectPath
	columnRejectBit
	columnRejectWidth
	columnRejectWant
	columnRejectGot
	columnRejectLine
	columnNotes
	countBase
)

// baseColumns are these columns. The time is there twice: DuckDB reads nanoseconds in UTC as microseconds.
var baseColumns = [countBase]column{
	columnN:           {path: []string{"n"}, columnType: required(intType(64, true))},
	columnFile:        {path: []string{"file"}, columnType: required(wordType)},
	columnTime:        {path: []string{"time"}, columnType: timeType},
	columnTimeNS:      {path: []string{"time_ns"}, columnType: intType(64, true)},
	columnSrcIP:       {path: []string{"src_ip"}, columnType: wordType},
	columnDstIP:       {path: []string{"dst_ip"}, columnType: wordType},
	columnSrcPort:     {path: []string{"src_port"}, columnType: intType(16, false)},
	columnDstPort:     {path: []string{"dst_port"}, columnType: intType(16, false)},
	columnDirection:   {path: []string{"direction"}, columnType: wordType},
	columnProtocol:    {path: []string{"protocol"}, columnType: wordType},
	columnCase:        {path: []string{"case"}, columnType: wordType},
	columnBits:        {path: []string{"bits"}, columnType: required(intType(32, true))},
	columnVerdict:     {path: []string{"verdict"}, columnType: required(wordType)},
	columnRejectKind:  {path: []string{"reject", "kind"}, columnType: wordType},
	columnRejectPath:  {path: []string{"reject", "path"}, columnType: wordType},
	columnRejectBit:   {path: []string{"reject", "bit"}, columnType: intType(64, true)},
	columnRejectWidth: {path: []string{"reject", "width"}, columnType: intType(32, true)},
	columnRejectWant:  {path: []string{"reject", "want"}, columnType: wordType},
	columnRejectGot:   {path: []string{"reject", "got"}, columnType: textType},
	columnRejectLine:  {path: []string{"reject", "line"}, columnType: intType(32, true)},
	columnNotes:       {path: []string{"notes"}, columnType: wordType},
}

// required is a type whose column is never NULL.
func required(t columnType) columnType {
	t.always = true
	return t
}

// baseNames are the names that groups cannot have.
func baseNames() names {
	n := names{}
	for i := range baseColumns {
		n[strings.ToLower(baseColumns[i].path[0])] = true
	}
	return n
}

// envelope appends what the capture knows of a packet and what became of it. Levels: a column that can be NULL has
// level 1 where it is there, a member of `reject` level 2, a note level 1 of repetition and definition.
func (r *rows) envelope(p *scan.Packet) {
	r.number(columnN, uint64(p.N), 0, 0)
	r.string(columnFile, p.File, 0, 0)
	if p.HasTime() {
		r.number(columnTime, uint64(p.Time), 0, 1)
		r.number(columnTimeNS, uint64(p.Time), 0, 1)
	} else {
		r.null(columnTime, columnTimeNS+1, 0, 0)
	}
	r.address(columnSrcIP, columnSrcPort, p.Src)
	r.address(columnDstIP, columnDstPort, p.Dst)
	if p.Trace.From == decode.FromUnknown {
		r.null(columnDirection, columnDirection+1, 0, 0)
	} else {
		r.string(columnDirection, p.Trace.From.String(), 0, 1)
	}
	r.string(columnProtocol, p.Trace.Plan.Schema.Name, 0, 1)
	if p.Trace.HasTag && !p.Trace.Plan.CaseSecret() {
		r.made = report.AppendCase(r.made[:0], p.Trace)
		r.text(columnCase, r.made, 0, 1)
	} else {
		r.null(columnCase, columnCase+1, 0, 0)
	}
	r.number(columnBits, uint64(p.Bits()), 0, 0)
	verdict := p.Verdict()
	r.string(columnVerdict, verdict.String(), 0, 0)
	if verdict == decode.Refused {
		r.refusal(p.Trace)
		r.null(columnNotes, columnNotes+1, 0, 0)
		return
	}
	r.null(columnRejectKind, columnRejectLine+1, 0, 0)
	rep := uint8(0)
	note := func(kind string) {
		r.string(columnNotes, kind, rep, 1)
		rep = 1
	}
	for n := range p.ShownNotes() {
		note(n.Kind.String())
	}
	if rep == 0 {
		r.null(columnNotes, columnNotes+1, 0, 0)
	}
}

// refusal appends why a packet was refused, NULL for what tells a secret.
func (r *rows) refusal(t *decode.Trace) {
	why := t.Reject()
	number := func(at int, n saved.Bits) {
		if n == decode.Hidden {
			r.null(at, at+1, 1, 0)
		} else {
			r.number(at, uint64(n), 0, 2)
		}
	}
	made := func(at int, from func([]byte) []byte) {
		r.made = from(r.made[:0])
		r.text(at, r.made, 0, 2)
	}
	r.string(columnRejectKind, why.Kind.String(), 0, 2)
	made(columnRejectPath, why.AppendShownPath)
	bit, width := saved.ShownBit(why), saved.ShownWidth(why)
	number(columnRejectBit, bit)
	number(columnRejectWidth, min(width, 1<<31-1))
	made(columnRejectWant, func(b []byte) []byte { return t.AppendWant(b, why) })
	made(columnRejectGot, func(b []byte) []byte { return t.AppendGot(b, why) })
	number(columnRejectLine, saved.Bits(lineOf(t, why)))
}

// lineOf is the line of the schema whose rule refused a packet; decode.Hidden where that tells a secret, and of a rule
// that is in no line of the schema's own file.
func lineOf(t *decode.Trace, why *reject.Reject) int {
	if why.HidesBit() || why.HidesWidth() || why.ShownPath() != why.Path() || t.EndsEarly() {
		return decode.Hidden
	}
	pos := t.Plan.Nodes[0].Pos
	if why.At.Leaf >= 0 {
		pos = t.Plan.Nodes[t.Plan.Info[why.At.Leaf].Node].Pos
	} else if step := t.Plan.StepAt(why.At.Point); why.At.Point >= 0 && step != nil {
		pos = step.At().Pos
	}
	files := t.Plan.Schema.Files
	if pos.Line < 1 || len(files) > 1 && files.At(pos.Off).Name != files[0].Name {
		return decode.Hidden
	}
	return int(pos.Line)
}

// address appends an address and a port, which a capture of a USER link type has not.
func (r *rows) address(ip, port int, a netip.AddrPort) {
	if !a.IsValid() {
		r.null(ip, ip+1, 0, 0)
		r.null(port, port+1, 0, 0)
		return
	}
	r.made = a.Addr().AppendTo(r.made[:0])
	r.text(ip, r.made, 0, 1)
	r.number(port, uint64(a.Port()), 0, 1)
}
