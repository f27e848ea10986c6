package fuzz

import (
	"math"
	"testing"
)

// The numbers beside the ends of a range do not wrap, whatever kinds of integers the end and the field are.
func TestBesideTheEnds(t *testing.T) {
	least, minus := uint64(1)<<63, ^uint64(0)
	for _, row := range []struct {
		end           uint64
		by            int64
		signed, field bool
		value         uint64
		ok            bool
	}{
		{0, -1, false, false, 0, false},
		{0, -1, false, true, minus, true},
		{1, -1, false, false, 0, true},
		{math.MaxUint64, 1, false, false, 0, false},
		{math.MaxInt64, 1, false, true, 0, false},
		{math.MaxInt64, 1, false, false, least, true},
		{math.MaxInt64, 1, true, false, least, true},
		{math.MaxInt64, 1, true, true, 0, false},
		{least, -1, true, true, 0, false},
		{least, 0, true, true, least, true},
		{minus, 0, true, false, 0, false},
		{minus, 1, true, false, 0, true},
		{minus, 0, false, true, 0, false},
	} {
		if value, ok := beside(row.end, row.by, row.signed, row.field); ok != row.ok || ok && value != row.value {
			t.Errorf("%+v: got %d, %v", row, value, ok)
		}
	}
}
