package filter

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Selector finds the fields of one path in traces: a column of a table. Not for two goroutines at once.
type Selector struct {
	plan  *plan.Plan
	path  string
	first plan.Point
	table []int32 // of each point: 1 + the first of its picks, 0 for none
	picks []pick
	many  bool
	ev    decode.Event // what Each yields, here so that no packet allocates one
	room  []byte       // its Data, where that does not lie in the datagram
	// For Show: the nodes of the path, whether one is a secret, and the indexes as a pick has them.
	nodes  []plan.NodeID
	secret bool
	chain  []int64
	trace  *decode.Trace
	yield  func(*decode.Event) bool
	show   func(*decode.Event) bool // showOne, made once
}

// pick is one field that a span can hold.
type pick struct {
	off   uint32
	kind  leafKind
	node  plan.NodeID
	leaf  int32 // -1 for bytes and text
	last  bool
	chain []int64 // indexes, innermost first; -1 for any
}

const anyIndex = -1

// NewSelector makes a selector of a path: `body.player_count`, `body.players[2].x`, or `body.players[*].x` for all
// elements. The error, when there is one, is an *Error with the place and, for a misspelt name, the nearest. A secret
// field can be selected, because what shows it masks it; nothing inside a secret struct or list can.
func NewSelector(p *plan.Plan, path string) (*Selector, error) {
	s, err := newSelector(p, path)
	if err == nil {
		return s, nil
	}
	if other := pathOfRule(path); other != path {
		if _, wrong := newSelector(p, other); wrong == nil {
			err.Diagnostic.Fix = "write " + other
		}
	}
	return nil, err
}

// arm is how a rule's name says which way of a switch it is in.
var arm = regexp.MustCompile(`<\w*>`)

// pathOfRule is the path of a rule that is named as budget and rejects name it: `body<Snapshot>.missiles[].x`.
func pathOfRule(rule string) string {
	return strings.ReplaceAll(arm.ReplaceAllString(rule, ""), "[]", "[*]")
}

func newSelector(p *plan.Plan, path string) (*Selector, *Error) {
	if len(path) > maxSource {
		return nil, newError(path, maxSource, maxSource, "", fmt.Sprintf("the path is too long: want %d bytes at most, got %d", maxSource, len(path)))
	}
	r := pathReader{tree: newTree(p), src: path, nodes: []plan.NodeID{0}}
	for r.off < len(path) && r.err == nil {
		r.step()
	}
	if r.err == nil && r.off == 0 {
		r.fail(0, 0, "", "the path is empty")
	}
	s := &Selector{plan: p, path: path}
	if r.err == nil {
		r.collect(s)
	}
	if r.err != nil {
		return nil, r.err
	}
	return s, nil
}

// Path is the path that the selector was made of.
func (s *Selector) Path() string { return s.path }

// Many reports whether one packet can have more than one such field.
func (s *Selector) Many() bool { return s.many }

// Each goes over the fields of that path in a trace of the selector's plan, in wire order: none where the packet has
// none, one for each element where the path has `[*]`. The events are as Walk's, of kind Leaf or Blob and valid until
// the next, but they do not know their place for AppendEventPath.
func (s *Selector) Each(t *decode.Trace) iter.Seq[*decode.Event] {
	if t.Plan != s.plan {
		panic("pktscope: internal error: a selector got a packet of another plan")
	}
	return func(yield func(*decode.Event) bool) {
		for i := range t.Records {
			point := uint32(t.Records[i].Point - s.first)
			if point >= uint32(len(s.table)) || s.table[point] == 0 {
				continue
			}
			for at := s.table[point] - 1; ; at++ {
				p := &s.picks[at]
				if s.event(p, t, i) && !yield(&s.ev) {
					return
				}
				if p.last {
					break
				}
			}
		}
	}
}

// Secret reports whether a field of that path is a secret, so that only Show may be shown.
func (s *Selector) Secret() bool { return s.secret }

// Show is Each with what may be shown, as the events of a decode.Trace.Show: where a secret decides whether the field
// is there, a mask is there too where it is not.
func (s *Selector) Show(t *decode.Trace, yield func(*decode.Event) bool) {
	s.trace, s.yield = t, yield
	t.Show(s.show)
	s.trace, s.yield = nil, nil
}

func (s *Selector) showOne(ev *decode.Event) bool {
	switch ev.Kind {
	case decode.Leaf, decode.Blob, decode.Masked:
		return !slices.Contains(s.nodes, ev.Node) || !s.trace.Leads(ev, s.chain) || s.yield(ev)
	}
	return true
}

// event fills s.ev where the span holds the field.
func (s *Selector) event(p *pick, t *decode.Trace, record int) bool {
	span := &t.Records[record]
	if p.leaf >= 0 && !p.kind.holds(t, span, p.off) || !leadsTo(t, span, p.chain) {
		return false
	}
	s.ev = decode.Event{Kind: decode.Leaf, Node: p.node, Bit: int(span.Bit), Leaf: int(p.leaf)}
	ev := &s.ev
	if t.Plan.Nodes[p.node].Elem {
		ev.Index = int(span.Index)
	}
	if p.leaf < 0 {
		ev.Kind, ev.Width = decode.Blob, t.Plan.StepAt(span.Point).Extent(t.Plan, int(span.N))
		ev.Data = t.Bytes(record, &s.room)
		ev.CodeWidth = ev.Width
		ev.Bit, ev.Width = t.Clip(record, ev.Bit, ev.Width)
		return true
	}
	ev.Width, ev.Raw = int(span.N), t.Raw[span.Raw+p.off]
	if p.kind == inRun {
		l := &t.Plan.Leaves[p.leaf]
		ev.Bit, ev.Width = int(span.Bit+l.Off), int(l.Width)
	}
	ev.CodeWidth = ev.Width
	ev.Bit, ev.Width = t.Clip(record, ev.Bit, ev.Width)
	return true
}

func leadsTo(t *decode.Trace, s *decode.Record, chain []int64) bool {
	for _, index := range chain {
		if s.Parent < 0 || index != anyIndex && int64(s.Index) != index {
			return false
		}
		s = &t.Records[s.Parent]
	}
	return true
}

// pathReader reads a path from left to right.
type pathReader struct {
	tree  *tree
	src   string
	off   int
	nodes []plan.NodeID
	chain []int64
	err   *Error
}

func (pr *pathReader) fail(off, end int, fix, format string, args ...any) {
	pr.err = newError(pr.src, off, end, fix, fmt.Sprintf(format, args...))
}

// step reads one name or one index.
func (pr *pathReader) step() {
	if pr.tree.secret(pr.nodes) {
		pr.fail(0, pr.off, "", "%s is @secret: its shape is not shown", quote(pr.src[:pr.off]))
		return
	}
	if pr.src[pr.off] == '[' {
		pr.index()
		return
	}
	from := pr.off
	if from > 0 {
		if pr.src[from] != '.' {
			pr.fail(from, from+1, "", "want `.` or `[` here")
			return
		}
		from++
	}
	end := from
	for end < len(pr.src) && pr.src[end] != '.' && pr.src[end] != '[' {
		end++
	}
	prefix, name := pr.src[:from], pr.src[from:end]
	found := pr.tree.member(pr.nodes, name)
	if len(found) == 0 {
		pr.unknown(prefix, name, from, end)
		return
	}
	pr.nodes, pr.off = found, end
}

func (pr *pathReader) unknown(prefix, name string, from, end int) {
	names := pr.tree.names(pr.nodes)
	if len(names) == 0 && len(pr.tree.ofKind(pr.nodes, plan.NodeArray)) > 0 {
		list := strings.TrimSuffix(prefix, ".")
		pr.fail(from, end, fmt.Sprintf("write %s[*].%s for all elements, %s[0].%s for one", list, name, list, name), "%s is a list", quote(list))
		return
	}
	fix := ""
	if prefix == "" {
		fix = inMessages(pr.tree.plan, name)
	}
	if fix == "" {
		fix = meant(prefix, name, names)
	}
	if fix == "" && prefix == "" {
		paths := Paths(pr.tree.plan)
		for _, p := range paths[:min(len(paths), maxGuesses)] {
			if strings.HasSuffix(p.Path, "."+name) {
				fix = "did you mean `" + p.Path + "`?"
				break
			}
		}
	}
	pr.fail(from, end, fix, "unknown path %s", quote(prefix+name))
}

func (pr *pathReader) index() {
	from := pr.off
	end := strings.IndexByte(pr.src[from:], ']')
	if end < 0 {
		pr.fail(from, len(pr.src), "", "the `[` is not closed")
		return
	}
	end += from
	word := pr.src[from+1 : end]
	index := int64(anyIndex)
	if word != "*" {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil || n >= schema.DefaultMaxFields {
			pr.fail(from+1, end, "", "an index is a number from 0 to %d, or *", schema.DefaultMaxFields-1)
			return
		}
		index = int64(n)
	}
	elements := pr.tree.elements(pr.nodes)
	if len(elements) == 0 {
		pr.fail(from, end+1, "", "%s is no list", quote(pr.src[:from]))
		return
	}
	pr.nodes, pr.chain, pr.off = elements, append([]int64{index}, pr.chain...), end+1
}

// collect makes the table of what the path ends at.
func (pr *pathReader) collect(s *Selector) {
	p := s.plan
	picks := map[plan.Point][]pick{}
	for _, id := range pr.nodes {
		n := &p.Nodes[id]
		switch n.Kind {
		case plan.NodeLeaf:
			at := p.Info[n.Leaf].Point
			one := pick{kind: leafKindOf(p, n.Leaf), node: id, leaf: n.Leaf, chain: pr.chain}
			if one.kind == inRun {
				one.off = uint32(int(n.Leaf) - p.LeafAt(at))
			}
			picks[at] = append(picks[at], one)
		case plan.NodeBlob:
			picks[pr.tree.at[id]] = []pick{{node: id, leaf: -1, chain: pr.chain}}
		case plan.NodeStruct, plan.NodeArray, plan.NodeItem:
		}
	}
	s.secret = pr.tree.secret(pr.nodes)
	s.nodes, s.chain, s.show = pr.nodes, pr.chain, s.showOne
	if len(picks) == 0 {
		if pr.tree.secret(pr.nodes) {
			pr.fail(0, len(pr.src), "", "%s is @secret: its shape is not shown", quote(pr.src))
			return
		}
		if len(pr.tree.ofKind(pr.nodes, plan.NodeArray)) > 0 {
			pr.fail(0, len(pr.src), "write "+pr.src+"[*] and a field of its elements", "%s is a list", quote(pr.src))
			return
		}
		names := pr.tree.names(pr.nodes)
		fix := ""
		if len(names) > 0 {
			fix = "write " + pr.src + "." + names[0]
		}
		pr.fail(0, len(pr.src), fix, "%s is a struct", quote(pr.src))
		return
	}
	for _, index := range pr.chain {
		s.many = s.many || index == anyIndex
	}
	points := slices.Sorted(maps.Keys(picks))
	s.first = points[0]
	s.table = make([]int32, points[len(points)-1]-s.first+1)
	for _, at := range points {
		s.table[at-s.first] = int32(len(s.picks)) + 1
		s.picks = append(s.picks, picks[at]...)
		s.picks[len(s.picks)-1].last = true
	}
}
