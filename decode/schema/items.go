package schema

// What differs from item to item, as methods: whoever walks a struct asks them and names no item.

// Item is one item of a struct: *Field, *If, *Within, *Let, *Require, *Align, *Reserved or *Check.
type Item interface {
	ItemPos() Pos // where the item is in the source
	// Exprs are the expressions that the item itself evaluates, without those of its ways.
	Exprs() []*TypedExpr
	// Ways are what the item holds. A packet takes one of them: the value of a field, an arm of a switch, a side of an
	// if, the inside of a window. An item that holds nothing has none.
	Ways() []Way
	// Extent is the bits that the item takes by itself.
	Extent() Extent
}

// Way is a list of items or a value; neither, where a packet takes nothing there.
type Way struct {
	Items []Item
	Value *Value
	Notes *Annotations // of the field or the arm that has Value; else nil
}

// Extent says how many bits an item takes, without those of its ways. With Window it has the bits of the window that
// contains the way.
type Extent struct {
	Align       int    // bits: the item begins at a multiple of so many; 0 where it begins anywhere
	Always      bool   // it aligns in bousk, too
	Least, Most uint64 // bits after the alignment, saturated
	Fixed       bool   // they are Most in every packet, which follows from no field's range
	Unit        uint64 // of which they are a multiple
	Window      bool
}

// aligns reports whether the item aligns in the order o: in bousk nothing does by itself.
func (e *Extent) aligns(o Order) bool { return e.Align > 0 && (e.Always || o != Bytewise) }

func (f *Field) ItemPos() Pos    { return f.Pos }
func (i *If) ItemPos() Pos       { return i.Pos }
func (w *Within) ItemPos() Pos   { return w.Pos }
func (l *Let) ItemPos() Pos      { return l.Pos }
func (r *Require) ItemPos() Pos  { return r.Pos }
func (a *Align) ItemPos() Pos    { return a.Pos }
func (r *Reserved) ItemPos() Pos { return r.Pos }
func (c *Check) ItemPos() Pos    { return c.Pos }

func (f *Field) Exprs() []*TypedExpr {
	if f.Switch == nil {
		return nil
	}
	return said(f.Switch.Tag)
}

func (i *If) Exprs() []*TypedExpr      { return said(i.Cond) }
func (w *Within) Exprs() []*TypedExpr  { return said(w.Size) }
func (l *Let) Exprs() []*TypedExpr     { return said(l.Value) }
func (r *Require) Exprs() []*TypedExpr { return said(r.Cond) }
func (*Align) Exprs() []*TypedExpr     { return nil }
func (*Reserved) Exprs() []*TypedExpr  { return nil }
func (*Check) Exprs() []*TypedExpr     { return nil }

func (f *Field) Ways() []Way {
	if f.Switch == nil {
		return []Way{{Value: f.Value, Notes: &f.Annotations}}
	}
	var ways []Way
	for _, arm := range f.Switch.Arms {
		ways = append(ways, Way{Value: arm.Value, Notes: &arm.Annotations})
	}
	return ways
}

func (i *If) Ways() []Way     { return []Way{{Items: i.Then}, {Items: i.Else}} }
func (w *Within) Ways() []Way { return []Way{{Items: w.Items}} }
func (*Let) Ways() []Way      { return nil }
func (*Require) Ways() []Way  { return nil }
func (*Align) Ways() []Way    { return nil }
func (*Reserved) Ways() []Way { return nil }
func (*Check) Ways() []Way    { return nil }

func (*Field) Extent() Extent   { return Extent{} }
func (*If) Extent() Extent      { return Extent{} }
func (*Let) Extent() Extent     { return Extent{} }
func (*Require) Extent() Extent { return Extent{} }

func (w *Within) Extent() Extent {
	e := Extent{Align: 8, Unit: 8, Window: true, Fixed: w.Size.IsConst()}
	if w.Bits {
		e.Align, e.Unit = 0, 1
	}
	e.Least, e.Most = satMul(clamp(w.Size.Lo), e.Unit), satMul(clamp(w.Size.Hi), e.Unit)
	return e
}

func (a *Align) Extent() Extent { return Extent{Align: a.Bits, Always: true} }

func (r *Reserved) Extent() Extent {
	n := uint64(r.Bits)
	return Extent{Least: n, Most: n, Fixed: true, Unit: n}
}

func (c *Check) Extent() Extent {
	e := Extent{Least: 32, Most: 32, Fixed: true, Unit: 32}
	if c.HasLabel {
		e.Align = 8
	}
	return e
}
