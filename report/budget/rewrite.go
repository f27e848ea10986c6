package budget

import (
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Rewriter writes packets again as a tightened schema has them: the same values in fewer bits.
type Rewriter struct {
	encoder *decode.Encoder
	told    retold
}

// NewRewriter makes a Rewriter of packets of one plan as those of another, made from it by Apply.
func NewRewriter(from, to *plan.Plan) *Rewriter {
	r := &Rewriter{encoder: decode.NewEncoder(decode.New(to))}
	r.told = retold{from: from, to: to, forks: map[plan.Point]plan.Point{}}
	r.told.keep = r.told.event
	if was, is := forksOf(from), forksOf(to); len(was) == len(is) {
		for i := range is {
			r.told.forks[is[i]] = was[i]
		}
	}
	return r
}

// forksOf lists where a plan parts, in wire order.
func forksOf(p *plan.Plan) (all []plan.Point) {
	for _, s := range p.Steps {
		if s.Flow() == plan.Choose {
			all = append(all, s.At().Point)
		}
	}
	return all
}

// Append appends an accepted packet as the tightened schema has it. It reads what it wrote, and fails when a value was
// lost.
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

// retold answers an Encoder from a trace of another plan, whose leaves, texts, lists and forks are the same in the same
// order. Only widths differ: a run of one plan can be several steps of the other, so points and spans have other
// numbers.
type retold struct {
	from, to *plan.Plan
	forks    map[plan.Point]plan.Point // of each fork of to: where it is in from
	was      *decode.Trace
	keep     func(*decode.Event) bool
	codes    []known
	room     []byte
	fields   []int // before each span of was, and in all: a run counts as its leaves, all else as one

	at, before int // how many fields lie before span at of the packet being written
}

type known struct {
	leaf int
	code uint64
}

var errOtherPacket = errors.New("the tightened schema asks for another packet")

func (r *retold) take(t *decode.Trace) {
	r.was, r.codes, r.fields = t, r.codes[:0], append(r.fields[:0], 0)
	t.Walk()(r.keep)
	n := 0
	for i := range t.Records {
		n += fieldsIn(t, i)
		r.fields = append(r.fields, n)
	}
	r.Restart()
}

// fieldsIn is how many fields a span counts as.
func fieldsIn(t *decode.Trace, span int) int {
	if s := &t.Records[span]; t.Plan.ShapeAt(s.Point) == plan.ShapeCodes {
		return int(s.N)
	}
	return 1
}

// all reports whether all that was taken was asked for.
func (r *retold) all(written *decode.Trace) bool {
	at, ok := r.span(written, len(written.Records))
	return ok && at == len(r.was.Records)
}

func (r *retold) event(ev *decode.Event) bool {
	if ev.Leaf >= 0 && (ev.Kind == decode.Leaf || ev.Kind == decode.Item) {
		r.codes = append(r.codes, known{ev.Leaf, ev.Raw})
	}
	return true
}

// Restart forgets how far the packet was written.
func (r *retold) Restart() { r.at, r.before = 0, 0 }

// span is the span of the packet as it was that a span of the packet being written has become; ok is false where none
// begins there.
func (r *retold) span(written *decode.Trace, span int) (was int, ok bool) {
	if span < r.at {
		r.Restart()
	}
	for ; r.at < span; r.at++ {
		r.before += fieldsIn(written, r.at)
	}
	return slices.BinarySearch(r.fields, r.before)
}

// Code is the value of the leaf as the new declaration has it.
func (r *retold) Code(a *decode.Query) (uint64, error) {
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
func (r *retold) Bytes(a *decode.Query, _ int) ([]byte, error) {
	at, ok := r.span(a.Trace, len(a.Trace.Records))
	if !ok || at == len(r.was.Records) {
		return nil, errOtherPacket
	}
	s := &r.was.Records[at]
	blob, ok := r.from.StepAt(s.Point).(*plan.Blob)
	if !ok {
		return nil, errOtherPacket
	}
	a.Own = blob.Own(r.was.Payload, int(s.Bit), int(s.N))
	return r.was.Bytes(at, &r.room), nil
}

// More says whether the list goes on.
func (r *retold) More(a *decode.Query) (bool, error) {
	at, ok := r.span(a.Trace, a.List)
	if !ok || at == len(r.was.Records) || !r.from.ListAt(r.was.Records[at].Point) {
		return false, errOtherPacket
	}
	return a.Elem < uint64(r.was.Records[at].N), nil
}

// Branch is the way that the packet went.
func (r *retold) Branch(a *decode.Query, n int) (int, error) {
	fork, known := r.forks[a.Point]
	if !known || len(r.from.StepAt(fork).Blocks()) != n {
		return 0, errOtherPacket
	}
	was := *a
	was.Point = fork
	if a.Parent >= 0 {
		parent, ok := r.span(a.Trace, int(a.Parent))
		if !ok {
			return 0, errOtherPacket
		}
		was.Parent = int32(parent)
	}
	at, ok := r.span(a.Trace, len(a.Trace.Records))
	if !ok {
		return 0, errOtherPacket
	}
	return was.Went(r.was, at), nil
}

// Count is compared in the end.
func (r *retold) Count(*decode.Query, uint64) error { return nil }

// Ignored is reserved bits that may have any value.
func (r *retold) Ignored(a *decode.Query) uint64 {
	if at := len(a.Trace.Raw); a.Leaf >= 0 && at < len(r.codes) && r.codes[at].leaf == a.Leaf {
		return r.codes[at].code
	}
	return 0
}
