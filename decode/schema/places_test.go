package schema

import "testing"

func TestPlaces(t *testing.T) {
	const some = Places(1<<3 | 1<<60)
	rows := []struct {
		what      string
		got, want Places
	}{
		{"nothing moved", some.Plus(0), some},
		{"around the end", some.Plus(10), 1<<13 | 1<<6},
		{"a multiple of 64", some.Plus(1 << 40), some},
		{"no units", some.Units(0, 0, 8), some},
		{"two or three units", AtStart.Units(2, 3, 5), 1<<10 | 1<<15},
		{"as many bytes as there are", AtStart.Units(0, 1<<40, 8), OnByte},
		{"a last count that is large", AtStart.Units(1<<40-1, 1<<40, 1), 1<<63 | 1},
		{"bytes", some.Align(8), 1<<8 | 1},
		{"words", some.Align(32), 1<<32 | 1},
		{"longer words", some.Align(4096), 1},
		{"on a boundary", OnByte.Align(8), OnByte},
	}
	for _, row := range rows {
		if row.got != row.want {
			t.Errorf("%s: %#x, want %#x", row.what, row.got, row.want)
		}
	}
	for _, row := range []struct {
		p           Places
		n           uint64
		least, most uint64
		phase       int
	}{
		{AtStart, 8, 0, 0, 0},
		{OnByte, 16, 0, 8, 0},
		{OnByte.Plus(5), 8, 3, 3, 5},
		{some, 8, 4, 5, -1},
		{some, 32, 4, 29, -1},
		{1<<4 | 1<<60, 8, 4, 4, 4},
		{AtStart, 128, 0, 127, 0},
		{Anywhere, 64, 0, 63, -1},
	} {
		least, most := row.p.Padding(row.n)
		if phase := row.p.Phase(); least != row.least || most != row.most || phase != row.phase {
			t.Errorf("%#x to %d: %d..%d bits, phase %d", row.p, row.n, least, most, phase)
		}
	}
}
