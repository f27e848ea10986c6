package report

import (
	"bytes"
	"io"
	"net/netip"
	"strconv"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// SchemaVersion is the `schema_version` of the JSON objects. It grows when a key changes its meaning or goes away.
const SchemaVersion = 1

// JSON renders packets of one plan as JSON objects, one a line: the shape is described by `pktscope help json`. Not for
// two goroutines at once.
type JSON struct {
	plan     *plan.Plan
	protocol []byte   // `,"protocol":"…"`
	keys     [][]byte // of each node: `,"name":`, of an element `,`
	leaf     leafTexts

	peers  peers
	stamp  stamp
	file   string // of the packet before, and what it is in JSON
	quoted []byte

	trace   *decode.Trace
	out     []byte
	scratch []byte
	yield   func(*decode.Event) bool
	beside  decode.Beside
	spill   *spill
	inner   []*JSON // of each message of the schema, made when one comes
}

// NewJSON makes a renderer for packets decoded by p.
func NewJSON(p *plan.Plan) *JSON {
	j := &JSON{plan: p, spill: &spill{}, stamp: newStamp(jsonTime, time.UTC), keys: make([][]byte, len(p.Nodes))}
	j.protocol = syntax.AppendJSON([]byte(`,"protocol":`), p.Schema.Name)
	for i := range p.Nodes {
		j.keys[i] = []byte{','}
		if !p.Nodes[i].Elem {
			j.keys[i] = append(syntax.AppendJSON(j.keys[i], p.Nodes[i].Name), ':')
		}
	}
	j.leaf.prepare(p, j.keys)
	j.yield, j.beside = j.event, j.leaves
	return j
}

// Write writes what Append appends, in pieces: the object of a hostile packet can be hundreds of times its size.
func (j *JSON) Write(w io.Writer, p *scan.Packet) error {
	return j.spill.write(w, func(b []byte) []byte { return j.Append(b, p) })
}

// head begins the packet's object: every key before its fields. A packet of no capture has no number.
func (j *JSON) head(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	if t.Plan != j.plan {
		panic("pktscope: internal error: a JSON renderer got a packet of another plan")
	}
	b = append(b, `{"schema_version":1`...)
	if p.N > 0 {
		b = strconv.AppendInt(append(b, `,"n":`...), p.N, 10)
	}
	if p.File != "" {
		if p.File != j.file {
			j.file, j.quoted = p.File, syntax.AppendJSON(j.quoted[:0], p.File)
		}
		b = append(append(b, `,"file":`...), j.quoted...)
	}
	if p.HasTime() {
		b = append(j.stamp.append(append(b, `,"time":"`...), p.Time), '"')
	}
	b = j.address(b, `,"src":"`, p.Src)
	b = j.address(b, `,"dst":"`, p.Dst)
	b = append(append(b, `,"direction":"`...), t.From.String()...)
	return j.judged(append(append(b, '"'), j.protocol...), p)
}

// judged appends what a packet or a message is, and what became of it.
func (j *JSON) judged(b []byte, p *scan.Packet) []byte {
	t, verdict := p.Trace, p.Verdict()
	if t.HasTag {
		b = append(AppendCase(append(b, `,"case":"`...), t), '"')
	}
	b = strconv.AppendInt(append(b, `,"bits":`...), int64(p.Bits()), 10)
	b = append(append(append(b, `,"verdict":"`...), verdict.String()...), '"')
	if p.Stopped() {
		b = j.context(j.reject(b, t), t)
		if p.Merged > 0 {
			b = strconv.AppendInt(append(b, `,"merged":`...), int64(p.Merged), 10)
		} else if p.Merged < 0 {
			b = append(b, `,"merged":null`...)
		}
	} else {
		b = j.notes(b, p)
	}
	return b
}

// Append appends the packet's object and a newline. The packet's trace is one of the renderer's plan.
func (j *JSON) Append(b []byte, p *scan.Packet) []byte {
	b = j.fragments(j.head(b, p), p)
	b = j.incomplete(j.messages(j.body(b, p), p, -1), p)
	return append(b, '}', '\n')
}

// body appends the fields, and what was not read.
func (j *JSON) body(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	b = append(b, `,"fields":{`...)
	j.trace, j.out = t, b
	t.ShowLeaves(j.yield, j.beside)
	b, j.out, j.trace = append(j.out, '}'), nil, nil
	if p.Stopped() {
		b = append(b, `,"rest":"`...)
		if data := rest(t); len(data) > 0 && t.RestSecret() || t.Reject().HidesBit() {
			b = decode.AppendMask(b, restBits(t))
		} else {
			b = appendHex(b, data)
		}
		b = append(b, '"')
	}
	return b
}

// address appends a key with an address, or nothing where the capture has none (a USER link type).
func (j *JSON) address(b []byte, key string, a netip.AddrPort) []byte {
	if !a.IsValid() {
		return b
	}
	return append(j.peers.append(append(b, key...), a), '"')
}

const jsonTime = "2006-01-02T15:04:05.000000000Z"

// appendTime appends ns since the Unix epoch, in UTC.
func appendTime(b []byte, ns int64, layout string) []byte {
	return time.Unix(0, ns).UTC().AppendFormat(b, layout)
}

// text appends what j.scratch holds as a string, its masks sized.
func (j *JSON) text(b []byte, bits int) []byte {
	if bits > 0 && bytes.Contains(j.scratch, masked) {
		j.scratch = appendSized(nil, j.scratch, bits)
	}
	return syntax.AppendJSON(b, j.scratch)
}

func (j *JSON) reject(b []byte, t *decode.Trace) []byte {
	r := t.Reject()
	b = append(append(b, `,"reject":{"kind":"`...), r.Kind.String()...)
	j.scratch = r.AppendShownPath(j.scratch[:0])
	b = j.text(append(b, `","path":`...), 0)
	b = appendPlace(append(b, `,"bit":`...), int(saved.ShownBit(r)))
	b = appendPlace(append(b, `,"width":`...), int(saved.ShownWidth(r)))
	j.scratch = t.AppendWant(j.scratch[:0], r)
	b = j.text(append(b, `,"want":`...), r.ShownWidth())
	j.scratch = t.AppendGot(j.scratch[:0], r)
	b = j.text(append(b, `,"got":`...), r.ShownWidth())
	j.scratch = r.AppendMessage(j.scratch[:0])
	b = j.text(append(b, `,"message":`...), r.ShownWidth())
	return append(b, '}')
}

// context appends the registers that the packet had named, where it needs context.
func (j *JSON) context(b []byte, t *decode.Trace) []byte {
	for i, c := range t.Context() {
		if i == 0 {
			b = append(b, `,"context":[`...)
		} else {
			b = append(b, ',')
		}
		b = syntax.AppendJSON(append(b, `{"state":`...), c.State)
		if c.Set {
			b = strconv.AppendInt(append(b, `,"n":`...), c.N, 10)
		}
		b = append(b, '}')
	}
	if t.NeedsContext() {
		b = append(b, ']')
	}
	return b
}

func (j *JSON) notes(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	if p.Notes() == 0 {
		return b
	}
	b = append(b, `,"notes":[`...)
	for n := range p.ShownNotes() {
		b = separate(b)
		b = append(append(b, `{"kind":"`...), n.Kind.String()...)
		j.scratch = n.AppendPath(j.scratch[:0])
		b = j.text(append(b, `","path":`...), 0)
		b = append(b, `,"bit":`...)
		if n.HidesBit() {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendInt(b, int64(n.Bit), 10)
		}
		j.scratch = t.AppendNote(j.scratch[:0], n)
		b = append(j.text(append(b, `,"message":`...), n.Width), '}')
	}
	b = append(b, ']')
	if left := t.ShownLeft(); left > 0 {
		b = strconv.AppendInt(append(b, `,"notes_left":`...), int64(left), 10)
	}
	return b
}

// separate appends the comma between members and elements.
func separate(b []byte) []byte {
	if c := b[len(b)-1]; c == '{' || c == '[' {
		return b
	}
	return append(b, ',')
}

// key begins a member or an element.
func (j *JSON) key(b []byte, node plan.NodeID) []byte {
	if c := b[len(b)-1]; c == '{' || c == '[' {
		return append(b, j.keys[node][1:]...)
	}
	return append(b, j.keys[node]...)
}

// event appends one step of the walk.
func (j *JSON) event(ev *decode.Event) bool {
	n := &j.plan.Nodes[ev.Node]
	b := j.out
	switch {
	case ev.Kind == decode.Masked:
		if n.Kind != plan.NodeItem { // else the length of a text, the flag of an optional: of what follows
			b = append(decode.AppendMask(append(j.key(b, ev.Node), '"'), ev.Width), '"')
		}
	case ev.Kind == decode.Leaf || ev.Kind == decode.Blob:
		b = j.trace.AppendJSON(j.key(b, ev.Node), ev)
	case ev.Kind == decode.Open:
		b = j.key(b, ev.Node)
		if n.Kind == plan.NodeArray {
			b = append(b, '[')
		} else {
			b = append(b, '{')
		}
	case ev.Kind == decode.Close:
		if n.Kind == plan.NodeArray {
			b = append(b, ']')
		} else {
			b = append(b, '}')
		}
	case ev.Kind == decode.Item:
		if n.Elem && ev.Raw == 0 && ev.Leaf >= 0 && j.plan.Info[ev.Leaf].Kind == plan.LeafBool {
			// An optional element that is not there keeps its place, so that the others' indexes are those of their
			// paths.
			b = append(j.key(b, ev.Node), "null"...)
		}
	}
	if len(b) >= spillSize {
		b = j.spill.over(b)
	}
	j.out = b
	return true
}
