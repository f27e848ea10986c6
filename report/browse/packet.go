package browse

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// packet is one packet as the tree and the ruler show it. All texts may be shown.
type packet struct {
	n      int64
	fields []field
	parts  []part

	against *packet // that it was compared with
	unlike  []bool  // of each field, whether it is another there
}

// field is a line of the tree.
type field struct {
	path                             string // with the part in front; "" of what has no name
	name, code, value, allowed, kind string
	depth, part                      int
	bit, width                       int // decode.Hidden where they are secret
	hidden                           bool
	order                            wire.Order
	end                              int  // index after the last field that is in it: its own and 1 for one that holds none
	words                            bool // no field: what is said of the packet
}

// group reports whether it holds others.
func (f *field) group(at int) bool { return f.end > at+1 }

// part is bits: those of the datagram, or of a message that it completes.
type part struct {
	payload []byte
	leaves  []int // fields with bits, in the order of the wire
}

// maxFields bounds the lines of a tree: a packet of 65,507 bytes can have 500,000.
const maxFields = 20_000

// newPacket copies what is shown of a packet.
func newPacket(p *scan.Packet) *packet {
	x := &packet{n: p.N}
	x.add(p, "", 0)
	messages, left := p.Messages()
	for i := range messages {
		if m := &messages[i]; m.Trace == nil || m.Secret {
			x.say("message", "the packet has a message that is not shown: it lacks pieces, or is a secret")
		}
	}
	count := 0
	p.InMessages(func(section int, m *scan.Packet) bool {
		count++
		name := "message " + p.Trace.Plan.Schema.Sections[section].Name
		at := len(x.fields)
		x.fields = append(x.fields, field{path: name + number(int64(count)), name: name, part: len(x.parts), kind: "message", width: m.Kept()})
		x.add(m, name+number(int64(count))+".", 1)
		x.fields[at].end = len(x.fields)
		return len(x.fields) < maxFields
	})
	if left > 0 {
		x.say("message", number(int64(left))+" more messages")
	}
	return x
}

// say adds a line that is no field.
func (x *packet) say(kind, text string) {
	x.fields = append(x.fields, field{kind: kind, value: text, end: len(x.fields) + 1, part: max(len(x.parts)-1, 0), words: true})
}

// add adds a part with its fields, at a depth.
func (x *packet) add(p *scan.Packet, prefix string, depth int) {
	at := len(x.parts)
	x.parts = append(x.parts, part{payload: bytes.Clone(p.Trace.Payload)})
	var names, open []string // of the field before, and the groups that are open
	var begun []int          // where these are
	closeTo := func(n int) {
		for len(begun) > n {
			g := &x.fields[begun[len(begun)-1]]
			g.end = len(x.fields)
			begun, open = begun[:len(begun)-1], open[:len(open)-1]
		}
	}
	report.NewPieces(p.Trace.Plan).Visit(p, func(one *report.Piece) bool {
		if len(x.fields) >= maxFields {
			return false
		}
		names = splitPath(names[:0], string(one.Path))
		if len(names) == 0 {
			names = append(names, "("+one.Kind+")")
		}
		same := 0
		for same < len(open) && same < len(names)-1 && open[same] == names[same] {
			same++
		}
		if len(one.Path) > 0 || len(open) > 0 && one.Kind != "padding" {
			closeTo(same)
		} else {
			same = len(open) // padding is where it is
		}
		for i := same; i < len(names)-1; i++ {
			begun = append(begun, len(x.fields))
			open = append(open, names[i])
			x.fields = append(x.fields, field{path: prefix + strings.ReplaceAll(strings.Join(open, "."), ".[", "["), name: names[i], depth: depth + i, part: at, bit: one.Bit, width: decode.Hidden})
		}
		f := field{
			path: prefix + string(one.Path), name: names[len(names)-1], code: string(one.Code), value: string(one.Value), allowed: string(one.Allowed),
			kind: one.Kind, depth: depth + len(open), part: at, bit: one.Bit, width: one.Width, hidden: one.Hidden, order: one.Order, end: len(x.fields) + 1,
		}
		if f.bit >= 0 && f.width > 0 {
			x.parts[at].leaves = append(x.parts[at].leaves, len(x.fields))
		}
		x.fields = append(x.fields, f)
		return true
	})
	closeTo(0)
	if len(x.fields) >= maxFields {
		x.say("more", "the packet has more fields: pktscope explain shows all")
	}
	x.spans()
	if r := report.RefusalOf(p); r != nil {
		x.say("refused", "✗ "+r.Path+": "+r.Kind.String()+": "+r.Message)
		f := &x.fields[len(x.fields)-1]
		f.bit, f.width, f.depth = r.Bit, max(r.Width, 0), depth
	}
	for _, note := range report.NotesOf(p) {
		x.say("note", "note "+note)
	}
}

// spans gives groups the bits of what is in them.
func (x *packet) spans() {
	for i := range x.fields {
		g := &x.fields[i]
		if g.width != decode.Hidden || !g.group(i) || g.kind != "" {
			continue
		}
		first, last := decode.Hidden, decode.Hidden
		for _, f := range x.fields[i+1 : g.end] {
			if f.bit < 0 || f.width < 0 || f.part != g.part || f.kind == "" {
				continue
			}
			if first == decode.Hidden {
				first = f.bit
			}
			first, last = min(first, f.bit), max(last, f.bit+f.width)
		}
		g.bit, g.width = first, max(last-first, 0)
	}
}

// differs reports whether field i is another in the other packet, or not there; of a group, whether any in it is. What
// is masked is not compared. nil differs in nothing.
func (x *packet) differs(other *packet, i int) bool {
	if other == nil || other == x || other.n == x.n {
		return false
	}
	if x.against != other {
		x.against, x.unlike = other, x.compared(other)
	}
	return x.unlike[i]
}

// compared is differs of each field. Fields of a path that there is more than once, such as padding, are not compared.
func (x *packet) compared(other *packet) []bool {
	index := func(p *packet) map[string]int {
		at := make(map[string]int, len(p.fields))
		for i := range p.fields {
			if f := &p.fields[i]; !f.words && f.path != "" {
				at[f.path] = i
			}
		}
		return at
	}
	mine, theirs := index(x), index(other)
	unlike := make([]bool, len(x.fields))
	for i := range slices.Backward(x.fields) { // what is in a group is after it
		f := &x.fields[i]
		if at, ok := mine[f.path]; f.words || f.hidden || !ok || at != i {
			continue
		}
		at, ok := theirs[f.path]
		if !f.group(i) {
			unlike[i] = !ok || other.fields[at].value != f.value || other.fields[at].code != f.code
			continue
		}
		unlike[i] = !ok || other.fields[at].end-at != f.end-i || slices.Contains(unlike[i+1:f.end], true)
	}
	return unlike
}

// splitPath appends the names of a path: body.players[2].x is body, players, [2], x.
func splitPath(names []string, path string) []string {
	for path != "" {
		i := strings.IndexAny(path[1:], ".[") + 1
		if i == 0 {
			return append(names, path)
		}
		names = append(names, path[:i])
		path = strings.TrimPrefix(path[i:], ".")
	}
	return names
}

// at is the field of a part that has a bit; -1 where none has it.
func (x *packet) at(part, bit int) int {
	if part >= len(x.parts) {
		return -1
	}
	leaves := x.parts[part].leaves
	i := sort.Search(len(leaves), func(i int) bool { f := &x.fields[leaves[i]]; return f.bit+f.width > bit })
	if i == len(leaves) || x.fields[leaves[i]].bit > bit {
		return -1
	}
	return leaves[i]
}

// rulerRow is bits that are drawn in one row.
type rulerRow struct {
	first, end int
	order      wire.Order
}

// ruler lays the bits of a part in rows of so many bytes. A row ends early where another order, which is drawn the other
// way, begins with a byte.
func (x *packet) ruler(part, size int) (rows []rulerRow) {
	for _, i := range x.parts[part].leaves {
		f := &x.fields[i]
		for bit := f.bit; bit < f.bit+f.width; {
			n := len(rows) - 1
			if n < 0 || bit >= rows[n].first+8*size || rows[n].order != f.order && bit%8 == 0 {
				rows = append(rows, rulerRow{first: bit &^ 7, end: bit, order: f.order})
				n++
			}
			bit = min(f.bit+f.width, rows[n].first+8*size)
			rows[n].end = max(rows[n].end, bit)
		}
	}
	return rows
}
