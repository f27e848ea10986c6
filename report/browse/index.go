package browse

import (
	"io"
	"sort"
	"sync"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// A page is a place where reading can begin.
type page struct {
	from, base     int64 // bytes and records before it
	warm, warmBase int64 // as of a pcap.Part
	head           int   // index of heads
}

// Bounds of the index. 2 GB of packets of 100 bytes are 70,000 pages, of 40 bytes each.
const (
	pagePackets = 256
	pageBytes   = 256 << 10
	maxHeads    = 16 << 20 // bytes of all heads: beyond it pages grow, and are slow to read
)

// index knows where the packets of a capture are. One goroutine makes it, others look.
type index struct {
	all set // the datagrams on the decoders' ports

	mu      sync.Mutex
	pages   []page
	heads   [][]byte
	held    int   // bytes of heads
	end     int64 // bytes that were read
	records int64 // packets that were read, whatever they are
	strange int64 // datagrams on no port of the decoders
	first   int64 // time of the first datagram, whatever its port
	done    bool
	err     error
}

func newIndex() *index { return &index{pages: []page{{}}, heads: [][]byte{nil}} }

// run reads the store to its end. ready is called when there is a screen to look at, before it waits, and at the end.
func (x *index) run(in *tail, decoders *scan.Decoders, ready func()) {
	err := x.read(in, decoders, ready)
	x.mu.Lock()
	x.done = true
	if err != io.EOF {
		x.err = err
	}
	x.mu.Unlock()
	ready()
}

func (x *index) read(in *tail, decoders *scan.Decoders, ready func()) error {
	r := pcap.NewReader(in)
	r.KeepHeads()
	d := pcap.NewDatagrams(r)
	var some [pagePackets]int64 // not yet in all
	held, taken, empty, begun, met := 0, 0, true, int64(0), false
	var strange, first int64
	show := func() {
		here := d.Here()
		x.all.add(some[:held]...)
		held = 0
		x.mu.Lock()
		x.end, x.records, x.strange, x.first = here.From, here.Base, strange, first
		x.mu.Unlock()
	}
	in.idle = func() {
		if met {
			show()
			ready()
		}
	}
	for {
		one, err := d.Next()
		if err != nil {
			if d.Counts().Packets > 0 {
				show()
			}
			return err
		}
		if !met {
			met, first = true, one.Time
		}
		if decoders.Index(one.Src, one.Dst) < 0 {
			strange++
		} else {
			some[held] = one.N
			held, taken, empty = held+1, taken+1, false
		}
		here := r.Offset()
		if taken < pagePackets && here-begun < pageBytes {
			if taken == firstScreen && x.all.size() == 0 {
				show()
				ready()
			}
			continue
		}
		show()
		if x.cut(d.Here(), empty) {
			empty = true
		}
		taken, begun = 0, here
	}
}

// firstScreen is how many packets are shown before a page is whole.
const firstScreen = 64

// cut begins a page. empty: the one before has no packet, and is not needed.
func (x *index) cut(p pcap.Part, empty bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	head := len(x.heads) - 1
	if last := x.heads[head]; len(last) != len(p.Head) || len(last) > 0 && &last[0] != &p.Head[0] {
		if len(p.Head) > pcap.MaxHead || x.held+len(p.Head) > maxHeads {
			return false
		}
		x.heads = append(x.heads, p.Head)
		x.held += len(p.Head)
		head++
	}
	one := page{from: p.From, base: p.Base, warm: p.Warm, warmBase: p.WarmBase, head: head}
	if empty {
		x.pages[len(x.pages)-1] = one
	} else {
		x.pages = append(x.pages, one)
	}
	return true
}

// pageOf is the page that has a record.
func (x *index) pageOf(n int64) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return max(sort.Search(len(x.pages), func(i int) bool { return x.pages[i].base >= n })-1, 0)
}

// part is what is to be read from a page on, up to what was indexed.
func (x *index) part(i int) pcap.Part {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.pages[i]
	return pcap.Part{From: p.from, To: x.end, Base: p.base, Warm: p.warm, WarmBase: p.warmBase, Head: x.heads[p.head]}
}

// progress is how far the index has come.
type progress struct {
	end, records, strange, first int64
	done                         bool
	err                          error
}

func (x *index) progress() progress {
	x.mu.Lock()
	defer x.mu.Unlock()
	return progress{x.end, x.records, x.strange, x.first, x.done, x.err}
}
