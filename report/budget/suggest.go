package budget

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/internal/table"
)

// Suggestions: what a schema could declare more tightly, and what that saves. One session must not become a trap, so:
//
//   - What the schema itself promises needs no margin: a rule's range becomes the type (`uint8 in 0..100` →
//     `int(0..100)`), a bool8 a bool, an enum's base what its cases need, flags their bits.
//   - What was only seen gets a bit more than it needs, so that the range holds twice the largest value, fills its
//     bits, and keeps 0 (and a sign where there was one). At least minSeen values are asked for.
//   - Never narrowed by what was seen: a @seq and an @ack, whose width says when they wrap; an id, an address, a hash,
//     a token (isID), of which the next session has another; a field that an expression reads; what lies in a window,
//     whose size something else says; a @secret.
//   - A varint holds all that the fixed type held: no margin, but a tenth must be won.
//   - Advice, in no sum, and not applied: what grows with the session, so that its range is the capture's length
//     (growth.go); few values of a wide type, which are who was there, and any other encoding of an id; a @time, for
//     the same reason; a float, whose step is the author's to know; a range that the author gave, for what reason he
//     knows; what an imported file declares, which others may import.
const minSeen = 100

// Suggestion is a tighter declaration of one field, or of an enum with all fields of that type.
type Suggestion struct {
	Field string // `PlayerState.x`, `timestamp`, `enum MessageType`
	Was   string // the type as declared
	Text  string // as pks, to put in its place
	Why   string
	File  string // the file that is imported, "" for the schema's own
	Pos   schema.Pos
	Times uint64
	// Saved bits over all packets: exactly what the fields take less. What alignment and the last byte make of it is
	// apart.
	Saved  uint64
	Advice bool // changes values: not in sums, not applied

	whole  bool // holds all values that it did
	edit   edit
	leaves []int
}

// Of reports whether a field of the same Budget has the declaration. An enum's is that of all its fields.
func (s *Suggestion) Of(f *Field) bool { return f.index >= 0 && slices.Contains(s.leaves, f.index) }

// edit replaces a stretch of the source.
type edit struct {
	from, to int32
	text     string
}

// declared is the leaves that one declaration makes: a struct used in several places has one for all.
type declared struct {
	leaves []int
	at     *syntax.ValueExpr
	facts  *facts
	enum   *schema.Enum // the declaration is the enum's
	times  uint64
	bits   uint64
	groups uint64
	least  uint64 // keys
	most   uint64
	seen   bool
	secret bool
	mixed  bool // the leaves are not alike
}

// Suggestions lists what saves bits of the packets counted, the most first. Together they make a schema that checks.
func (b *Budget) Suggestions() []Suggestion {
	decls := declarationsOf(b.shape.plan.Schema)
	var out []Suggestion
	for _, d := range b.declared(decls) {
		if s, ok := b.suggest(d, decls); ok && s.Saved > 0 {
			s.leaves = d.leaves
			if s.File = b.shape.plan.Schema.Origin(s.Pos); s.File != "" && !s.Advice {
				s.Advice = true
				s.Why += ", but " + s.File + " declares it"
			}
			out = append(out, s)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Advice != out[j].Advice {
			return out[j].Advice
		}
		return out[i].Saved > out[j].Saved
	})
	return b.checked(out)
}

// declared groups the leaves by declaration, in the schema's order.
func (b *Budget) declared(decls *declarations) []*declared {
	p := b.shape.plan
	byPlace := map[int32]*declared{}
	var out []*declared
	add := func(at *syntax.ValueExpr, enum *schema.Enum, f *facts, i int) {
		if at == nil {
			return
		}
		d := byPlace[at.Pos.Off]
		if d == nil {
			d = &declared{at: at, facts: &facts{}, enum: enum}
			if enum == nil {
				d.facts = f
			}
			byPlace[at.Pos.Off] = d
			out = append(out, d)
		}
		d.facts.window = d.facts.window || f.window
		pl, unit := b.placeOf(i)
		d.leaves = append(d.leaves, i)
		d.times += pl.times
		d.bits += pl.weight * unit
		d.groups += b.values[i].groups
		d.secret = d.secret || b.shape.leaves[i].secret
		d.mixed = d.mixed || b.shape.leaves[i].mode != b.shape.leaves[d.leaves[0]].mode
		if least, most, ok := b.extent(i); ok {
			if !d.seen {
				d.least, d.most, d.seen = least, most, true
			}
			d.least, d.most = min(d.least, least), max(d.most, most)
		}
	}
	for i := range p.Leaves {
		n := &p.Nodes[p.Info[i].Node]
		if n.Value == nil {
			continue
		}
		f := decls.facts[n.Value.Pos.Off]
		if f == nil {
			continue
		}
		if e := p.Info[i].Enum; e != nil {
			add(decls.enums[e.Pos.Off], e, f, i)
			continue
		}
		add(decls.values[n.Value.Pos.Off], nil, f, i)
	}
	return out
}

func (b *Budget) suggest(d *declared, decls *declarations) (Suggestion, bool) {
	p := b.shape.plan
	first := d.leaves[0]
	info := &p.Info[first]
	var s Suggestion
	if d.facts.window || d.mixed || d.times == 0 {
		return s, false
	}
	s.Pos, s.Times = d.at.Pos, d.times
	s.Was = decls.text(d.at.Type.Place().Pos, behindType(d.at, d.enum == nil))
	s.edit = edit{d.at.Type.Place().Pos.Off, behindType(d.at, false).Off, ""}
	if d.enum != nil {
		s.Field = "enum " + d.enum.Name
		if d.enum.Flags {
			s.Field = "flags " + d.enum.Name
		}
		return s, b.enumSuggestion(d, &s)
	}
	s.Field = b.owner(info.Node)
	t := p.Nodes[info.Node].Value.Type
	if t.Row().Part == schema.PartInt {
		if done, ok := s.byRule(info.Rule, d); done {
			return s, ok
		}
		return s, b.bySight(d, &s, t)
	}
	return s, b.byType(d, &s, t)
}

// byType suggests what a type has to offer.
func (b *Budget) byType(d *declared, s *Suggestion, t schema.Type) bool {
	switch t := t.(type) {
	case *schema.BoolType:
		return t.Wide && b.shape.plan.Info[d.leaves[0]].Rule == nil &&
			s.become("bool", 1, d, "a bool8 has 7 bits that are always 0")
	case *schema.IntType:
		return t.Size == nil && b.narrowed(d, s, t.Width, false)
	case *schema.VarintType:
		return b.narrowed(d, s, t.Bits, true)
	case *schema.RangedType:
		return !d.clock() && b.rangeAdvice(d, s, t)
	case *schema.FloatType:
		return b.floatAdvice(d, s)
	case *schema.QuantizedType:
		return b.quantAdvice(d, s, t)
	case *schema.VectorType, *schema.SmallestType, *schema.TextType, *schema.BlobType, *schema.ChecksumType,
		*schema.EnumRef, *schema.StructRef, *schema.OptionalType, *schema.ArrayType, *schema.SubsetType,
		*schema.LadderType, *schema.BelowType:
		return false
	default:
		panic(fmt.Sprintf("pktscope: internal error: a %T in a budget", t))
	}
}

// clock reports whether it counts time.
func (d *declared) clock() bool { return d.facts.notes != nil && d.facts.notes.Time != 0 }

// become sets what is put in the place, and what that saves.
func (s *Suggestion) become(text string, width uint64, d *declared, why string) bool {
	return s.becomeBits(text, width*d.times, d, why)
}

func (s *Suggestion) becomeBits(text string, total uint64, d *declared, why string) bool {
	if total >= d.bits {
		return false
	}
	s.Text, s.Why, s.Saved, s.edit.text = text, why, d.bits-total, text
	return true
}

// enumSuggestion narrows the base to what the cases need.
func (b *Budget) enumSuggestion(d *declared, s *Suggestion) bool {
	e := d.enum
	if e.Open {
		return false
	}
	for _, i := range d.leaves {
		if !b.shape.leaves[i].fixed {
			return false
		}
	}
	most := e.Mask
	for i := range e.Cases {
		v := e.Cases[i].Value
		if v.Sign() < 0 {
			return false
		}
		most = max(most, v.Uint64())
	}
	width := max(bits.Len64(most), 1)
	return s.become(fmt.Sprintf("bits(%d)", width), uint64(width), d, fmt.Sprintf("its cases need %d bits", width))
}

// byRule makes a rule's range the type. done: the rule decides, whatever was seen.
func (s *Suggestion) byRule(r *schema.Rule, d *declared) (done, ok bool) {
	if r == nil || r.Kind == schema.RuleNe {
		return false, false
	}
	if r.Kind != schema.RuleIn || len(r.Set) == 0 {
		return true, false
	}
	lo, hi := r.Set[0].Lo, r.Set[len(r.Set)-1].Hi
	span := hi.Uint64() - lo.Uint64()
	if lo.Sign() < 0 {
		span = hi.Uint64() - uint64(lo.Int64())
		if hi.Sign() < 0 {
			span = uint64(hi.Int64() - lo.Int64())
		}
	}
	if span == 0 {
		return true, false
	}
	width := uint64(wire.BitsRequired(span))
	text := fmt.Sprintf("int(%s..%s)", lo, hi)
	if len(r.Set) > 1 {
		return true, s.become(text, width, d, fmt.Sprintf("what its rule allows takes %d bits", width))
	}
	written, ok := strings.CutPrefix(r.Text, "in ")
	if ok && strings.Count(written, "..") == 1 && !strings.ContainsAny(written, "{}") {
		text = "int(" + written + ")" // with the constants as the author named them
	}
	ok = s.become(text, width, d, fmt.Sprintf("its rule allows no more: %d bits", width))
	if ok && d.at.Rule != nil { // a vector's rule is after the vector, and stays
		s.edit.to = d.at.Rule.End.Off
	}
	return true, ok
}

// clockRoom is how long, in ns, a @time field that is narrowed as advised still counts: a year. What was seen of a
// clock says how long the capture is and when it began, and no more: twice ten seconds of ticks would wrap around in
// the twenty-first.
const clockRoom = 365 * 24 * 3600 * 1e9

// bySight suggests by what was seen of a number that nothing else narrows; of what grows that is advice.
func (b *Budget) bySight(d *declared, s *Suggestion, t schema.Type) bool {
	n := d.facts.notes
	if !d.tells() || n != nil && (n.Seq || n.Ack != nil) {
		return false
	}
	for _, i := range d.leaves {
		if b.shape.leaves[i].class != Value {
			return false
		}
	}
	if !b.byType(d, s, t) {
		return false
	}
	why := b.growth(d)
	if why == "" && d.names() {
		why = "it names something: other sessions have other values"
	} else if n := b.distinct(d); why == "" && !s.whole && n <= fewValues && d.wide() {
		why = "it had only " + table.Count(n, "value")
	}
	if why != "" {
		s.Advice = true
		s.Why += ", but " + why
	}
	return true
}

// Few values of a type so wide say what was there, and not what the type is for.
const (
	fewValues = 16
	wideType  = 16 // bits
)

// wide reports whether the declared type has many more values than few.
func (d *declared) wide() bool { return d.bits >= wideType*d.times }

// distinct is how many values were seen, of each leaf by itself.
func (b *Budget) distinct(d *declared) (n int) {
	for _, i := range d.leaves {
		var f Field
		b.describe(&f, i, 1)
		n += int(f.Distinct.Value)
	}
	return n
}

// names reports whether the values name something, and so have no range: as the field is called, or by what is shown of
// it: @hex, @ipv4.
func (d *declared) names() bool {
	return isID(d.facts.field) || d.facts.notes != nil && d.facts.notes.Display != nil
}

// narrowed narrows an integer of so many bits to twice what was seen.
func (b *Budget) narrowed(d *declared, s *Suggestion, declared int, varint bool) bool {
	l, clock := &b.shape.leaves[d.leaves[0]], d.clock()
	if l.mode == signed {
		lo, hi := int64(d.least^signBit), int64(d.most^signBit)
		need := max(bits.Len64(uint64(lo^lo>>63)), bits.Len64(uint64(hi^hi>>63))) + 2
		why := fmt.Sprintf("saw %d..%d; holds twice that", lo, hi)
		return need < 64 && !clock && !d.names() && s.become(fmt.Sprintf("sbits(%d)", need), uint64(need), d, why)
	}
	need := bits.Len64(d.most) + 1
	why := fmt.Sprintf("saw %d..%d; holds twice that", d.least, d.most)
	for clock && need < declared && uint64(1)<<need-d.most < uint64(clockRoom/d.facts.notes.Time) {
		need, why = need+1, fmt.Sprintf("saw %d..%d; holds a year more", d.least, d.most)
	}
	if l.varint && !clock && 80*d.groups < 9*min(uint64(need)*d.times, d.bits) {
		s.whole = true
		text := fmt.Sprintf("varint(%d)", declared)
		return s.becomeBits(text, 8*d.groups, d, "most values are small; holds all that it did")
	}
	if varint && need >= declared {
		need, why, s.whole = declared, "most values are large; holds all that it did", true
	} else if need >= declared || d.names() {
		return false
	}
	text := fmt.Sprintf("int(0..%d)", uint64(1)<<need-1)
	if clock || need > 24 {
		text = fmt.Sprintf("bits(%d)", need)
	}
	return s.become(text, uint64(need), d, why)
}

// idWords are what fields that name something are called, or end in.
var idWords = strings.Fields("id ids uid uuid guid xid tid ssrc csrc addr address ip mac eui hash digest " +
	"fingerprint signature token cookie nonce salt key seed magic serial session handle")

// isID reports whether a field's name ends in a word of idWords, as dev_addr and hash2 do.
func isID(field string) bool {
	return slices.Contains(idWords, strings.TrimRight(field[strings.LastIndexByte(field, '_')+1:], "0123456789"))
}

// owner is a field's name in the named struct that declares it.
func (b *Budget) owner(id plan.NodeID) string {
	p := b.shape.plan
	name := ""
	for ; id != plan.NoNode; id = p.Nodes[id].Parent {
		n := &p.Nodes[id]
		if n.Kind == plan.NodeStruct && n.Struct != nil && n.Struct.Name != "" && !n.Struct.IsPacket && name != "" {
			return n.Struct.Name + "." + name
		}
		switch {
		case n.Elem:
			name = "[]" + dotted(name)
		case n.Name != "" && n.Case != "":
			name = n.Name + "<" + n.Case + ">" + dotted(name)
		case n.Name != "":
			name = n.Name + dotted(name)
		}
	}
	return name
}

func dotted(name string) string {
	if name == "" || name[0] == '[' {
		return name
	}
	return "." + name
}
