package pcap

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"
)

// naive is reassembly as one would write it on paper: all fragments kept, every
// pair compared, every byte marked.
type naive struct {
	order []string // datagrams as they began
	held  map[string][]naiveFragment
	dead  map[string]bool
	born  map[string]float64
	lost  map[Cause]int
}

type naiveFragment struct {
	sent
	n int
}

// end forgets a datagram, and counts what is held of it.
func (m *naive) end(key string) {
	m.lost[FragmentIncomplete] += len(m.held[key])
	m.order = slices.DeleteFunc(m.order, func(k string) bool { return k == key })
	delete(m.held, key)
	delete(m.dead, key)
	delete(m.born, key)
}

// take returns the datagram that s completes, or "".
func (m *naive) take(n int, s sent) string {
	key := fmt.Sprint(s.id, s.v6)
	size := len(s.data)
	limit := 65535 - 20
	if s.v6 {
		limit = 65535
	}
	if size == 0 || s.more && size%8 != 0 || s.off+size > limit {
		m.lost[MalformedIP]++
		return ""
	}
	// Time ends the oldest, the next as long as it has passed for them too,
	// and the one that is asked for.
	for len(m.order) > 0 && s.at-m.born[m.order[0]] > 30 {
		m.end(m.order[0])
	}
	if born, ok := m.born[key]; ok && max(s.at-born, born-s.at) > 30 {
		m.end(key)
	}
	if _, ok := m.born[key]; !ok {
		m.born[key] = s.at
		m.order = append(m.order, key)
	}
	if m.dead[key] {
		m.lost[FragmentOverlap]++
		return ""
	}
	kill := false
	for _, h := range m.held[key] {
		hEnd, end := h.off+len(h.data), s.off+size
		if h.off == s.off && hEnd == end && h.more == s.more && bytes.Equal(h.data[:len(h.data)-h.missing], s.data[:size-s.missing]) {
			m.held[key] = append(m.held[key], naiveFragment{s, n})
			return ""
		}
		kill = kill || h.off < end && s.off < hEnd || !h.more && (end > hEnd || !s.more && end != hEnd) || !s.more && hEnd > end
	}
	m.held[key] = append(m.held[key], naiveFragment{s, n})
	if kill {
		m.lost[FragmentOverlap] += len(m.held[key])
		m.dead[key] = true
		delete(m.held, key)
		return ""
	}
	total, covered := -1, map[int]byte{}
	captured := map[int]bool{}
	for _, h := range m.held[key] {
		if !h.more {
			total = h.off + len(h.data)
		}
		for i, b := range h.data {
			covered[h.off+i] = b
			captured[h.off+i] = i < len(h.data)-h.missing
		}
	}
	if total < 0 || len(covered) != total {
		return ""
	}
	var data []byte
	for i := 0; i < total && captured[i]; i++ {
		data = append(data, covered[i])
	}
	count := len(m.held[key])
	delete(m.held, key)
	m.end(key)
	switch {
	case total < 8:
		m.lost[MalformedUDP] += count
		return ""
	case len(data) < 8:
		m.lost[CutHeader] += count
		return ""
	}
	m.lost[Fragment] += count - 1
	return fmt.Sprintf("%d:%x:%v", n, data[8:], len(data) < total)
}

// FuzzReassembly: the naive reassembler agrees on every datagram and count,
// where the bounds are out of reach.
func FuzzReassembly(f *testing.F) {
	f.Add([]byte{0, 0, 2, 1, 0, 2, 0, 2, 0})
	f.Add([]byte{0, 0, 2, 1, 1, 2, 0, 2, 0, 2, 1, 3})
	f.Add([]byte{1, 0x20, 2, 40, 0, 0x21, 0, 2, 0x80})
	f.Fuzz(func(t *testing.T, script []byte) {
		var list []sent
		now := 100.0
		for ; len(script) >= 3 && len(list) < 60; script = script[3:] {
			a, b, c := script[0], script[1], script[2]
			s := sent{id: uint32(a & 3), v6: a&4 != 0, more: a&8 != 0, off: int(b&15) * 8}
			size := int(c&7) * 8
			if !s.more {
				size += int(b >> 5)
			}
			for i := s.off; i < s.off+size; i++ {
				v := byte(i*7) + a&3
				if i == 4 || i == 5 {
					v = 0xff // a UDP length beyond any: the payload is all there is
				}
				if c&0x40 != 0 && i == s.off {
					v ^= 0x20
				}
				s.data = append(s.data, v)
			}
			if c&0x80 != 0 {
				s.missing = min(int(b>>4), size)
			}
			now += []float64{0, 1, 14, -9}[c>>3&3]
			s.at = now
			list = append(list, s)
		}
		model := &naive{held: map[string][]naiveFragment{}, dead: map[string]bool{}, born: map[string]float64{}, lost: map[Cause]int{}}
		var want []string
		for i, s := range list {
			if s.off == 0 && !s.more {
				// Not a fragment, or an atomic one.
				s.off = 8
				list[i].off = 8
			}
			if dg := model.take(i+1, s); dg != "" {
				want = append(want, dg)
			}
		}
		for _, h := range model.held {
			model.lost[FragmentIncomplete] += len(h)
		}
		d := NewDatagrams(sourceOf(list))
		var got []string
		for {
			dg, err := d.Next()
			if err == io.EOF {
				break
			}
			got = append(got, fmt.Sprintf("%d:%x:%v", dg.N, dg.Payload, dg.Cut))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("want %v, got %v", want, got)
		}
		counts := d.Counts()
		for cause, n := range counts.All() {
			if n != uint64(model.lost[cause]) {
				t.Fatalf("%s: want %d, got %d", cause, model.lost[cause], n)
			}
		}
	})
}
