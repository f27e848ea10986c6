package schema

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Lending: the names that a file has from its imports. A file without a packet lends all that it declares, one with a
// packet lends that as a struct; neither lends what it was lent. Whoever reads a struct that was lent reads it with the
// names and the order of its own file.

// lend enters what the imports lend. Each name is declared once among all that can be used in a file.
func (c *checker) lend() {
	for i := range c.imports {
		im := &c.imports[i]
		for _, g := range im.from.lends() {
			old := c.names[g.name.Text]
			if old == nil {
				c.names[g.name.Text] = g
				if g.enum != nil {
					for _, k := range g.enum.Cases {
						c.inEnum(k.Name, g.enum)
					}
				}
				continue
			}
			fix := "rename one of the two"
			if g == im.from.lent {
				fix = "rename one of the two: a packet is lent under the name of its protocol"
			}
			c.errorf(im.at, fix, "`%s`, which `%s` lends, is already declared at %s", g.name.Text, im.name, old.name.Pos)
		}
	}
}

// lends gives the names that a file lends, in source order.
func (u *unit) lends() []*global {
	if u.packet != nil {
		if u.lent == nil {
			return nil // its protocol has no name
		}
		return []*global{u.lent}
	}
	var out []*global
	for _, d := range u.file.Decls {
		if id, what := declared(d); what != "" {
			if g := u.names[id.Text]; g != nil && g.decl == d {
				out = append(out, g)
			}
		}
	}
	return out
}

// lendPacket makes the packet of a file that is imported a struct.
func (c *checker) lendPacket() {
	d := c.packet
	name := structName(c.file.Protocol.Text)
	if c.main || d == nil || name == "" {
		return
	}
	doc := d.Doc
	if doc == "" {
		doc = c.file.Doc
	}
	id := syntax.Ident{Span: Span{Pos: d.Pos, End: d.Pos}, Text: name}
	id.End.Off += int32(len("packet"))
	id.End.Col += int32(len("packet"))
	c.book.declareAt(id.Span, "struct")
	c.lent = &global{name: id, home: c.unit, what: "struct", decl: &syntax.StructDecl{Span: d.Span, Doc: doc, Name: id, Order: d.Order, Body: d.Body}}
}

// structName is the name of a protocol's packet as a struct: `unreal_udp` is UnrealUdp.
func structName(protocol string) string {
	var b strings.Builder
	for _, part := range strings.Split(protocol, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	if name := b.String(); isUpper(name) {
		return name
	}
	return ""
}

// use marks that a file reads a name, at a place.
func (c *checker) use(g *global, at Span) {
	g.used = true
	c.book.refer(at, g.name.Pos)
	for i := range c.imports {
		if c.imports[i].from == g.home {
			c.imports[i].used = true
		}
	}
}

// gather adds what the packet uses of the imported files to the schema, after its own. A name that the schema's own
// file does not know may be taken: then that of its protocol is before it.
func (c *checker) gather() {
	s := c.schema
	if len(c.units) == 1 || s.Packet == nil {
		return
	}
	r := newReached()
	r.structure(s.Packet)
	for _, m := range s.Sections {
		r.section(m)
	}
	for _, p := range r.fragments { // of an imported struct, too, where the schema has no message of its own
		r.section(p.Section)
	}
	taken := map[string]bool{}
	for _, own := range s.Structs {
		r.structure(own)
		taken[own.Name] = true
	}
	for _, own := range s.Enums {
		taken[own.Name] = true
	}
	for _, own := range s.Sections {
		taken[own.Name] = true
	}
	for name := range c.names {
		taken[name] = true
	}
	for _, u := range c.units[:len(c.units)-1] {
		fresh := func(name string, known bool) string {
			if known {
				return name
			}
			free := name
			for n := 1; taken[free]; n++ {
				if free = structName(u.file.Protocol.Text) + name; n > 1 {
					free = fmt.Sprintf("%s%d", free, n)
				}
			}
			taken[free] = true
			return free
		}
		for _, e := range u.schema.Enums {
			if r.enums[e] {
				g := c.names[e.Name]
				e.Name = fresh(e.Name, g != nil && g.enum == e)
				s.Enums = append(s.Enums, e)
			}
		}
		for _, t := range u.schema.Structs {
			if r.structs[t] {
				g := c.names[t.Name]
				t.Name = fresh(t.Name, g != nil && g.start == t)
				s.Structs = append(s.Structs, t)
			}
		}
		for _, m := range c.sections {
			if m.home == u && r.sections[m.Section] {
				g := c.names[m.Name]
				m.Name = fresh(m.Name, g != nil && g.section == m.Section)
				m.Struct.Name = m.Name
				s.Sections = append(s.Sections, m.Section)
			}
		}
	}
}

// reached are the structs and enums of which a struct's fields are, however deep, and the messages that they hold.
type reached struct {
	structs   map[*Struct]bool
	enums     map[*Enum]bool
	sections  map[*Section]bool // whose structs are reached, too
	fragments []*Fragment       // in the order of the source, of each struct once
}

func newReached() *reached {
	return &reached{structs: map[*Struct]bool{}, enums: map[*Enum]bool{}, sections: map[*Section]bool{}}
}

// section adds a message, and everything in it.
func (r *reached) section(m *Section) {
	if !r.sections[m] {
		r.sections[m] = true
		r.structure(m.Struct)
		for _, p := range r.fragments {
			r.section(p.Section)
		}
	}
}

func (r *reached) structure(s *Struct) {
	if !r.structs[s] {
		r.structs[s] = true
		r.items(s.Items)
		if s.Seal != nil && s.Seal.Open != nil {
			r.fragments = append(r.fragments, s.Seal.Open)
		}
	}
}

func (r *reached) items(items []Item) {
	for _, it := range items {
		for _, way := range it.Ways() {
			r.items(way.Items)
			if way.Notes != nil && way.Notes.Fragment != nil {
				r.fragments = append(r.fragments, way.Notes.Fragment)
			}
			for v := way.Value; v != nil; v = v.Type.Inner() {
				if ref, ok := v.Type.(*StructRef); ok {
					r.structure(ref.Struct)
				} else if ref, ok := v.Type.(*EnumRef); ok {
					r.enums[ref.Enum] = true
				}
			}
		}
	}
}
