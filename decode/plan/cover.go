package plan

// Cover is what coverage counts of a step.
type Cover uint8

// The covers.
const (
	CoverNone   Cover = iota
	CoverValues       // the codes of its leaves
	CoverPassed       // that a packet came past it
	CoverNoted        // that, and that it noted something
	CoverWays         // each of its blocks
	CoverSize         // how many elements or units there are
)

// Cover is none.
func (b *Base) Cover() (itself, behind Cover) { return CoverNone, CoverNone }

// Cover is the values.
func (r *Run) Cover() (itself, behind Cover) { return CoverValues, CoverNone }

// Cover is the value.
func (s *Number) Cover() (itself, behind Cover) { return CoverValues, CoverNone }

// Cover is that it was there.
func (c *Checksum) Cover() (itself, behind Cover) { return CoverValues, CoverNone }

// Cover is that it was passed, or bits set.
func (a *Align) Cover() (itself, behind Cover) { return CoverNoted, CoverNone }

// Cover is that it was passed, or bits set.
func (r *Reserved) Cover() (itself, behind Cover) { return CoverNoted, CoverNone }

// Cover is that it was passed, or is not what a writer makes.
func (u *Unit) Cover() (itself, behind Cover) { return CoverNoted, CoverNone }

// Cover is that its size fits, and that nothing was left.
func (w *Window) Cover() (itself, behind Cover) { return CoverPassed, CoverPassed }

// Cover is that it holds.
func (r *Require) Cover() (itself, behind Cover) { return CoverPassed, CoverNone }

// Cover is that it was passed, or from the wrong side.
func (g *Group) Cover() (itself, behind Cover) { return CoverNone, CoverNoted }

// Cover is both ways.
func (i *If) Cover() (itself, behind Cover) { return CoverWays, CoverNone }

// Cover is the arms.
func (s *Switch) Cover() (itself, behind Cover) { return CoverWays, CoverNone }

// Cover is its elements.
func (s *List) Cover() (itself, behind Cover) { return CoverSize, CoverNone }

// Cover is its elements.
func (s *Subset) Cover() (itself, behind Cover) { return CoverSize, CoverNone }

// Cover is its units.
func (b *Blob) Cover() (itself, behind Cover) { return CoverSize, CoverNone }
