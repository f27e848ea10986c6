package generated_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// What generated writers refuse: packets that were read are changed here and there, and Append must say of them what
// the Encoder says of the same values, given to it by a source.

// told is what a spoilt packet holds, as the program of the tests told it; it is the source of those values.
type told struct {
	plan    *plan.Plan
	lines   map[string]string // by what a thing is and its path
	bitmaps map[string]bool
	twice   map[string]bool // things that two exclusive branches have under one name
	chunks  map[string]int  // of ignored bits: how many words have been asked for
	sizes   [][]plan.Sizing
	unsure  string // the source cannot say what the packet would
	tries
}

// tries are the ways that are tried at branches where what is given does not say which: of each branch which one, and
// of how many.
type tries struct {
	picks  [][2]int
	picked int
}

// pick is the way to try at the next branch.
func (s *tries) pick(of int) int {
	if s.picked == len(s.picks) {
		s.picks = append(s.picks, [2]int{0, of})
	}
	s.picked++
	return s.picks[s.picked-1][0] % of
}

// another goes on to the next; false where there are none.
func (s *tries) another() bool {
	for ; len(s.picks) > 0; s.picks = s.picks[:len(s.picks)-1] {
		last := &s.picks[len(s.picks)-1]
		if last[0]++; last[0] < last[1] {
			return true
		}
	}
	return false
}

// counts is how many packets were compared that were written without what derives, and of those that were changed.
func (b *batch) counts() (derived, written, refused int) {
	for _, d := range b.derivers {
		derived += d.held
		written += d.written
		refused += d.refused
	}
	return derived, written, refused
}

// errNotTold ends a packet of which more is asked than there is: another element of a list that is to go on.
var errNotTold = errors.New("there is no such value")

// spoilt compares the two verdicts.
func (d *deriver) spoilt(from decode.Direction, text string) error {
	verdict, lines, _ := strings.Cut(text, "\n")
	if verdict == "" {
		return nil
	}
	p := d.e.Plan()
	s := &told{plan: p, lines: map[string]string{}, twice: map[string]bool{}, bitmaps: map[string]bool{}, sizes: p.Sizings()}
	for line := range strings.Lines(lines) {
		path, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if have, ok := s.lines[path]; ok && have != value {
			s.twice[path] = true
		}
		s.lines[path] = value
	}
	out, err := d.e.Append(nil, source(s), from)
	for try, first := 1, err; err != nil; try++ {
		if try == 64 || !s.another() {
			err = first
			break
		}
		out, err = d.e.Append(nil, source(s), from)
	}
	if s.unsure != "" {
		return nil
	}
	if err == nil {
		d.written++
		other := strings.HasPrefix(verdict, `rule-broken ""`) || len(s.picks) > 0 // another way can have the size
		if n, given := s.number("size"); given && n != 0 && n != uint64(len(out)) && other {
			return nil // the size that was given is another than the packet has, which to the Encoder is a first guess
		}
		if want := "accepted " + hex.EncodeToString(out); want != verdict {
			return fmt.Errorf("want %s, got %s\n%s", want, verdict, cut([]byte(lines)))
		}
		return nil
	}
	var no *decode.EncodeError
	if err == errNotTold && !strings.HasPrefix(verdict, "accepted") {
		return nil
	}
	if !errors.As(err, &no) {
		return fmt.Errorf("%w; got %s\n%s", err, verdict, cut([]byte(lines)))
	}
	d.refused++
	kind, where, _ := strings.Cut(verdict, " ")
	path, _, _ := strings.Cut(where, " ")
	if p.ReadsAhead() && (no.Kind == reject.None && kind != "accepted" || strings.HasPrefix(verdict, `rule-broken ""`) || strings.HasPrefix(verdict, `trailing-bytes ""`)) {
		// What is given contradicts itself, or the length that was given: which of the two is told depends on the pass. One
		// of the two is that something comes after what takes the rest.
		return nil
	}
	if n, given := s.number("size"); given && kind == "accepted" && no.Kind == reject.None {
		// The Encoder has not found what a look decides. What generated code has found is a packet of the size that was
		// given.
		data, err := hex.DecodeString(strings.TrimPrefix(verdict, "accepted "))
		if err == nil && uint64(len(data)) == n && decode.New(p).Decode(data, from, new(decode.Trace)) == nil {
			return nil
		}
	}
	wanted, _, window := strings.Cut(no.Path, "within#")
	if window { // of a window that is too short the Encoder names the item, a Reject its owner
		wanted = strings.TrimSuffix(wanted, ".")
	}
	if list, err := strconv.Unquote(path); err == nil && kind == "out-of-range" {
		// Where a condition says that a list goes on beyond what is given, the Encoder comes to the element that is not
		// there.
		if elem, ok := strings.CutPrefix(no.Path, list+"["); ok {
			at, _, _ := strings.Cut(elem, "]")
			given, known := s.number("n" + list)
			if n, err := strconv.ParseUint(at, 10, 64); err == nil && known && n >= given {
				return nil
			}
		}
	}
	if kind == "accepted" || no.Kind != reject.None && kind != no.Kind.String() || path != strconv.Quote(wanted) {
		return fmt.Errorf("want %v %q (%w), got %s\n%s", no.Kind, no.Path, err, verdict, cut([]byte(lines)))
	}
	return nil
}

// source is a told with the size of the datagram, where that is given.
func source(s *told) decode.Source {
	if n, err := strconv.Atoi(s.lines["size"]); err == nil && n != 0 {
		return &toldSize{s, max(0, n)}
	}
	return s
}

type toldSize struct {
	*told
	n int
}

func (t *toldSize) Size() int { return t.n }

// path is that of a node with the cases of switches.
func (t *told) path(a *decode.Query, id plan.NodeID) string {
	parent, index := a.Parent, a.Index
	path := ""
	for ; id > 0; id = t.plan.Nodes[id].Parent {
		n := &t.plan.Nodes[id]
		part := "." + n.Name
		if n.Case != "" {
			part += "<" + n.Case + ">"
		}
		if n.Elem {
			part = ""
			if parent >= 0 {
				part = fmt.Sprintf("[%d]", index)
				outer := &a.Trace.Records[parent]
				parent, index = outer.Parent, outer.Index
			}
		}
		path = part + path
	}
	return strings.TrimPrefix(path, ".")
}

// flag is the path of the flag of an optional: there is one more mark for each that is before it.
func (t *told) flag(a *decode.Query) string {
	n := &t.plan.Nodes[a.Node]
	marks := 0
	for id := a.Node; id > 0; id-- {
		at := &t.plan.Nodes[id]
		if at.Parent != n.Parent || at.Kind != plan.NodeItem || !at.Named || at.Name != n.Name {
			break
		}
		marks++
	}
	return t.path(a, a.Node) + strings.Repeat("?", marks)
}

func (t *told) lookup(what string) (string, bool) {
	if t.twice[what] {
		t.unsure = "two fields under one name"
	}
	text, ok := t.lines[what]
	return text, ok
}

func (t *told) line(what string) string {
	text, _ := t.lookup(what)
	return text
}

func (t *told) number(what string) (uint64, bool) {
	text, ok := t.lookup(what)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return uint64(v), ok
	}
	v, err := strconv.ParseUint(text, 10, 64)
	return v, ok && err == nil
}

func (t *told) Code(a *decode.Query) (uint64, error) {
	n, info := &t.plan.Nodes[a.Node], &t.plan.Info[a.Leaf]
	if n.Kind == plan.NodeItem {
		switch {
		case info.Kind == plan.LeafBool && n.Named:
			return map[string]uint64{"true": 1}[t.line("?"+t.flag(a))], nil
		case info.Kind == plan.LeafBool:
			return t.slot(a)
		}
		owner := *a
		owner.Node = n.Parent
		return t.length(&owner, info)
	}
	path := t.path(a, a.Node)
	if bits, ok := t.lookup("f" + path); ok {
		code, err := strconv.ParseUint(bits, 16, 64)
		if info.Kind == plan.LeafQuantized {
			value := math.Float32frombits(uint32(code))
			if _, constant := info.Constant(a.Width); constant && value == 0 {
				return 0, decode.ErrDerive
			}
			return uint64(info.Quant.Code(value)), err
		}
		if code == 0 && a.Derivable {
			return 0, decode.ErrDerive
		}
		return code, err
	}
	v, ok := t.number("v" + path)
	if !ok {
		v, ok = t.byteOf(path)
	}
	if !ok {
		return 0, errNotTold
	}
	a.Long = t.line("l"+path) == "true"
	if v == 0 {
		if shifted(t.plan, int32(a.Leaf), t.sizes) {
			t.unsure = "a length that is left out and is not the least"
		}
		if a.Derivable {
			return 0, decode.ErrDerive
		}
		if len(t.sizes[a.Leaf]) > 0 {
			t.unsure = "a count that is left out"
		}
	}
	if info.Signed && (a.Width == 0 && v != 0 || a.Width > 0 && wire.SignExtend(v, a.Width) != int64(v)) {
		return 0, &decode.EncodeError{Path: a.Path(), Bit: a.Bit, Kind: reject.OutOfRange, Problem: "not of its width"}
	}
	return info.CodeOf(v, a.Width), nil
}

// byteOf is an element of a long list of bytes, which are told together.
func (t *told) byteOf(path string) (uint64, bool) {
	open := strings.LastIndexByte(path, '[')
	if open < 0 {
		return 0, false
	}
	i, err := strconv.Atoi(strings.TrimSuffix(path[open+1:], "]"))
	data, bad := hex.DecodeString(t.line("x" + path[:open]))
	if err != nil || bad != nil || i >= len(data) {
		return 0, false
	}
	return uint64(data[i]), true
}

// length is the code of a count or a length that belongs to a type.
func (t *told) length(a *decode.Query, info *plan.LeafInfo) (uint64, error) {
	path := t.path(a, a.Node)
	n, ok := t.number("n" + path)
	if !ok {
		return 0, errNotTold
	}
	if t.plan.Nodes[a.Node].Kind == plan.NodeBlob {
		for _, z := range t.sizes[a.Leaf] {
			b := t.plan.StepAt(z.Point).(*plan.Blob)
			data, _ := hex.DecodeString(t.line("x" + path))
			if len(data) == 0 && b.Rule != nil && b.Rule.Kind == schema.RuleEq {
				data = b.Rule.Bytes
			}
			n = uint64(len(data))
			if b.Unit() == 32 {
				n = 0
				for _, c := range string(data) {
					n++
					if c > 0xffff {
						n++
					}
				}
			}
		}
	}
	return n - info.Base, nil
}

// slot is the flag of a bitmap's slot.
func (t *told) slot(a *decode.Query) (uint64, error) {
	list := *a
	list.Node = t.plan.Nodes[a.Node].Parent
	path := t.path(&list, list.Node)
	t.bitmaps[path] = true
	index, ok := t.number(fmt.Sprintf("v%s[%d].%s", path, a.Elem, t.plan.Nodes[t.plan.Info[a.Step().(*plan.Subset).Index].Node].Name))
	if ok && index == a.Slot {
		return 1, nil
	}
	return 0, nil
}

func (t *told) Bytes(a *decode.Query, size int) ([]byte, error) {
	path := t.path(a, a.Node)
	data, err := hex.DecodeString(t.line("x" + path))
	if _, ok := t.lines["x"+path]; !ok {
		return nil, errNotTold
	}
	if len(data) == 0 && a.Derivable {
		return nil, decode.ErrDerive
	}
	if own := t.line("w" + path + ".#own"); own != "" && err == nil {
		a.Own, err = hex.DecodeString(own)
	}
	return data, err
}

func (t *told) More(a *decode.Query) (bool, error) {
	n, ok := t.number("n" + t.path(a, a.Node))
	if !ok {
		return false, fmt.Errorf("no number of %s", t.path(a, a.Node))
	}
	return a.Elem < n, nil
}

func (t *told) Count(a *decode.Query, n uint64) error {
	have, ok := t.number("n" + t.path(a, a.Node))
	if t.bitmaps[t.path(a, a.Node)] && ok && have > n {
		t.unsure = "an index of a bitmap that is outside of it" // the generated writer names the index
	}
	if !ok || have != n {
		return &decode.EncodeError{Path: a.Path(), Bit: a.Bit, Problem: fmt.Sprintf("%d elements, want %d", have, n)}
	}
	return nil
}

// Branch goes the way of which something is given, as a generated writer does that does not know the packet's length.
func (t *told) Branch(a *decode.Query, _ int) (int, error) {
	ways := a.Step().Blocks()
	sw, choice := a.Step().(*plan.Switch)
	given := func(paths []string) bool {
		for line, value := range t.lines {
			path := line[1:]
			if _, array := t.lines["a"+path]; array && line[0] == 'n' || strings.HasSuffix(path, ".#own") {
				continue
			}
			for _, under := range paths {
				rest, ok := strings.CutPrefix(path, under)
				if ok && (rest == "" || strings.ContainsAny(rest[:1], ".[<?")) && strings.Trim(value, "0") != "" && value != "false" {
					return true
				}
			}
		}
		return false
	}
	empty, first, n := -1, -1, 0
	for i, way := range ways {
		var paths []string
		if choice {
			for _, id := range t.plan.ArmNodes(sw, sw.Arms[i]) {
				paths = append(paths, t.path(a, id))
			}
		} else {
			for step := range plan.Walk(way.Steps) {
				for id := range t.plan.Nodes {
					if leaf := t.plan.Nodes[id].Leaf; leaf >= 0 && t.plan.Info[leaf].Let != nil {
						continue // what is computed says nothing
					}
					if t.holds(a.Step().At().Node, step, plan.NodeID(id)) {
						paths = append(paths, t.path(a, plan.NodeID(id)))
					}
				}
			}
		}
		if len(paths) == 0 {
			empty = i
		}
		if given(paths) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch {
	case n == 1:
		return first, nil
	case n > 1:
	case !choice && len(ways[1].Steps) > 0:
		first = 0
	case !choice:
		first = 1
	default:
		first = max(empty, 0)
	}
	k := t.pick(len(ways))
	switch { // the first, and then the others in order
	case k == 0:
		return first, nil
	case k <= first:
		return k - 1, nil
	}
	return k, nil
}

// holds reports whether a node right below an if's struct is read by a step.
func (t *told) holds(branch plan.NodeID, step plan.Step, id plan.NodeID) bool {
	if t.plan.Nodes[id].Parent != branch {
		return false
	}
	at := []plan.NodeID{step.At().Node}
	if run, ok := step.(*plan.Run); ok {
		for _, info := range t.plan.Info[run.First:][:run.N] {
			at = append(at, info.Node)
		}
	}
	for _, n := range at {
		for n != plan.NoNode && n != id {
			n = t.plan.Nodes[n].Parent
		}
		if n == id {
			return true
		}
	}
	return false
}

func (t *told) Ignored(a *decode.Query) uint64 {
	path := t.path(a, a.Node)
	words := strings.Fields(t.line("w" + path))
	k := t.chunks[path]
	t.chunks[path]++
	if k >= len(words) {
		return 0
	}
	v, _ := strconv.ParseUint(words[k], 16, 64)
	return v
}

// Restart is told before each pass.
func (t *told) Restart() { t.chunks, t.picked = map[string]int{}, 0 }
