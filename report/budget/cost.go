package budget

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What the same packets would cost in the encodings that "Reading and Writing Packets" leads through, from text to
// bits. None of them carries padding, checks, checksums or reserved bits, but the byte buffer and the structs do carry
// checks.
//
//   - XML: <property name="x" value="12"/> for each value, an <object name="…"> for each struct, a <list name="…"> for
//     each array, an <item> for each element; nothing is indented.
//   - JSON: {"x":12} without blanks, enums by name; bytes as hex.
//   - schema-led JSON: the schema was sent once, so a packet is arrays of values in its order, enums as numbers.
//   - compact text: the values as decimals, each with a comma or a line end after it, counts included.
//   - packed structs: every field in the smallest of 1, 2, 4 and 8 bytes that holds it, whole arrays whatever their
//     count, and of a switch the packet's own struct.
//   - byte buffer: the same machine widths, but only what is there.
//   - bits: the packets as they were.
//
// Floats are written with as many digits as tell them apart. Text that an encoding would escape is counted without
// that.

// Cost is one encoding's.
type Cost struct {
	Encoding string
	Bytes    float64 // of all packets together
}

// Costs is every encoding of the packets counted, longest tradition first; bits last.
func (b *Budget) Costs() []Cost {
	var c costs
	c.xml = uint64(5+2*len(b.shape.plan.Schema.Name)) * b.all.packets // <name></name>
	c.json, c.led = b.all.packets, b.all.packets                      // {} less a comma
	b.fieldCosts(&c)
	b.containerCosts(&c)
	masked := b.masked.weight / 8 // nothing is known of what is in it
	for _, total := range []*uint64{&c.xml, &c.json, &c.led, &c.text, &c.buffer} {
		*total += masked
	}
	return []Cost{
		{"XML", float64(c.xml)}, {"JSON", float64(c.json)}, {"schema-led JSON", float64(c.led)}, {"compact text", float64(c.text)},
		{"packed structs", b.packedCost()}, {"byte buffer", float64(c.buffer)}, {"bits", float64(b.all.bytes)},
	}
}

type costs struct{ xml, json, led, text, buffer uint64 }

func (b *Budget) fieldCosts(c *costs) {
	p := b.shape.plan
	for i := range p.Leaves {
		pl, _ := b.placeOf(i)
		n := &p.Nodes[p.Info[i].Node]
		l := &b.shape.leaves[i]
		if l.class != Reserved && pl.weight > 0 {
			c.buffer += pl.times * schema.MachineBytes(int(p.Leaves[i].Width))
		}
		named := n.Kind == plan.NodeLeaf || n.Named
		if l.class == Check || l.class == Checksum || l.class == Reserved || !named {
			continue
		}
		numbers, names := b.asText(i)
		c.text += numbers + pl.times
		if n.Kind != plan.NodeLeaf {
			continue // counts and flags are no members of an object
		}
		quotes := uint64(0)
		if l.words != nil {
			quotes = 2
		}
		c.led += numbers + pl.times
		c.leaf(n, pl.times, names, quotes)
	}
	for _, blob := range p.Blobs {
		pl := &b.places[blob.ID]
		if pl.times == 0 {
			continue
		}
		size, text := pl.weight/8, pl.weight/4
		if blob.Text != 0 {
			text = size
		}
		c.buffer += size
		c.text += text + pl.times
		c.led += text + 3*pl.times
		c.leaf(&p.Nodes[blob.Node], pl.times, text, 2)
	}
}

// leaf counts the values of a node for the encodings with names.
func (c *costs) leaf(n *plan.Node, times, characters, quotes uint64) {
	name := uint64(len(n.Name))
	if n.Elem {
		c.xml += characters + times*16          // <item value=""/>
		c.json += characters + times*(quotes+1) // a comma
		return
	}
	c.xml += characters + times*(28+name) // <property name="" value=""/>
	c.json += characters + times*(quotes+4+name)
}

// containerCosts counts the brackets around values. A struct is there as often as any of its members that is always
// there.
func (b *Budget) containerCosts(c *costs) {
	p := b.shape.plan
	there := make([]uint64, len(p.Nodes))
	empty := make([]uint64, len(p.Nodes))
	for i := range p.Leaves {
		pl, _ := b.placeOf(i)
		there[p.Info[i].Node] = pl.times
	}
	for at := range b.shape.records {
		if r := &b.shape.records[at]; r.bare() || r.shape == plan.ShapeOpen {
			id, pl := r.node, &b.places[r.place]
			there[id] = max(there[id], pl.times)
			empty[id] += pl.empty
		}
	}
	for id := len(p.Nodes) - 1; id > 0; id-- { // what is inside comes after what is around it
		n := &p.Nodes[id]
		if !n.Elem && p.Nodes[n.Parent].Kind == plan.NodeStruct {
			there[n.Parent] = max(there[n.Parent], there[id])
		}
		times, name := there[id], uint64(len(n.Name))
		switch {
		case n.Kind != plan.NodeStruct && n.Kind != plan.NodeArray:
			continue
		case n.Elem:
			c.xml += times * 13 // <item></item>
			c.json += times * 2
		case n.Kind == plan.NodeArray:
			c.xml += times * (21 + name) // <list name=""></list>
			c.json += times*(5+name) + empty[id]
		default:
			c.xml += times * (25 + name) // <object name=""></object>
			c.json += times * (5 + name)
		}
		c.led += times*2 + empty[id]
	}
}

// packedCost is the structs that a program would copy with memcpy, one for each case.
func (b *Budget) packedCost() float64 {
	z := sizer{known: map[*schema.Struct]uint64{}}
	root := b.shape.plan.Schema.Packet
	if b.shape.table == nil {
		return float64(z.items(root.Items)) * float64(b.all.packets)
	}
	z.skip = b.shape.table.Item
	header := z.items(root.Items)
	z.skip = nil
	total, left := 0.0, b.all.packets
	for i, c := range b.shape.cases {
		arm := b.shape.table.Item.Arms[c.arm]
		n := b.cases[i].packets
		left -= min(left, n)
		total += float64(header+z.value(arm.Value)) * float64(n)
	}
	return total + float64(header)*float64(left)
}

// sizer measures structs in bytes, without padding between fields.
type sizer struct {
	known map[*schema.Struct]uint64
	skip  *schema.Switch
}

// hugeStruct is where sizes stop growing.
const hugeStruct = 1 << 40

func (s *sizer) items(items []schema.Item) uint64 {
	n := uint64(0)
	for _, it := range items {
		sum, most := uint64(0), uint64(0)
		for _, way := range it.Ways() {
			one := s.items(way.Items) + s.value(way.Value)
			sum, most = sum+one, max(most, one)
		}
		if f, ok := it.(*schema.Field); ok && f.Switch != nil {
			if sum = most; f.Switch == s.skip { // a union
				sum = 0
			}
		} else if _, ok := it.(*schema.Check); ok {
			sum = 4
		}
		n = min(n+sum, hugeStruct)
	}
	return n
}

func (s *sizer) value(v *schema.Value) uint64 {
	if v == nil {
		return 0
	}
	elem := s.value(v.Type.Inner())
	if ref, ok := v.Type.(*schema.StructRef); ok {
		if elem, ok = s.known[ref.Struct]; !ok {
			elem = s.items(ref.Struct.Items)
			s.known[ref.Struct] = elem
		}
	}
	return min(v.Type.Machine(elem), hugeStruct)
}
