package schema

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Top-level declarations. Constants, params and enums see declarations above them, so that one pass in source order is
// enough; structs may use each other in any order.

// global is one UpperCamel name of the file: exactly one of the pointers is set, or none where its declaration is
// wrong.
type global struct {
	name     syntax.Ident
	decl     syntax.Decl
	home     *unit
	val      *Const
	enum     *Enum
	start    *Struct
	section  *Section
	what     string // "constant", "enum", "struct", "message"
	done     bool   // resolved, or found wrong
	bad      bool
	used     bool
	settable bool // a value for a param changes it
}

// declarations collects every name first, then resolves all but the bodies of structs.
func (c *checker) declarations() {
	for _, d := range c.file.Decls {
		if id, what := declared(d); what != "" {
			c.name(id, d, what)
		}
	}
	c.lend()
	c.fileOrder()
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.OrderDecl:
			// done by fileOrder, before any enum needs it
		case *syntax.PortDecl:
			c.ports(d)
		case *syntax.MaxDecl:
			c.limit(d)
		case *syntax.ConstDecl:
			c.constant(d)
		case *syntax.ParamDecl:
			c.param(d)
		case *syntax.EnumDecl:
			c.enum(d)
		case *syntax.PacketDecl:
			if c.once("packet", d.Span) {
				c.packet = d
			}
		case *syntax.MessageDecl:
			c.message(d)
		case *syntax.FlowDecl:
			if c.once("flow by", d.Span) {
				c.flow = d
			}
		case *syntax.StateDecl:
			c.state(d)
		case *syntax.ExpectDecl:
			c.expect(d)
		}
	}
	c.unknownParams()
	c.lendPacket()
	if c.packet == nil && !c.lost && c.main {
		c.errorf(c.start(), "add `packet { … }`: one datagram is one `packet`; a file without one is there to be imported", "the file has no `packet`")
	}
}

// declared is the name that a declaration gives, and what it is; "" where it gives none.
func declared(d syntax.Decl) (id syntax.Ident, what string) {
	switch d := d.(type) {
	case *syntax.ConstDecl:
		return d.Name, "constant"
	case *syntax.ParamDecl:
		return d.Name, "param"
	case *syntax.EnumDecl:
		return d.Name, "enum"
	case *syntax.StructDecl:
		return d.Name, "struct"
	case *syntax.MessageDecl:
		return d.Name, "message"
	}
	return id, ""
}

// name enters a declaration; of two with one name the first counts.
func (c *checker) name(id syntax.Ident, d syntax.Decl, what string) {
	if id.Text == "" {
		return
	}
	if old := c.names[id.Text]; old != nil {
		c.errorf(id.Span, "give it another name", "`%s` is already declared at %s", id.Text, old.name.Pos)
		return
	}
	c.names[id.Text] = &global{name: id, decl: d, home: c.unit, what: what}
	c.book.declare(id, what, id.Pos)
}

// own gives the entry of a declaration, nil for the second of one name.
func (c *checker) own(id syntax.Ident, d syntax.Decl) *global {
	if g := c.names[id.Text]; g != nil && g.decl == d {
		return g
	}
	return nil
}

func (c *checker) fileOrder() {
	for _, d := range c.file.Decls {
		d, ok := d.(*syntax.OrderDecl)
		if !ok || !c.once("order", d.Span) {
			continue
		}
		c.hasOrder, c.schema.Order = true, d.Kind.Order // of an unknown word LSB is in
	}
	if !c.hasOrder && !c.lost {
		at := c.start()
		if c.file.Protocol.Text != "" {
			at = c.file.Protocol.Span
		}
		c.errorf(at, "`order lsb`: bits fill each byte from the lowest, integers are little-endian (most game "+
			"bitstreams); `order msb`: network order (RTP, DNS); `order bousk`: the C++ course's serializer",
			"the file does not say its bit order: say `order lsb`, `order msb` or `order bousk`")
	}
}

func (c *checker) ports(d *syntax.PortDecl) {
	if !c.once("port", d.Span) {
		return
	}
	seen := map[uint16]bool{}
	for _, r := range d.Ports {
		lo, ok := c.constIn(r.Lo, "a port", 1, math.MaxUint16)
		hi := lo
		if ok && r.Hi != nil {
			hi, ok = c.constIn(r.Hi, "a port", 1, math.MaxUint16)
		}
		switch {
		case !ok:
			continue
		case lo > hi:
			c.errorf(r.Span, "write the smaller number first", "the range %d..%d is empty", lo, hi)
			continue
		case hi-lo >= maxPorts:
			c.errorf(r.Span, "", "a range has at most %d ports, this one %d", maxPorts, hi-lo+1)
			continue
		}
		twice := int64(0)
		for v := lo; v <= hi; v++ {
			if seen[uint16(v)] {
				if twice == 0 {
					twice = v
				}
				continue
			}
			seen[uint16(v)] = true
			c.schema.Ports = append(c.schema.Ports, uint16(v))
		}
		if twice > 0 {
			c.errorf(r.Span, "leave one out", "port %d is named twice", twice)
		}
	}
	c.schema.sorted = slices.Sorted(slices.Values(c.schema.Ports))
}

// maxPorts bounds one range of ports.
const maxPorts = 1024

func (c *checker) limit(d *syntax.MaxDecl) {
	what := "max " + d.What.Text
	if !c.once(what, d.Span) {
		return
	}
	since := c.settable
	switch d.What.Text {
	case "datagram":
		if v, ok := c.constIn(d.Limit, "`max datagram`", 1, MaxUDPPayload); ok {
			c.schema.MaxDatagram, c.roomSet = int(v), c.settable != since
		}
	case "fields":
		if v, ok := c.constIn(d.Limit, "`max fields`, which can only lower the limit,", 1, DefaultMaxFields); ok {
			c.schema.MaxFields = int(v)
		}
	case "steps":
		if v, ok := c.constIn(d.Limit, "`max steps`, which can only lower the limit,", 1, DefaultMaxSteps); ok {
			c.schema.MaxSteps = int(v)
		}
	default:
		if !c.lost {
			c.errorf(d.What.Span, c.meant(d.What.Text, words(syntax.LimitWords...), ""),
				"unknown limit `%s`: there are `max datagram`, `max fields` and `max steps`", d.What.Text)
		}
	}
}

func (c *checker) constant(d *syntax.ConstDecl) {
	g := c.own(d.Name, d)
	if g == nil {
		return
	}
	since := c.settable
	defer func() { g.settable = c.settable != since }()
	k := &Const{Name: d.Name.Text, Doc: d.Doc, Pos: d.Name.Pos}
	switch v := d.Value.(type) {
	case *syntax.StringLit:
		k.Text = v.Value
	case *syntax.TableExpr:
		if k.Table = c.table(d.Name.Text, v); k.Table == nil {
			g.done, g.bad = true, true
			return
		}
	default:
		if hasFloat(c, v) {
			f, ok := c.constFloat(v, "a constant", 64)
			if !ok {
				g.done, g.bad = true, true
				return
			}
			k.Float = &f
			break
		}
		n := c.constInt(v, "a constant", nil)
		if n == nil {
			g.done, g.bad = true, true
			return
		}
		k.Value = n
	}
	g.done, g.val = true, k
}

func (c *checker) param(d *syntax.ParamDecl) {
	g := c.own(d.Name, d)
	if g == nil {
		return
	}
	g.done, g.bad, g.settable = true, true, true
	v := c.constInt(d.Value, "a param", nil)
	r, ok := c.constRange(d.Range, "a param's range", nil)
	if v == nil || !ok {
		return
	}
	if !r.contains(v) {
		c.errorf(d.Value.Place(), "", "%s is outside its own range %s", v, r)
		return
	}
	if given := c.params[d.Name.Text]; given != nil {
		if !r.contains(given) {
			c.errorf(d.Name.Span, "", "the value given for `%s` is %s, want %s", d.Name.Text, shortInt(given), r)
			return
		}
		v = given
	}
	g.val = &Const{Name: d.Name.Text, Doc: d.Doc, Pos: d.Name.Pos, Value: v, Param: true, Lo: r.lo, Hi: r.hi}
	g.bad = false
	c.schema.Params = append(c.schema.Params, g.val)
}

// unknownParams complains about values given for params that the file does not have.
func (c *checker) unknownParams() {
	var known, given []string
	for name, g := range c.names {
		if g.what == "param" && g.home == c.unit {
			known = append(known, name)
		}
	}
	for name := range c.params {
		given = append(given, name)
	}
	sort.Strings(given)
	for _, name := range given {
		switch g := c.names[name]; {
		case c.lost || g != nil && g.what == "param" && g.home == c.unit:
		case g != nil && g.home != c.unit:
			c.errorf(g.name.Span, "only the params of the schema's own file are set from outside: declare it there", "a value is given for `%s`, but it is imported", name)
		case g != nil && g.what == "constant":
			fix := "only a `param` is set from outside"
			if g.val != nil && g.val.Value != nil {
				fix = fmt.Sprintf("make it a `param %s = %s in a..b` to set it", name, c.text(g.decl.(*syntax.ConstDecl).Value.Place()))
			}
			c.errorf(g.name.Span, fix, "a value is given for `%s`, but it is a `const`", name)
		default: // about no place in the file
			fix := c.meantAmong(name, "the params are ", words(known...))
			if len(known) == 0 {
				fix = "it has no params; `param Name = v in a..b` declares one"
			}
			c.errorf(Span{}, fix, "a value is given for `%s`, but the file has no `param` of that name", name)
		}
	}
}

func (c *checker) expect(d *syntax.ExpectDecl) {
	if d.What.Text != "timeout" {
		if !c.lost {
			c.errorf(d.What.Span, c.meant(d.What.Text, words("timeout"), ""),
				"unknown expectation `%s`: there is `expect timeout`", d.What.Text)
		}
		return
	}
	if !c.once("expect timeout", d.Span) {
		return
	}
	if d.Duration.Nanos <= 0 {
		if !c.lost {
			c.errorf(d.Duration.Span, "", "a timeout must be longer than nothing")
		}
		return
	}
	c.schema.Timeout = d.Duration.Nanos
}

// unusedTypes warns about imports, enums and structs that nothing mentions.
func (c *checker) unusedTypes() {
	if c.broken {
		return
	}
	for _, im := range c.imports {
		if !im.used {
			c.warnf(im.at, "use it or take it out", "nothing of `%s` is used", im.name)
		}
	}
	if c.packet == nil { // the file lends them
		return
	}
	for _, d := range c.file.Decls {
		id, what := declared(d)
		if g := c.own(id, d); g != nil && !g.used && (what == "enum" || what == "struct") {
			c.warnf(id.Span, "use it or take it out", "the %s `%s` is never used", what, id.Text)
		}
	}
	c.unusedRegisters()
}

// shortInt is a number for a message; numbers come from hostile sources, so the long ones are described.
func shortInt(v *big.Int) string {
	if v.BitLen() > 128 {
		if v.Sign() < 0 {
			return "far below any 64-bit number"
		}
		return "far above any 64-bit number"
	}
	return v.String()
}
