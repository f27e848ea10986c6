package infer

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Result is a schema and what it rests on.
type Result struct {
	Source []byte // the schema: it checks, and accepts all packets but the Outliers

	Checksum *Checksum // nil: none was found
	Order    Order
	Check    string // what all packets end with, as the schema has it; "": nothing
	Packets  int64  // that were decoded
	Refused  int64
	Outliers []Outlier // of these, the first ones
	Fields   []Field
	Opaque   float64 // share of the bits that no field says anything of: random, or not understood
	Constant float64 // share of the bits that never change
	Broken   error   // why some of the draft was given up, and is bytes: the first one did not check
	Spent    bool    // the work that a capture may cause was done before all was tried
	Probe    []byte  // a packet that the server answered, where nothing was kept; nil: none is known
	Port     uint16  // the server's; 0: nobody knows
	Kept     int     // lines of Options.Keep that a person wrote, and that are in Source
	keptSum  bool    // and its checksum
}

// Order is how bits fill bytes, and what that is known from.
type Order struct {
	Order wire.Order
	Bits  [3]float64 // what the packets cost in each order
	// Undecided says that no order is better: all fields lie on bytes, or nothing is understood.
	Undecided bool
	Given     bool
}

// Field is what is known of a field.
type Field struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Bits  int     `json:"bits"`
	Model string  `json:"model,omitempty"`
	Saved float64 `json:"bits_saved"` // against the cheapest cut without a boundary where it begins
	Least uint64  `json:"least"`
	Most  uint64  `json:"most"`
	Seen  int     `json:"packets"`
	Kept  bool    `json:"kept,omitempty"` // a person wrote it

	Sure     string   `json:"sure,omitempty"`     // certain, likely or guess: how sure the cut is; "" where nothing else is possible
	Why      string   `json:"why,omitempty"`      // what it is taken for
	Examples []string `json:"examples,omitempty"` // some of its values, as the schema has them
	Bytes    int      `json:"bytes,omitempty"`    // of all packets, where it is bytes
	Entropy  float64  `json:"entropy,omitempty"`  // of each of these, in bits
}

// Infer makes a schema from a sample. It never fails: of packets in which nothing is found it makes bytes.
func Infer(s *Sample, o Options) (*Result, error) {
	res := &Result{}
	all := slices.Clone(rows(s.rows))
	d := &draft{name: cmp.Or(o.Name, "inferred"), ports: o.Ports, longest: s.Longest, tight: o.Tight}
	if port := s.port(); len(d.ports) == 0 && port != 0 {
		d.ports = []uint16{port}
	}
	if len(d.ports) > 0 {
		res.Port = d.ports[0]
	}
	good := all
	var layout *block
	if o.Keep == nil { // which says of nothing that it is a secret
		res.Probe = s.probe(res.Port)
	} else {
		layout = d.begin(o.Keep)
		res.Kept, res.keptSum, o.Order = o.Keep.fixed, o.Keep.sums(), o.Keep.schema.Order.String()
	}
	if !o.NoSum && d.tail == 0 && !res.keptSum {
		res.Checksum = findChecksum(all)
	}
	var known fixed
	if k := res.Checksum; k != nil {
		good = slices.DeleteFunc(slices.Clone(all), func(r row) bool { return !k.Fits(r.raw()) })
		if k.At < 0 {
			d.tail = -k.At
		} else {
			known = append(known, struct{ at, width int }{8 * k.At, k.Algorithm.Width})
		}
	}
	good = slices.DeleteFunc(slices.Clone(good), func(r row) bool { return r.size < d.tail })
	for i := range good {
		good[i].end -= 8 * d.tail
	}
	var check *ending
	if o.Keep == nil || d.keep.tail == 0 && d.keep.isOpen(layout) {
		check = endCheck(good)
	}
	if check != nil {
		d.tail += 4
		for i := range good {
			good[i].end -= 32
		}
	}
	fillTables()
	c := &coster{budget: maxWork}
	res.Order = decideOrder(c, good, o.Order, known)
	d.order, c.order = res.Order.Order, res.Order.Order
	sh := &shaper{coster: c, byByte: isByByte(c, good, known)}
	c.budget = maxWork
	switch {
	case layout != nil:
		if err := d.again(sh, good, layout, known); err != nil {
			return nil, err
		}
	case len(good) > 0:
		if o.Tag.Width > 0 {
			d.root = sh.told(good, known, tag{at: o.Tag.At, width: o.Tag.Width})
		}
		if d.root == nil {
			var cost float64
			if d.root, cost = sh.shape(good, known, 0); !sh.supported(good, cost) {
				d.root = inBytes()
			}
		}
	default:
		d.root = &block{items: []*item{{kind: kindRest}}}
	}
	res.Spent = c.spent()
	if d.keep != nil && !d.keep.takes(d.root, layout, res.Checksum) {
		res.Checksum = nil
	}
	d.finish(res.Checksum, check)
	if check != nil {
		res.Check = check.text(d.order)
	}
	for round := 0; ; round++ {
		if _, _, err := d.prove(all); err != nil {
			return nil, err
		}
		if d.settle() {
			continue
		}
		res.Broken, res.Fields = d.broken, nil
		d.report(res)
		d.comments = true
		d.note = res.summary()
		res.Source = tidy(d.source())
		more, err := d.last(res, all, o.Again)
		if err != nil || len(more) == 0 || round == maxAgain {
			return res, err
		}
		all = append(all, more...) // what the sample lacked
		d.comments = false
	}
}

// Packets that the sample lacks and the schema refuses are proved next, so many of them, so many times.
const (
	maxAgain = 4
	maxMore  = 2000
)

// finish puts the checksum and the check in their places and names all.
func (d *draft) finish(k *Checksum, check *ending) {
	if k != nil && k.At >= 0 {
		d.root.each(func(it *item) {
			if it.kind == kindNumber && it.at == 8*k.At && it.width == k.Algorithm.Width && slices.Contains(d.root.items, it) && it.sum == nil {
				it.kind, it.sum = kindSum, k
			}
		})
		if !slices.ContainsFunc(d.root.items, func(it *item) bool { return it.kind == kindSum }) {
			sum := &item{kind: kindSum, sum: k}
			if k.At > 0 {
				d.root = &block{items: []*item{{kind: kindBytes, field: field{width: 8 * k.At}}, sum, {kind: kindRest}}}
			} else {
				d.root = &block{items: []*item{sum, {kind: kindRest}}}
			}
		}
	}
	if check != nil {
		d.root.items = append(d.root.items, &item{kind: kindCheck, text: check.text(d.order)})
	}
	if k != nil && k.At < 0 {
		d.root.items = append(d.root.items, &item{kind: kindSum, sum: k})
	}
	d.root.roles()
	d.names()
}

// told is the layout with a tag that a person named; nil where the packets do not have it.
func (s *shaper) told(r rows, known fixed, t tag) *block {
	if !known.allows(t.at, t.width) || t.at+t.width > min(r.least(), maxCut) {
		return nil
	}
	sp, _ := s.split(r, known, t, fewRows)
	if sp == nil {
		return nil
	}
	b, _ := s.branch(r, known, sp, 0)
	return b
}

// decideOrder prices the packets of the most frequent lengths in each order.
func decideOrder(c *coster, r rows, given string, known fixed) Order {
	if o, ok := wire.ParseOrder(given); ok {
		return Order{Order: o, Given: true}
	}
	var out Order
	c.sorting = true
	defer func() { c.sorting = false }()
	for o := range out.Bits {
		c.order = wire.Order(o)
		c.budget = c.work + maxWork/5
		for _, group := range groups(r) {
			n := min(group.least(), 1024)
			if n == 0 {
				continue
			}
			_, cost := c.tabulate(group.window(fewRows), n, false).cut(n, known.before(n))
			out.Bits[o] += cost
		}
	}
	best := 0
	for o := range out.Bits {
		if out.Bits[o] < out.Bits[best] {
			best = o
		}
	}
	out.Order = wire.Order(best)
	margin := max(leastMargin, 0.003*out.Bits[best])
	for o := range out.Bits {
		if o != best && out.Bits[o] <= out.Bits[best]+margin {
			out.Undecided = true
		}
	}
	if out.Undecided && out.Bits[wire.MSB] <= out.Bits[wire.LSB]+1 {
		out.Order = wire.MSB // network order
	} else if out.Undecided {
		out.Order = wire.LSB
	}
	return out
}

// leastMargin is by how many bits an order is better than the others at least.
const leastMargin = 150

// before are the known cuts that lie in the first n bits.
func (f fixed) before(n int) (out fixed) {
	for _, k := range f {
		if k.at+k.width <= n {
			out = append(out, k)
		}
	}
	return out
}

// groups are the packets of the four most frequent lengths.
func groups(r rows) (out []rows) {
	of := map[int]rows{}
	for i := range r {
		of[r[i].end] = append(of[r[i].end], r[i])
	}
	for _, group := range of {
		out = append(out, group)
	}
	slices.SortFunc(out, func(a, b rows) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0].end, b[0].end)) })
	return out[:min(len(out), 4)]
}

// isByByte reports whether hardly anything is lost where fields that begin inside a byte have to be worth it, and little
// where there are none.
func isByByte(c *coster, r rows, known fixed) bool {
	c.budget = c.work + maxWork/5
	lost, none, understood := 0.0, 0.0, 0.0
	for _, group := range groups(r) {
		n := min(group.least(), 1024)
		if n == 0 {
			continue
		}
		t := c.tabulate(group.window(fewRows), n, false)
		known := known.before(n)
		fields, cost := t.cut(n, known)
		t.odd = oddCost
		up, _ := t.forward(known)
		lost += up[n] - cost
		t.odd = never
		up, _ = t.forward(known)
		none += up[n] - cost
		for _, f := range fields {
			if f.model != modelUniform && f.model != modelConst {
				understood += f.bits
			}
		}
	}
	return lost <= understood*bytesLose && none <= understood*wholeLose
}

// Shares of what is understood that are lost at most where a protocol is one of bytes: where a boundary inside a byte
// costs something, which is little where there are many rows, and where there is none.
const (
	bytesLose = 0.008
	wholeLose = 0.05
)

// ending is what all packets end with: 32 bits.
type ending struct{ bytes [4]byte }

// labels are the words of checks that packets end with, as the articles have them and as people write them.
var labels = []string{"end of packet", "end_of_packet", "end", "packet end", "end of message", "eop", "check", "checksum", "done", "magic"}

// endCheck finds four bytes at the end of all packets, of more than one length, that are not all the same byte.
func endCheck(r rows) *ending {
	counts, sizes := map[[4]byte]int{}, map[int]bool{}
	for i := range r {
		if b := r[i].end / 8; b >= 4 {
			counts[[4]byte(r[i].data[b-4:b])]++
			sizes[b] = true
		}
	}
	for b, n := range counts {
		if n >= fewest && n == len(r) && len(sizes) > 1 && !(b[0] == b[1] && b[1] == b[2] && b[2] == b[3]) {
			return &ending{b}
		}
	}
	return nil
}

// text is the check as the schema has it.
func (e *ending) text(o wire.Order) string {
	v := binary.LittleEndian.Uint32(e.bytes[:])
	if o == wire.MSB {
		v = binary.BigEndian.Uint32(e.bytes[:])
	}
	for _, label := range labels {
		if wire.LabelHash(label) == v {
			return fmt.Sprintf("check %q", label)
		}
	}
	return fmt.Sprintf("check %#x", v)
}

// report fills what is known of the fields, from what all packets of the sample have.
func (d *draft) report(res *Result) {
	d.root.each(func(it *item) {
		s := d.seen[it.name]
		if s == nil || it.kind != kindNumber && it.kind != kindRest && it.kind != kindBlob && it.kind != kindGuard && it.kind != kindKept {
			return
		}
		f := Field{Name: it.name, Kind: it.kind.String(), Bits: it.width, Least: s.least, Most: s.most, Seen: s.n, Kept: it.kept}
		f.Bytes, f.Entropy = s.measure()
		f.Entropy = math.Round(100*f.Entropy) / 100
		f.Why = it.why()
		if it.kind == kindNumber {
			f.Examples = s.examples(it, d.signed(it))
		}
		if it.kind == kindNumber && !it.kept {
			f.Model = it.model.String()
			if !math.IsInf(it.saved, 1) && !math.IsNaN(it.saved) {
				f.Saved = math.Round(it.saved)
			}
			if it.saved > 0 && s.n > 0 && !d.constant(it) && !math.IsInf(it.saved, 1) {
				f.Sure = sureness(it.saved)
			}
		}
		res.Fields = append(res.Fields, f)
	})
	total, constant, opaque := 0.0, 0.0, 0.0
	d.root.each(func(it *item) {
		s := d.seen[it.name]
		if s == nil || it.stays != nil && it.stays.end {
			return
		}
		bits := float64(s.n * it.width)
		for _, k := range s.bytes {
			bits += 8 * float64(k)
			opaque += 8 * float64(k)
		}
		total += bits
		switch {
		case it.kind == kindNumber && s.n > 0 && s.least == s.most:
			constant += bits
		case it.kind == kindNumber && it.model == modelUniform && it.width > 1:
			opaque += bits
		}
	})
	if total > 0 {
		res.Constant, res.Opaque = constant/total, opaque/total
	}
}

// summary is what the schema says above its packet.
func (r *Result) summary() string {
	var b strings.Builder
	for _, l := range r.Evidence() {
		fmt.Fprintf(&b, "%-9s %s\n", l.What, l.Text)
	}
	return b.String()
}

// Line is a line of the evidence: what it is of, what was found, and how sure that is.
type Line struct{ What, Text string }

// Evidence is what the schema rests on, line by line, without what the fields' comments say.
func (r *Result) Evidence() (out []Line) {
	add := func(what, format string, args ...any) { out = append(out, Line{what, fmt.Sprintf(format, args...)}) }
	if k := r.Checksum; r.keptSum {
		add("checksum", "as it was")
	} else if k != nil {
		add("checksum", "%s: %d of %d packets (certain)", k, k.Match, k.Of)
	} else {
		add("checksum", "none found")
	}
	switch o := r.Order; {
	case o.Given:
		add("order", "%s, as was said", o.Order)
	case o.Undecided:
		add("order", "undecided: no order is better, %s is taken", o.Order)
	default:
		var others []string
		for i, b := range o.Bits {
			if wire.Order(i) != o.Order {
				others = append(others, fmt.Sprintf("%s %.0f", wire.Order(i), b))
			}
		}
		add("order", "%s: %.0f bits, against %s (certain)", o.Order, o.Bits[o.Order], strings.Join(others, " and "))
	}
	if r.Kept > 0 {
		add("kept", "%s of the schema stayed as it was", syntax.Count(r.Kept, "line"))
	}
	if r.Check != "" {
		add("end", "%s", r.Check)
	}
	add("unknown", "%.0f%% of the bits never change, %.0f%% look random or were not understood", 100*r.Constant, 100*r.Opaque)
	if r.Broken != nil {
		add("limit", "the draft was given up: %v", r.Broken)
	}
	if r.Spent {
		add("limit", "the search ended at its bound of work: some of it was not tried")
	}
	return out
}

// last decodes all packets, and says how many are refused; of those that the sample lacks it returns some that do not
// deserve it.
func (d *draft) last(res *Result, kept rows, again func(func(*Packet) bool) error) (more rows, err error) {
	dec, err := decode.Load("inferred.pks", res.Source)
	if err != nil {
		return nil, err
	}
	res.Packets, res.Refused, res.Outliers = 0, 0, nil
	var t decode.Trace
	look := func(p *Packet) bool {
		res.Packets++
		if dec.Decode(p.Data, decode.FromUnknown, &t) == nil {
			return true
		}
		if res.Refused++; len(res.Outliers) < maxOutliers {
			res.Outliers = append(res.Outliers, Outlier{p.N, t.Reject().Error()})
		}
		if again != nil && !d.deserves(failure{t.Reject().Kind, d.culprit(&t, t.Reject())}) && len(more) < maxMore {
			more = append(more, row{data: append(slices.Clone(p.Data), make([]byte, padding)...), size: len(p.Data), end: 8 * len(p.Data), n: p.N, time: p.Time})
		}
		return true
	}
	if again != nil {
		err = again(look)
		return more, err
	}
	for i := range kept {
		look(&Packet{N: kept[i].n, Data: kept[i].raw()})
	}
	return nil, nil
}
