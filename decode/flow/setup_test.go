package flow

import (
	"fmt"
	"net/netip"
	"testing"
)

var (
	client = netip.MustParseAddrPort("10.0.0.2:50000")
	server = netip.MustParseAddrPort("10.0.0.1:40000")
)

// stranger is an invented end of a flow.
func stranger(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, byte(16 + n>>20), byte(n >> 12), byte(n >> 4)}), uint16(1024+n&15))
}

func newTable() *Table { return NewTable(Limits{}, []Section{{Remember: 64}, {Remember: 64}}) }

// check recounts what a table says it holds, and what its shards must hold.
func check(t *testing.T, table *Table) {
	t.Helper()
	for n, sh := range table.shards {
		if sh == nil {
			continue
		}
		if err := sh.check(); err != nil {
			t.Fatalf("shard %d: %v", n, err)
		}
	}
}

func (sh *shard) check() error {
	used, slots, young, old := 0, 0, 0, 0
	for key, f := range sh.flows {
		used += flowCost
		held := 0
		memory, open := f.limits()
		for i := range f.halves {
			h := &f.halves[i]
			if len(h.open) > open || len(h.finished) > maxFinished {
				return fmt.Errorf("flow %v: %d open, %d finished", key, len(h.open), len(h.finished))
			}
			for _, s := range h.open {
				if err := s.check(); err != nil || s.flow != f || s.key != s.slot.key || int(s.half) != i {
					return fmt.Errorf("flow %v: slot %d: %v", key, s.key.id, err)
				}
				held += s.held
				slots++
			}
		}
		if held != f.held || f.key != key || held > memory {
			return fmt.Errorf("flow %v: holds %d, counted %d, of %d", key, held, f.held, memory)
		}
		used += held + f.kept
		if f.kept != f.registers.Size() {
			return fmt.Errorf("flow %v: keeps %d, counted %d", key, f.registers.Size(), f.kept)
		}
		if f.grown > 0 {
			if held > 0 && (f.ranked == 0 || sh.holders[f.ranked-1] != f) {
				return fmt.Errorf("flow %v holds %d, and is not among the holders", key, held)
			}
			old++
		} else {
			young++
		}
	}
	open := 0
	for s := sh.open.First(); s != nil; s = s.Next() {
		open++
	}
	switch {
	case used != sh.used:
		return fmt.Errorf("%d bytes are held, %d counted", used, sh.used)
	case used > sh.limits.Memory || len(sh.flows) > sh.limits.Flows:
		return fmt.Errorf("%d bytes and %d flows, of %d and %d", used, len(sh.flows), sh.limits.Memory, sh.limits.Flows)
	case open != slots || young != sh.young.Len() || old != sh.old.Len():
		return fmt.Errorf("%d slots of %d, %d young of %d, %d old of %d", open, slots, sh.young.Len(), young, sh.old.Len(), old)
	}
	return nil
}

func (s *slot) check() error {
	covered, end := 0, uint32(0)
	for i := range s.pieces {
		p := &s.pieces[i]
		if p.at < end {
			return fmt.Errorf("piece %d overlaps the one before", i)
		}
		end = s.to(p)
		covered += len(s.bytes(p))
	}
	switch {
	case covered != s.covered || covered != len(s.data):
		return fmt.Errorf("%d bytes, counted %d, kept %d", covered, s.covered, len(s.data))
	case s.ended && end > s.end || s.key.counted && end > s.key.of:
		return fmt.Errorf("pieces to %d after the end", end)
	case s.held != s.cost():
		return fmt.Errorf("costs %d, counted %d", s.cost(), s.held)
	case s.have() == s.want():
		return fmt.Errorf("it is whole")
	}
	return nil
}
