package flow

import "container/heap"

// holders are grown flows that hold something, and some that do no more: a heap with the one first that grew last.
type holders []*flow

func (h holders) Len() int           { return len(h) }
func (h holders) Less(i, j int) bool { return h[i].grown > h[j].grown }

func (h holders) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].ranked, h[j].ranked = i+1, j+1
}

// Push adds a flow at the end, as heap wants it.
func (h *holders) Push(x any) {
	f := x.(*flow)
	*h = append(*h, f)
	f.ranked = len(*h)
}

// Pop takes the last flow away, as heap wants it.
func (h *holders) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = nil
	*h, f.ranked = (*h)[:last], 0
	return f
}

// rank puts a grown flow that holds something among the holders.
func (sh *shard) rank(f *flow) {
	if f.grown > 0 && f.ranked == 0 && f.held > 0 {
		heap.Push(&sh.holders, f)
	}
}

func (sh *shard) unrank(f *flow) {
	if f.ranked > 0 {
		heap.Remove(&sh.holders, f.ranked-1)
	}
}

// lastHolder is the flow that grew last of those that hold something; nil if none does.
func (sh *shard) lastHolder() *flow {
	for len(sh.holders) > 0 {
		if f := sh.holders[0]; f.held > 0 {
			return f
		}
		heap.Pop(&sh.holders)
	}
	return nil
}
