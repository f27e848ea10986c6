package plan

import (
	"iter"
	"sort"

	"github.com/pktscope/pktscope/decode/schema"
)

// Table is a table of constants, of numbers that are int64s or uint64s.
type Table struct {
	Of     *schema.Table
	Signed bool
	rows   []tableRow // sorted, disjoint
	other  uint64
}

// tableRow gives the keys lo..hi a value.
type tableRow struct{ lo, hi, value uint64 }

// at is the value of a key. The checker has proved that there is one, or that nobody looks at it.
func (t *Table) at(key uint64) uint64 {
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].hi >= key })
	if i < len(t.rows) && t.rows[i].lo <= key {
		return t.rows[i].value
	}
	return t.other
}

// edges appends the numbers at which the value changes, and those next to them.
func (t *Table) edges(list []uint64) []uint64 {
	bias := uint64(0)
	if t.Signed {
		bias = signBit
	}
	for _, r := range t.rows {
		list = append(list, (r.lo^bias)-1, r.lo^bias, r.hi^bias, (r.hi^bias)+1)
	}
	return list
}

// Rows are the rows of the table that a "table" instruction asks, as intervals of keys in ascending order (see
// Operand.Key) with their values.
func (p *Plan) Rows(in *Inst) iter.Seq2[[2]uint64, uint64] {
	return func(yield func([2]uint64, uint64) bool) {
		for _, r := range p.Tables[in.A].rows {
			if !yield([2]uint64{r.lo, r.hi}, r.value) {
				return
			}
		}
	}
}

// Other is the value that the table of a "table" instruction has for all other numbers; 0 where there are none.
func (p *Plan) Other(in *Inst) uint64 { return p.Tables[in.A].other }

// table is the index of a table, whose numbers are as signed says.
func (c *compiler) table(of *schema.Table, signed bool) uint32 {
	for i := range c.p.Tables {
		if t := &c.p.Tables[i]; t.Of == of && t.Signed == signed {
			return uint32(i)
		}
	}
	t := Table{Of: of, Signed: signed}
	for _, r := range of.Rows {
		lo, ok1 := key(r.Lo, signed, false)
		hi, ok2 := key(r.Hi, signed, true)
		if ok1 && ok2 && lo <= hi {
			t.rows = append(t.rows, tableRow{lo, hi, Low64(r.Value)})
		}
	}
	if of.Default != nil {
		t.other = Low64(of.Default)
	}
	c.p.Tables = append(c.p.Tables, t)
	return uint32(len(c.p.Tables) - 1)
}
