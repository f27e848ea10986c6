package budget

import (
	"errors"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Rewriter writes packets again as a tightened schema has them: the same values in fewer bits.
type Rewriter struct {
	from    *plan.Plan
	encoder *decode.Encoder
	told    retold
}

// NewRewriter makes a Rewriter of packets of one plan as those of another, made from it by Apply.
func NewRewriter(from, to *plan.Plan) *Rewriter {
	r := &Rewriter{from: from, encoder: decode.NewEncoder(to)}
	r.told.to = to
	r.told.keep = r.told.event
	return r
}

// Append appends an accepted packet as the tightened schema has it. It reads what it wrote, and fails when a value was lost.
func (r *Rewriter) Append(buf []byte, t *decode.Trace) ([]byte, error) {
	r.told.take(t)
	out, err := r.encoder.Append(buf, &r.told, t.From)
	if err == nil && !r.told.all(r.encoder.Written()) {
		return buf, errOtherPacket // what asks for `rest` saw less of it and left something out
	}
	return out, err
}

// Written is the trace of the packet written last.
func (r *Rewriter) Written() *decode.Trace { return r.encoder.Written() }

// retold answers an Encoder from a trace of another plan, whose leaves are the same in the same order. Only widths differ, so the
// n-th code asked for is that of the n-th leaf, the n-th text the n-th text, the n-th list the n-th list.
type retold struct {
	to    *plan.Plan
	from  *plan.Plan
	was   *decode.Trace
	keep  func(*decode.Event) bool
	codes []known
	texts [][]byte
	room  []byte
	lists []uint64

	// How many texts and lists lie before span at of the packet being written.
	at         int
	text, list int
}

type known struct {
	leaf int
	code uint64
}

var errOtherPacket = errors.New("the tightened schema asks for another packet")

func (r *retold) take(t *decode.Trace) {
	r.from, r.was = t.Plan, t
	r.codes, r.texts, r.lists, r.room = r.codes[:0], r.texts[:0], r.lists[:0], r.room[:0]
	t.Walk()(r.keep)
	for i := range t.Spans {
		if _, list := holds(t, i); list {
			r.lists = append(r.lists, uint64(t.Spans[i].N))
		}
	}
}

// holds reports whether a span is bytes or text, or a list.
func holds(t *decode.Trace, span int) (blob, list bool) {
	at := t.Spans[span].Point
	return t.Plan.ShapeAt(at) == plan.ShapeBytes, t.Plan.ListAt(at)
}

// all reports whether all that was taken was asked for.
func (r *retold) all(written *decode.Trace) bool {
	r.Restart()
	r.seek(written, len(written.Spans))
	return len(written.Raw) == len(r.codes) && r.text == len(r.texts) && r.list == len(r.lists)
}

func (r *retold) event(ev *decode.Event) bool {
	switch ev.Kind {
	case decode.Leaf, decode.Item:
		if ev.Leaf >= 0 {
			r.codes = append(r.codes, known{ev.Leaf, ev.Code})
		}
	case decode.Blob:
		start := len(r.room)
		r.room = append(r.room, ev.Data...)
		r.texts = append(r.texts, r.room[start:len(r.room):len(r.room)])
	}
	return true
}

// Restart forgets how far the packet was written.
func (r *retold) Restart() { r.at, r.text, r.list = 0, 0, 0 }

// seek counts the texts and lists in front of a span.
func (r *retold) seek(t *decode.Trace, to int) {
	if to < r.at {
		r.Restart()
	}
	for ; r.at < to; r.at++ {
		blob, list := holds(t, r.at)
		if blob {
			r.text++
		}
		if list {
			r.list++
		}
	}
}

// Code is the value of the leaf as the new declaration has it.
func (r *retold) Code(a *decode.Ask) (uint64, error) {
	at := len(a.Trace.Raw)
	if at >= len(r.codes) || r.codes[at].leaf != a.Leaf {
		return 0, errOtherPacket
	}
	k := r.codes[at]
	was, is := &r.from.Info[k.leaf], &r.to.Info[k.leaf]
	value := was.Value(k.code, int(r.from.Leaves[k.leaf].Width))
	return is.CodeOf(value, int(r.to.Leaves[k.leaf].Width)), nil
}

// Bytes is the text.
func (r *retold) Bytes(a *decode.Ask, _ int) ([]byte, error) {
	r.seek(a.Trace, len(a.Trace.Spans))
	if r.text >= len(r.texts) {
		return nil, errOtherPacket
	}
	return r.texts[r.text], nil
}

// More says whether the list goes on.
func (r *retold) More(a *decode.Ask) (bool, error) {
	r.seek(a.Trace, a.List)
	if r.list >= len(r.lists) {
		return false, errOtherPacket
	}
	return a.Elem < r.lists[r.list], nil
}

// Branch is the way that the packet went.
func (r *retold) Branch(a *decode.Ask, _ int) (int, error) {
	if a.Point >= r.from.End() {
		return 0, errOtherPacket
	}
	if was, is := r.from.StepAt(a.Point), r.to.StepAt(a.Point); was.Flow() != is.Flow() || len(was.Blocks()) != len(is.Blocks()) {
		return 0, errOtherPacket
	}
	return a.Went(r.was, len(a.Trace.Spans)), nil
}

// Count is compared in the end.
func (r *retold) Count(*decode.Ask, uint64) error { return nil }

// Ignored is reserved bits that may have any value.
func (r *retold) Ignored(a *decode.Ask) uint64 {
	if at := len(a.Trace.Raw); a.Leaf >= 0 && at < len(r.codes) && r.codes[at].leaf == a.Leaf {
		return r.codes[at].code
	}
	return 0
}
