package budget

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// Case is the packets of one case. Sizes are bytes of UDP payload.
type Case struct {
	Name    string  `json:"case"`
	Packets uint64  `json:"packets"`
	Bytes   uint64  `json:"bytes"`
	Refused uint64  `json:"refused_bytes,omitempty"` // of packets of it that were refused or cut
	P50     uint64  `json:"p50_bytes"`
	P99     uint64  `json:"p99_bytes"`
	Max     uint64  `json:"max_bytes"`
	Share   float64 `json:"share"` // of payload, 0..1: see saved.Share

	index int // of the budget's, -1 for the total
}

// Field is where some of the bits go. Its name is the rule's, so all elements of an array are one.
type Field struct {
	Path  string
	Type  string // as declared, "" where nothing declares it
	Class Class
	Width int // bits, 0 where it varies
	Times uint64
	Bits  uint64
	// Bits of a packet that it takes, over all packets of its case (of all cases where it stands outside).
	P50, P99, Max uint64
	Secret        bool
	Known         bool // Least to Entropy are valid
	Least, Most   string
	Distinct      Measured
	Entropy       float64 // bits that a value carries, at most Width

	index int   // leaf, -1 for others
	scope []int // the cases that it can be in, nil for all
	once  bool  // no packet has it twice
}

// Total is all packets: a Case without a name.
func (b *Budget) Total() Case { return b.result(-1) }

// Read is the payload bits of all packets read, of which a Share is.
func (b *Budget) Read() uint64 { return 8 * (b.all.bytes + b.refused.bytes + b.cut.bytes) }

// Refused and Cut are the packets that are not in the budget, with their payload bytes.
func (b *Budget) Refused() (packets, bytes uint64) { return b.refused.packets, b.refused.bytes }

// Cut is as Refused: packets that their capture cut.
func (b *Budget) Cut() (packets, bytes uint64) { return b.cut.packets, b.cut.bytes }

// Duration is from the first packet to the last.
func (b *Budget) Duration() time.Duration {
	if b.all.packets == 0 {
		return 0
	}
	return time.Duration(b.last - b.first)
}

// Cases lists the cases that came, in the schema's order.
func (b *Budget) Cases() []Case {
	var out []Case
	for i := range b.cases {
		if b.cases[i].packets > 0 {
			out = append(out, b.result(i))
		}
	}
	return out
}

func (b *Budget) result(i int) Case {
	c, name := &b.all, ""
	if i >= 0 {
		c, name = &b.cases[i], b.shape.cases[i].name
	}
	return Case{name, c.packets, c.bytes, c.refused, c.size.Percentile(50, 0), c.size.Percentile(99, 0), c.size.max,
		saved.Share(8*(c.bytes+c.refused), b.Read()), i}
}

// CaseBits is how many of a field's bits are in the packets of a case of Cases. It is 0 too where that was not counted: of
// a field outside the cases that is not once in each packet.
func (b *Budget) CaseBits(f *Field, c *Case) (bits uint64, inside bool) {
	packets := b.inScope(f.scope)
	switch {
	case f.scope != nil && !slices.Contains(f.scope, c.index):
		return 0, false
	case c.Packets == packets:
		return f.Bits, f.scope != nil
	case f.once && f.Width > 0 && f.Times == packets:
		return uint64(f.Width) * c.Packets, f.scope != nil
	}
	return 0, f.scope != nil
}

// Fields lists what took bits, in the schema's order, padding last. Together they are all bits of all packets. (masked)
// is all of which the size, or whether it is there, is a secret, with the padding of such packets.
func (b *Budget) Fields() []Field {
	var out []Field
	p := b.shape.plan
	decls := declarationsOf(p.Schema)
	for at := range b.shape.records {
		r := &b.shape.records[at]
		for _, leaf := range r.leaves {
			out = b.leafField(out, leaf, decls)
		}
		if r.bare() && b.places[r.place].weight > 0 {
			out = b.blobField(out, r.place, decls)
		}
	}
	if pl := &b.masked; pl.weight > 0 {
		f := Field{Path: "(masked)", Class: Bytes, Times: pl.times, Bits: pl.weight, Secret: true, index: -1}
		b.spreadOver(&f, pl, 1, b.all.packets)
		out = append(out, f)
	}
	for i, pl := range []*place{&b.padding, &b.end} {
		if pl.weight == 0 {
			continue
		}
		f := Field{Path: []string{"(alignment)", "(rest of the last byte)"}[i], Class: Padding, Times: pl.times, Bits: pl.weight, index: -1}
		b.spreadOver(&f, pl, 1, b.all.packets)
		out = append(out, f)
	}
	return out
}

// ClassBits is how many bits are for something.
type ClassBits struct {
	Class Class  `json:"class"`
	Bits  uint64 `json:"bits"`
}

// Classes sums the fields up by what their bits are for, the most first. Classes without bits are left out.
func (b *Budget) Classes() []ClassBits {
	var out []ClassBits
	for _, f := range b.Fields() {
		i := slices.IndexFunc(out, func(c ClassBits) bool { return c.Class == f.Class })
		if i < 0 {
			i, out = len(out), append(out, ClassBits{Class: f.Class})
		}
		out[i].Bits += f.Bits
	}
	slices.SortStableFunc(out, func(x, y ClassBits) int { return cmp.Compare(y.Bits, x.Bits) })
	return out
}

// placeOf is the place that counts a leaf, and what one unit of its weight is in bits.
func (b *Budget) placeOf(leaf int) (*place, uint64) {
	l := &b.shape.leaves[leaf]
	if l.fixed {
		return &b.places[l.place], uint64(b.shape.plan.Leaves[leaf].Width)
	}
	return &b.places[l.place], 1
}

func (b *Budget) rule(id plan.NodeID) string { return string(b.shape.plan.AppendRule(nil, id)) }

// inScope is how many packets the cases of a scope have.
func (b *Budget) inScope(cases []int) uint64 {
	if cases == nil {
		return b.all.packets
	}
	n := uint64(0)
	for _, c := range cases {
		n += b.cases[c].packets
	}
	return n
}

func (b *Budget) spreadOver(f *Field, pl *place, unit, packets uint64) {
	zeros := packets - min(packets, pl.packets)
	if pl.spread.n == 0 { // once per packet
		var s Spread
		s.addMany(pl.weight/max(pl.packets, 1), pl.packets)
		f.P50, f.P99, f.Max = s.Percentile(50, zeros)*unit, s.Percentile(99, zeros)*unit, s.max*unit
		return
	}
	f.P50, f.P99, f.Max = pl.spread.Percentile(50, zeros)*unit, pl.spread.Percentile(99, zeros)*unit, pl.spread.max*unit
}

// blobField adds the field of a step that has no leaf: bytes, text, or more reserved bits than one holds.
func (b *Budget) blobField(out []Field, id int, decls *declarations) []Field {
	p, pl := b.shape.plan, &b.places[id]
	node := p.Steps[id].At().Node
	n := &p.Nodes[node]
	f := Field{Path: b.rule(node), Type: decls.written(n.Value), Class: Bytes, Times: pl.times, Bits: pl.weight, Secret: n.Secret, index: -1}
	if reserved, ok := p.Steps[id].(*plan.Reserved); ok {
		f.Class, f.Width = Reserved, reserved.Bits
	}
	f.scope, f.once = b.shape.scope(node), pl.packets == pl.times
	b.spreadOver(&f, pl, 1, b.inScope(f.scope))
	return append(out, f)
}

func (b *Budget) leafField(out []Field, i int, decls *declarations) []Field {
	p := b.shape.plan
	pl, unit := b.placeOf(i)
	if pl.times == 0 || pl.weight*unit == 0 {
		return out
	}
	info, l := &p.Info[i], &b.shape.leaves[i]
	n := &p.Nodes[info.Node]
	f := Field{Path: b.rule(info.Node), Type: decls.written(n.Value), Class: l.class, Times: pl.times, Bits: pl.weight * unit, Secret: l.secret, index: i}
	if l.fixed {
		f.Width = int(p.Leaves[i].Width)
	}
	f.scope, f.once = b.shape.scope(info.Node), pl.packets == pl.times
	b.spreadOver(&f, pl, unit, b.inScope(f.scope))
	if l.mode != opaque {
		b.describe(&f, i, pl.times)
	}
	return append(out, f)
}

// describe says which values were seen.
func (b *Budget) describe(f *Field, i int, n uint64) {
	v, l := &b.values[i], &b.shape.leaves[i]
	s := &v.sample
	if v.direct != nil {
		s = &sample{limit: len(v.direct)}
		for code, n := range v.direct {
			if n > 0 {
				s.addMany(uint64(code), n)
			}
		}
	}
	least, most, ok := b.extent(i)
	if !ok {
		return
	}
	f.Known = true
	f.Least, f.Most = l.text(least), l.text(most)
	f.Distinct, f.Entropy = s.distinct(), s.entropy(n)
	if f.Width > 0 {
		f.Entropy = min(f.Entropy, float64(f.Width))
	}
	if v.nan > 0 {
		f.Most += " NaN"
	}
}

// extent is the least and the largest value seen, as keys.
func (b *Budget) extent(i int) (least, most uint64, ok bool) {
	v, l := &b.values[i], &b.shape.leaves[i]
	if v.direct == nil {
		return v.least, v.most, v.seen
	}
	var w values
	for code, n := range v.direct {
		if n > 0 {
			w.see(l.key(uint64(code)))
		}
	}
	return w.least, w.most, w.seen
}

// asText is how many characters a leaf's values take as numbers, and as names where cases and bools have them.
func (b *Budget) asText(i int) (numbers, names uint64) {
	v, l := &b.values[i], &b.shape.leaves[i]
	p := b.shape.plan
	pl, _ := b.placeOf(i)
	if l.mode == opaque { // a secret: as many as the largest code has
		n := pl.times * digits(p.Leaves[i].Mask)
		return n, n
	}
	if v.direct == nil {
		numbers, names = v.digits, v.words
		if l.words == nil {
			names = numbers
		}
		return numbers, names
	}
	for code, n := range v.direct {
		if n == 0 {
			continue
		}
		d := l.digits(l.key(uint64(code)))
		w := d
		switch {
		case p.Info[i].Kind == plan.LeafBool:
			w = 5 - uint64(code) // false, true
		case l.words != nil:
			w = l.wordLength(uint64(code))
		}
		numbers += n * d
		names += n * w
	}
	return numbers, names
}

// perSecond is a total per second of the packets' time, 0 where they have no time.
func (b *Budget) perSecond(total float64) float64 {
	if d := b.Duration().Seconds(); d > 0 && !math.IsInf(total, 0) {
		return total / d
	}
	return 0
}

// param is a param of the schema with its value, for telling two budgets apart.
type param struct{ Name, Value string }

func paramsOf(s *schema.Schema) []param {
	var out []param
	for _, p := range s.Params {
		if p.Value != nil {
			out = append(out, param{p.Name, p.Value.String()})
		}
	}
	return out
}
