package flow

import "github.com/pktscope/pktscope/decode/chain"

// list is flows of a shard.
type list = chain.List[flow, *flow]

// shard is one of the parts of a Table: its flows, and the messages that are open in them.
//
// Invariants: used is flowCost and kept of each flow and held of each slot, at most limits.Memory after settle; each flow is in
// young or in old; each slot is in open, and in a half of its flow.
type shard struct {
	limits     Limits // its share
	flows      map[Key]*flow
	near       [64]*flow // a cache by hash
	young, old list      // by entering, by growing
	turn       *flow     // of old, whose last packet is looked at next
	growths    uint64
	holders    holders                 // of old
	open       chain.List[slot, *slot] // by opening
	used       int
	slots      []*slot // free
	spare      []*flow // free
}

// expire gives up what is older than the limits allow.
func (sh *shard) expire(t *Table) {
	for s := sh.open.First(); s != nil && away(s.opened, t.now, int64(sh.limits.Timeout)); s = sh.open.First() {
		t.lose(sh, s, Missing)
	}
}

// cached is where the flow of a key is, if it was met lately.
func (sh *shard) cached(k *Key) **flow {
	return &sh.near[(uint64(k.a.Port())^uint64(k.b.Port())^k.by)%uint64(len(sh.near))]
}

// meet gives the flow of a key, made where it is new or was forgotten.
func (sh *shard) meet(t *Table, k *Key) *flow {
	f := sh.find(k)
	idle := int64(sh.limits.Idle)
	if f != nil && away(f.seen, t.now, idle) {
		sh.forget(t, f, Missing)
		f = nil
	}
	if f == nil {
		f = sh.enter(t, k)
	}
	f.seen = t.now
	*sh.cached(k) = f
	return f
}

// find is the flow of a key, nil where it is new or was forgotten.
func (sh *shard) find(k *Key) *flow {
	if f := *sh.cached(k); f != nil && f.key == *k {
		return f
	}
	return sh.flows[*k]
}

// enter makes a flow, for which others make room: those without packets for long, then the oldest young one.
func (sh *shard) enter(t *Table, k *Key) *flow {
	for _, f := range []*flow{sh.young.First(), sh.nextOld()} {
		if f != nil && away(f.seen, t.now, int64(sh.limits.Idle)) {
			sh.forget(t, f, Missing)
		}
	}
	if len(sh.flows) >= sh.limits.Flows {
		sh.forget(t, sh.young.First(), Evicted)
	}
	var f *flow
	if n := len(sh.spare); n > 0 {
		f, sh.spare = sh.spare[n-1], sh.spare[:n-1]
	} else {
		f = &flow{}
	}
	f.key, f.first = *k, t.half
	sh.flows[*k] = f
	sh.used += flowCost
	sh.young.Push(f)
	return f
}

// nextOld goes round the grown flows.
func (sh *shard) nextOld() *flow {
	if sh.turn == nil {
		sh.turn = sh.old.First()
	}
	f := sh.turn
	if f != nil {
		sh.turn = f.Next()
	}
	return f
}

// grow moves a flow out of the young, of which so many stay that there is always one to make room for another.
func (sh *shard) grow(f *flow) {
	if sh.old.Len() < sh.limits.Flows-max(1, sh.limits.Flows/4) {
		sh.growths++
		f.grown = sh.growths
		sh.young.Remove(f)
		sh.old.Push(f)
		sh.rank(f)
	}
}

// forget gives up a flow with all that it holds.
func (sh *shard) forget(t *Table, f *flow, why Reason) {
	for i := range f.halves {
		for len(f.halves[i].open) > 0 {
			t.lose(sh, f.halves[i].open[0].slot, why)
		}
	}
	if f.grown > 0 {
		if sh.turn == f {
			sh.turn = f.Next()
		}
		sh.old.Remove(f)
		sh.unrank(f)
	} else {
		sh.young.Remove(f)
	}
	delete(sh.flows, f.key)
	if near := sh.cached(&f.key); *near == f {
		*near = nil
	}
	sh.used -= flowCost + f.kept
	if len(sh.spare) < freeFlows && f.grown == 0 {
		f.reset()
		sh.spare = append(sh.spare, f)
	}
}

// reset leaves an empty flow with its memory, which of a young one is little.
func (f *flow) reset() {
	halves := f.halves
	*f = flow{}
	for i := range halves {
		h := &f.halves[i]
		h.open, h.finished = halves[i].open[:0], halves[i].finished[:0]
	}
}

// settle brings what is held back below the bounds: of the flow that was met, whose oldest message goes; and of all,
// where the oldest young flow goes first. When none is left, a grown flow takes from those that grew after it, and has
// else to do with what it holds.
func (sh *shard) settle(t *Table) {
	f := t.flow
	for most, _ := f.limits(); f.held > most; {
		t.lose(sh, f.oldest(), Evicted)
	}
	for sh.used > sh.limits.Memory {
		young := sh.young.First()
		if young == f {
			young = f.Next()
		}
		if young != nil {
			sh.forget(t, young, Evicted)
			continue
		}
		from, last := f, sh.lastHolder()
		if f.held == 0 && last == nil { // flows and their keys are all there is
			other := sh.old.First()
			if other == f {
				other = f.Next()
			}
			if other == nil {
				return
			}
			sh.forget(t, other, Evicted)
			continue
		}
		if f.held == 0 || f.grown > 0 && last.grown > f.grown {
			from = last
		}
		t.lose(sh, from.oldest(), Evicted)
	}
}

// oldest is the open message that was opened first. The flow has one.
func (f *flow) oldest() *slot {
	a, b := f.halves[0].open, f.halves[1].open
	if len(a) == 0 || len(b) > 0 && b[0].opened < a[0].opened {
		return b[0].slot
	}
	return a[0].slot
}

// slot is a slot without pieces.
func (sh *shard) slot() *slot {
	if n := len(sh.slots); n > 0 {
		s := sh.slots[n-1]
		sh.slots = sh.slots[:n-1]
		return s
	}
	return &slot{}
}

// close frees a slot, whatever became of its message.
func (sh *shard) close(s *slot) {
	s.flow.halves[s.half].remove(s)
	s.flow.held -= s.held
	sh.used -= s.held
	sh.open.Remove(s)
	if len(sh.slots) < freeSlots && cap(s.data) <= freeBytes && cap(s.pieces) <= freePieces {
		*s = slot{pieces: s.pieces[:0], data: s.data[:0]}
		sh.slots = append(sh.slots, s)
	}
}
