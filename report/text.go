package report

import (
	"net/netip"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/scan"
)

// TextOptions say how text looks.
type TextOptions struct {
	Colour bool
	// File puts the capture's name before each packet's number, for more than one capture.
	File bool
	Time string // the word of a TimeForm; "" is the first
}

// Text renders packets of one plan for people: as a line or as a tree. Nothing it appends is obeyed by a terminal but
// its own colours. Not for two goroutines at once.
type Text struct {
	style
	opts    TextOptions
	time    *TimeForm
	stamp   stamp // of lines
	plan    *plan.Plan
	caseTo  int // cells of the case column
	scratch []byte
	sized   []byte
	peers   peers
	spill   *spill
	inner   []*Text // of each message of the schema, made when one comes
	coded   bool    // a number's code is beside its value

	// Of the tree being written.
	trace  *decode.Trace
	out    []byte
	depth  int
	told   []uint32 // of each node: number of the tree that showed its doc text last
	tree   uint32
	nameTo int // cells of the name column
	// guarded are the annotations of arms whose switch asks for a secret: their labels would tell it.
	guarded map[*schema.Annotations]bool
	shared  *sharedArms
	yield   func(*decode.Event) bool
}

// NewText makes a renderer for packets decoded by p.
func NewText(p *plan.Plan, opts TextOptions) *Text {
	x := &Text{style: newStyle(opts.Colour), opts: opts, time: timeForm(opts.Time), plan: p, spill: &spill{}}
	x.stamp = x.time.stamp()
	x.caseTo = 4
	if p.Case != nil && p.Case.Cases != nil {
		for _, c := range p.Case.Cases.List {
			x.caseTo = max(x.caseTo, len(c.Name))
		}
	}
	x.caseTo = min(x.caseTo, maxCaseColumn)
	x.told = make([]uint32, len(p.Nodes))
	x.nameTo = nameColumn(p)
	x.guarded, x.shared = secretArms(p), newSharedArms(p)
	x.yield = x.event
	return x
}

// The columns of a line, in cells. A typical accepted packet between IPv4 addresses takes 80; what is longer pushes the
// rest to the right.
const (
	numberColumn  = 5
	flowColumn    = 33
	maxCaseColumn = 12
	sizeColumn    = 5
)

// lineTime is a line's time of the day. The tree and JSON have the date and the nanoseconds.
const lineTime = "15:04:05.000"

// AppendLine appends the packet in one line:
//
//	145 14:07:21.503 10.0.0.3:53471 C→S 10.0.0.1:4124  PlayerInput   16 B accept
func (x *Text) AppendLine(b []byte, p *scan.Packet) []byte {
	b = append(b, x.dim.On...)
	if x.opts.File && p.File != "" {
		b = append(syntax.AppendLineStart(b, p.File), ':')
		b = strconv.AppendInt(b, p.N, 10)
	} else {
		b = appendRight(b, p.N, numberColumn)
	}
	b = append(b, ' ')
	b = x.time.line(b, &p.Envelope, &x.stamp)
	b = append(b, x.dim.Off...)
	return append(x.AppendSummary(append(b, ' '), p), '\n')
}

// AppendSummary appends what a line has after the packet's time: who sent it to whom, its case, its size and its
// verdict, without a newline.
func (x *Text) AppendSummary(b []byte, p *scan.Packet) []byte {
	b = x.flow(b, p)
	b = append(b, ' ')
	b = x.caseColumn(b, p.Trace)
	b = append(b, ' ')
	b = appendRight(b, int64(p.Bits()/8), sizeColumn-2)
	b = append(b, " B "...)
	b = x.verdict(b, p)
	return x.messages(b, p)
}

// appendRight appends a number, with spaces in front up to so many cells.
func appendRight(b []byte, n int64, cells int) []byte {
	digits := 1
	for m := n; m >= 10; m /= 10 {
		digits++
	}
	return strconv.AppendInt(pad(b, cells-digits), n, 10)
}

func pad(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}

// flow appends who sent to whom: `a C→S b` from client to server, `a S→C b` back, `a → b` where the ports do not tell.
func (x *Text) flow(b []byte, p *scan.Packet) []byte {
	start := len(b)
	b = append(x.peer(b, p.Src), ' ')
	var hue table.Paint
	arrow, cells := "→", 1
	switch p.Trace.From {
	case decode.Client:
		arrow, cells, hue = "C→S", 3, x.client
	case decode.Server:
		arrow, cells, hue = "S→C", 3, x.server
	}
	cells += len(b) - start + 1
	b = append(hue.Append(b, arrow), ' ')
	start = len(b)
	b = x.peer(b, p.Dst)
	return pad(b, flowColumn-cells-(len(b)-start))
}

// peer appends an address, `-` where the capture has none.
func (x *Text) peer(b []byte, a netip.AddrPort) []byte {
	if !a.IsValid() {
		return append(b, '-')
	}
	return x.peers.append(b, a)
}

// caseColumn appends the packet's case, `-` where it was not reached.
func (x *Text) caseColumn(b []byte, t *decode.Trace) []byte {
	b = append(b, x.kind.On...)
	start := len(b)
	if t.HasTag {
		b = AppendCase(b, t)
	} else {
		b = append(b, '-')
	}
	cells := len(b) - start
	return pad(append(b, x.kind.Off...), x.caseTo-cells)
}

// verdict appends what became of the packet: the word, the reject's line, the first note.
func (x *Text) verdict(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	switch p.Verdict() {
	case decode.Refused:
		return x.rejectLine(append(x.refused.Append(b, "reject"), ' '), t)
	case decode.NeedsContext:
		return x.rejectLine(append(x.needs(b, &p.Envelope, t), "; "...), t)
	case decode.Cut:
		b = append(x.note.Append(b, "cut"), ' ')
		if r := t.Reject(); r != nil {
			b = x.path(b, r)
			b = r.AppendPlace(append(b, " at bit "...))
			b = append(b, ": not in the capture"...)
		} else {
			b = reject.AppendBit(append(b, "at bit "...), p.Kept())
			b = append(b, ": the rest is not in the capture"...)
		}
	default:
		b = x.accept.Append(b, "accept")
	}
	if n := p.Notes(); n > 0 {
		b = append(x.note.Append(append(b, ' '), "note"), ' ')
		b = x.firstNote(b, p)
		if n > 1 {
			b = append(b, " (and "...)
			b = append(strconv.AppendInt(b, int64(n-1), 10), " more)"...)
		}
	}
	return b
}

// rejectLine appends a reject as Reject.AppendError does, its kind in colour and its masks sized.
func (x *Text) rejectLine(b []byte, t *decode.Trace) []byte {
	r := t.Reject()
	b = x.path(b, r)
	b = append(b, ": "...)
	b = x.refused.Append(b, r.Kind.String())
	b = append(b, " at bit "...)
	b = r.AppendPlace(b)
	b = append(b, ": "...)
	return x.message(b, r)
}

// path appends where a reject is: the path, or `packet`.
func (x *Text) path(b []byte, r *reject.Reject) []byte {
	start := len(b)
	if b = r.AppendShownPath(b); len(b) == start {
		b = append(b, reject.Packet...)
	}
	return b
}

func (x *Text) message(b []byte, r *reject.Reject) []byte {
	x.scratch = r.AppendMessage(x.scratch[:0])
	return x.escape(b, r.ShownWidth())
}

// escape appends what x.scratch holds, its masks sized.
func (x *Text) escape(b []byte, bits int) []byte {
	x.sized = appendSized(x.sized[:0], x.scratch, bits)
	return syntax.AppendEscaped(b, x.sized)
}

func (x *Text) firstNote(b []byte, p *scan.Packet) []byte {
	for n := range p.ShownNotes() {
		return x.noteLine(b, n)
	}
	return b
}

func (x *Text) noteLine(b []byte, n *reject.Note) []byte {
	x.scratch = n.AppendLine(x.scratch[:0])
	return x.escape(b, n.Width)
}
