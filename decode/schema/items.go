package schema

// What differs from item to item, as methods: whoever walks a struct asks them and names no item.

// Item is one item of a struct: *Field, *If, *Within, *Let, *Require, *Align, *Reserved or *Check.
type Item interface {
	ItemPos() Pos // where the item stands in the source
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
	Least, Most uint64 // bits behind the alignment, saturated
	Fixed       bool   // they are Most in every packet, which follows from no field's range
	Unit        uint64 // of which they are a multiple
	Window      bool
}

// aligns reports whether the item aligns in the order o: in bousk nothing does by itself.
func (e *Extent) aligns(o Order) bool { return e.Align > 0 && (e.Always || o != Bytewise) }

func (f *Field) ItemPos() Pos    { return f.Pos }
func (f *If) ItemPos() Pos       { return f.Pos }
func (f *Within) ItemPos() Pos   { return f.Pos }
func (f *Let) ItemPos() Pos      { return f.Pos }
func (f *Require) ItemPos() Pos  { return f.Pos }
func (f *Align) ItemPos() Pos    { return f.Pos }
func (f *Reserved) ItemPos() Pos { return f.Pos }
func (f *Check) ItemPos() Pos    { return f.Pos }

func (f *Field) Exprs() []*TypedExpr {
	if f.Switch == nil {
		return nil
	}
	return said(f.Switch.Tag)
}

func (f *If) Exprs() []*TypedExpr      { return said(f.Cond) }
func (f *Within) Exprs() []*TypedExpr  { return said(f.Size) }
func (f *Let) Exprs() []*TypedExpr     { return said(f.Value) }
func (f *Require) Exprs() []*TypedExpr { return said(f.Cond) }
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

func (f *If) Ways() []Way     { return []Way{{Items: f.Then}, {Items: f.Else}} }
func (f *Within) Ways() []Way { return []Way{{Items: f.Items}} }
func (*Let) Ways() []Way      { return nil }
func (*Require) Ways() []Way  { return nil }
func (*Align) Ways() []Way    { return nil }
func (*Reserved) Ways() []Way { return nil }
func (*Check) Ways() []Way    { return nil }

func (*Field) Extent() Extent   { return Extent{} }
func (*If) Extent() Extent      { return Extent{} }
func (*Let) Extent() Extent     { return Extent{} }
func (*Require) Extent() Extent { return Extent{} }

func (f *Within) Extent() Extent {
	e := Extent{Align: 8, Unit: 8, Window: true, Fixed: f.Size.IsConst()}
	if f.Bits {
		e.Align, e.Unit = 0, 1
	}
	e.Least, e.Most = satMul(clamp(f.Size.Lo), e.Unit), satMul(clamp(f.Size.Hi), e.Unit)
	return e
}

func (f *Align) Extent() Extent { return Extent{Align: f.Bits, Always: true} }

func (f *Reserved) Extent() Extent {
	n := uint64(f.Bits)
	return Extent{Least: n, Most: n, Fixed: true, Unit: n}
}

func (f *Check) Extent() Extent {
	e := Extent{Least: 32, Most: 32, Fixed: true, Unit: 32}
	if f.HasLabel {
		e.Align = 8
	}
	return e
}
