package report

import (
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

// Messages: what packets bring alone or in pieces, as JSON and as text. A message has the form of a packet, with the
// numbers of the packets that it came in; one whose bytes are a secret has its size only.

// asPacket is a message as its renderer takes it.
func asPacket(m *decode.Message) *scan.Packet { return &scan.Packet{Trace: m.Trace} }

// section is the renderer of a message.
func (j *JSON) section(n int) *JSON {
	if j.inner == nil {
		j.inner = make([]*JSON, len(j.plan.Sections))
	}
	if j.inner[n] == nil {
		one := NewJSON(j.plan.Sections[n])
		one.spill, one.inner = j.spill, j.inner
		j.inner[n] = one
	}
	return j.inner[n]
}

// several appends a list of objects: under one key where there is one, under the other as an array. each appends number
// i and reports whether it is of the list.
func several(b []byte, one, many string, n int, is func(i int) bool, each func(b []byte, i int) []byte) []byte {
	count := 0
	for i := range n {
		if is(i) {
			count++
		}
	}
	if count == 0 {
		return b
	}
	if count == 1 {
		b = append(append(append(b, `,"`...), one...), `":`...)
	} else {
		b = append(append(append(b, `,"`...), many...), `":[`...)
	}
	for i := range n {
		if is(i) {
			if b[len(b)-1] == '}' {
				b = append(b, ',')
			}
			b = each(b, i)
		}
	}
	if count > 1 {
		b = append(b, ']')
	}
	return b
}

// fragments appends the pieces of messages that an accepted packet holds, with the number of the packet where it
// completes one.
func (j *JSON) fragments(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	if p.Verdict() != decode.Accepted {
		return b
	}
	return several(b, "fragment", "fragments", len(t.Fragments), func(i int) bool { return !t.Fragments[i].Whole() }, func(b []byte, i int) []byte {
		b = appendFragment(b, j.plan.Schema.Sections, &t.Fragments[i])
		messages, _ := p.Messages()
		for k := range messages {
			if m := &messages[k]; m.Trace != nil && m.Outer < 0 && m.Field == i {
				b = strconv.AppendInt(append(b, `,"message":`...), p.N, 10)
			}
		}
		return append(b, '}')
	})
}

// appendFragment appends a piece, without the end of its object.
func appendFragment(b []byte, sections []*schema.Section, f *decode.Fragment) []byte {
	b = syntax.AppendJSON(append(b, `{"section":`...), sections[f.Section].Name)
	if f.Secret() {
		return b
	}
	b = appendID(b, f.ID)
	if f.Bytes() {
		b = append(b, `,"offset":`...)
	} else {
		b = append(b, `,"index":`...)
	}
	b = strconv.AppendUint(b, f.At, 10)
	if f.Ends() {
		return strconv.AppendBool(append(b, `,"last":`...), f.Last)
	}
	return strconv.AppendUint(append(b, `,"of":`...), f.Of, 10)
}

// appendID appends the id of a message: as text where a number of JSON could lose bits of it.
func appendID(b []byte, id uint64) []byte {
	if id >= 1<<53 {
		return append(strconv.AppendUint(append(b, `,"id":"`...), id, 10), '"')
	}
	return strconv.AppendUint(append(b, `,"id":`...), id, 10)
}

// messages appends the messages that came in fields of the packet, or of message number outer.
func (j *JSON) messages(b []byte, p *scan.Packet, outer int) []byte {
	list, left := p.Messages()
	is := func(i int) bool { return list[i].Outer == outer && list[i].Trace != nil }
	b = several(b, "message", "messages", len(list), is, func(b []byte, i int) []byte {
		m := &list[i]
		b = j.messageHead(b, m)
		one, inner := asPacket(m), j.section(m.Section)
		if m.Secret {
			b = strconv.AppendInt(append(b, `,"bits":`...), int64(one.Bits()), 10)
			b = append(append(append(b, `,"verdict":"`...), one.Verdict().String()...), '"')
		} else {
			b = inner.body(inner.judged(b, one), one)
		}
		return append(inner.messages(b, p, i), '}')
	})
	if outer < 0 && left > 0 {
		b = strconv.AppendInt(append(b, `,"messages_left":`...), int64(left), 10)
	}
	return b
}

// messageHead begins the object of a message: which it is, and what it came in.
func (j *JSON) messageHead(b []byte, m *decode.Message) []byte {
	b = syntax.AppendJSON(append(b, `{"section":`...), j.plan.Schema.Sections[m.Section].Name)
	if !m.Alone && !m.Secret {
		b = appendID(b, m.ID)
	}
	b = append(b, `,"from":[`...)
	for i, p := range m.Pieces {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, p.Record, 10)
	}
	return append(b, ']')
}

// incomplete appends the messages that were given up when the packet came.
func (j *JSON) incomplete(b []byte, p *scan.Packet) []byte {
	list, _ := p.Messages()
	some := false
	for i := range list {
		m := &list[i]
		if m.Trace != nil {
			continue
		}
		if !some {
			b, some = append(b, `,"incomplete":[`...), true
		}
		b = j.messageHead(separate(b), m)
		b = append(append(append(b, `,"verdict":"`...), m.Verdict().String()...), '"')
		b = append(syntax.AppendJSON(append(b, `,"reason":`...), m.Lost), '}')
	}
	if some {
		b = append(b, ']')
	}
	return b
}

// section is the renderer of a message.
func (x *Text) section(n int) *Text {
	if x.inner == nil {
		x.inner = make([]*Text, len(x.plan.Sections))
	}
	if x.inner[n] == nil {
		one := NewText(x.plan.Sections[n], x.opts)
		one.spill, one.inner = x.spill, x.inner
		x.inner[n] = one
	}
	return x.inner[n]
}

// messages appends what a packet's line says of the messages that it completes: of many the first.
func (x *Text) messages(b []byte, p *scan.Packet) []byte {
	list, more := p.Messages()
	shown := false
	for i := range list {
		m := &list[i]
		switch {
		case m.Trace == nil:
		case shown:
			more++
		default:
			shown = true
			b = append(b, ", "...)
			b = x.messageName(b, m)
			b = append(b, ' ')
			if m.Secret {
				b = append(b, m.Verdict().String()...)
			} else {
				b = x.section(m.Section).verdict(b, asPacket(m))
			}
		}
	}
	if more > 0 {
		b = strconv.AppendInt(append(b, " (and "...), int64(more), 10)
		b = append(b, " more)"...)
	}
	return b
}

// messageName appends the name of a message and its size.
func (x *Text) messageName(b []byte, m *decode.Message) []byte {
	b = x.kind.Append(b, x.plan.Schema.Sections[m.Section].Name)
	b = strconv.AppendInt(append(b, ' '), int64(m.Trace.Size), 10)
	return append(b, " B"...)
}

// maxFrom is how many packets of a message's pieces are named in text.
const maxFrom = 16

// messageTrees appends the messages that came in fields of the packet, or of message number outer, each as a tree of its
// own.
func (x *Text) messageTrees(b []byte, p *scan.Packet, outer int) []byte {
	list, left := p.Messages()
	for i := range list {
		m := &list[i]
		if m.Outer != outer {
			continue
		}
		if m.Trace == nil {
			b = x.kind.Append(append(b, "incomplete "...), x.plan.Schema.Sections[m.Section].Name)
			b = append(x.from(b, m), ": "...)
			b = append(x.note.Append(b, m.Verdict().String()), ": "...)
			b = append(append(b, m.Lost...), '\n')
			continue
		}
		b = x.messageName(append(b, "message "...), m)
		b = append(x.from(b, m), ": "...)
		inner, one := x.section(m.Section), asPacket(m)
		if one.Verdict() == decode.NeedsContext {
			b = x.needs(b, &decode.Envelope{}, one.Trace)
		} else if one.Trace.Rejected() {
			b = x.refused.Append(b, "reject")
		} else {
			b = x.accept.Append(b, "accept")
		}
		b = append(b, '\n')
		if !m.Secret {
			b = inner.fields(b, one)
		}
		b = inner.messageTrees(b, p, i)
	}
	if outer < 0 && left > 0 {
		b = append(b, "and "...)
		b = append(syntax.AppendCount(b, left, "more message"), '\n')
	}
	return b
}

// from appends the packets that a message came in, unless it is the one that shows it.
func (x *Text) from(b []byte, m *decode.Message) []byte {
	if m.Alone {
		return b
	}
	b = append(b, " of packet"...)
	if len(m.Pieces) != 1 {
		b = append(b, 's')
	}
	for i, p := range m.Pieces {
		if i == maxFrom {
			b = strconv.AppendInt(append(b, " and "...), int64(len(m.Pieces)-i), 10)
			return append(b, " more"...)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, ' '), p.Record, 10)
	}
	return b
}

// MessageIn is the message of a section that a packet completes: of several the first, nil of none.
func MessageIn(p *scan.Packet, section *decode.Decoder) *decode.Message {
	list, _ := p.Messages()
	for i := range list {
		if m := &list[i]; m.Trace != nil && m.Trace.Plan == section.Plan() {
			return m
		}
	}
	return nil
}

// appendBorders appends a line for each piece of a message: its bits, and the packet that brought them.
func appendBorders(b []byte, pieces []decode.MessagePiece) []byte {
	for i, p := range pieces {
		b = strconv.AppendInt(append(b, "piece "...), int64(i), 10)
		if p.N == 0 {
			b = append(b, ": no bits"...)
		} else {
			b = strconv.AppendInt(append(b, ": bits "...), int64(8*p.At), 10)
			b = strconv.AppendInt(append(b, ".."...), int64(8*(p.At+p.N)-1), 10)
		}
		b = strconv.AppendInt(append(b, ", packet "...), p.Record, 10)
		b = append(b, '\n')
	}
	return b
}

// appendFrom is appendBorders as JSON.
func appendFrom(b []byte, pieces []decode.MessagePiece) []byte {
	for i, p := range pieces {
		if i == 0 {
			b = append(b, `,"from":[{"n":`...)
		} else {
			b = append(b, `,{"n":`...)
		}
		b = strconv.AppendInt(b, p.Record, 10)
		b = strconv.AppendInt(append(b, `,"bit":`...), int64(8*p.At), 10)
		b = append(strconv.AppendInt(append(b, `,"width":`...), int64(8*p.N), 10), '}')
	}
	if len(pieces) > 0 {
		b = append(b, ']')
	}
	return b
}
