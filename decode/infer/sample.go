package infer

import (
	"net/netip"
	"slices"
)

// What is kept of a capture. All else is read once more, for the proof.
const (
	MaxPackets = 20_000
	MaxBytes   = 16 << 20
	// Memory is how many bytes an inference takes at most, or so: the packets, the rows that it makes of them, the memo, and
	// as much again that is not collected yet.
	Memory   = 96 << 20
	maxFlows = 4096 // flows that are told apart; the packets of all others are as one flow's
)

// Packet is one datagram of a capture.
type Packet struct {
	N        int64 // its number in the capture, for the report
	Time     int64 // when it was captured, in ns; 0: nobody knows
	Src, Dst netip.AddrPort
	Data     []byte
}

// Sample keeps the packets that a schema is made from: at most MaxPackets, of MaxBytes in all, in their order. The zero
// Sample is empty.
type Sample struct {
	rows  []row
	bytes int
	flows map[[2]netip.AddrPort]int32
	ports map[uint16]int

	Packets int64 // that Add met
	Longest int   // bytes of the longest that Add met
}

// row is what is known of a packet, or of an element of a list in one.
type row struct {
	data []byte // the datagram, and padding bytes of zeros after it
	size int    // bytes of the datagram
	pos  int    // the bit where what is looked at begins
	end  int    // the bit where it ends
	id   int32  // the packet's place in the sample
	flow int32  // its sender and receiver, and of an element its index
	n    int64  // the packet's number in the capture
	time int64  // when it was captured, in ns; 0: nobody knows
	run  int32  // of a window: rows of different runs do not follow one another
}

// padding is how many zeros are after a row's datagram, so that a word can be loaded at each of its bits.
const padding = 9

// Add copies what it keeps of p. It reports whether p is kept.
func (s *Sample) Add(p *Packet) bool {
	s.Packets++
	s.Longest = max(s.Longest, len(p.Data))
	if len(s.rows) >= MaxPackets || s.bytes+len(p.Data) > MaxBytes {
		return false
	}
	if s.flows == nil {
		s.flows, s.ports = map[[2]netip.AddrPort]int32{}, map[uint16]int{}
	}
	flow, ok := s.flows[[2]netip.AddrPort{p.Src, p.Dst}]
	if !ok {
		if flow = int32(len(s.flows)); flow < maxFlows {
			s.flows[[2]netip.AddrPort{p.Src, p.Dst}] = flow
		}
	}
	for _, port := range [2]uint16{p.Src.Port(), p.Dst.Port()} {
		if _, ok := s.ports[port]; ok || len(s.ports) < maxFlows {
			s.ports[port]++
		}
	}
	data := make([]byte, len(p.Data)+padding)
	copy(data, p.Data)
	s.rows = append(s.rows, row{data: data, size: len(p.Data), end: 8 * len(p.Data), id: int32(len(s.rows)), flow: flow, n: p.N, time: p.Time})
	s.bytes += len(p.Data)
	return true
}

// Kept is how many packets the sample has.
func (s *Sample) Kept() int { return len(s.rows) }

// Flows is how many directed flows it has: a sender and a receiver each.
func (s *Sample) Flows() int { return len(s.flows) }

// port is the server's: the one that most packets have, of two the lower; 0 where there is none.
func (s *Sample) port() uint16 {
	best, most := uint16(0), 0
	for port, n := range s.ports {
		if port != 0 && (n > most || n == most && port < best) {
			best, most = port, n
		}
	}
	return best
}

// probe is the shortest packet that the server answered at once, of few bytes: a longer one may be a login; nil without one.
func (s *Sample) probe(server uint16) (best []byte) {
	const most, soon = 32, 8
	flows := make(map[int32][2]netip.AddrPort, len(s.flows))
	for key, n := range s.flows {
		flows[n] = key
	}
	for i := range s.rows {
		asked, one := flows[s.rows[i].flow], s.rows[i].raw()
		if asked[1].Port() != server || asked[0] == asked[1] || len(one) == 0 || len(one) > most || best != nil && len(one) >= len(best) {
			continue
		}
		for _, next := range s.rows[i+1 : min(len(s.rows), i+1+soon)] {
			if answer := flows[next.flow]; answer[0] == asked[1] && answer[1] == asked[0] {
				best = one
			}
		}
	}
	return best
}

// rows are packets, or parts of packets, that are thought to have one layout.
type rows []row

// window is a part of rows with what was before each: prev is the index of the row before of the same flow, or -1.
type window struct {
	rows  rows
	prev  []int32
	all   int // how many rows it stands for
	flows int // of its rows
}

// Rows of a window that follow one another in their flow: a run has so many, more where there would be more runs.
const (
	leastRun = 8
	mostRuns = 24
	farRun   = 24 // rows that are looked through for each of a run: those between are of other flows
)

// window takes n rows at most: runs of the rows of one flow, so that most have the one before, from many places, so that
// no place says what all are like.
func (r rows) window(n int) window {
	w := window{rows: r, all: len(r)}
	if len(r) > n {
		w.rows = make(rows, 0, n)
		for i, k := range r.runs(n) {
			if k > 0 {
				one := r[i]
				one.run = one.run<<10 | k
				w.rows = append(w.rows, one)
			}
		}
	}
	w.prev = make([]int32, len(w.rows))
	last := make(map[int32]int32)
	for i := range w.rows {
		p, ok := last[w.rows[i].flow]
		if !ok || w.rows[p].run != w.rows[i].run {
			p = -1
		}
		w.prev[i], last[w.rows[i].flow] = p, int32(i)
	}
	w.flows = len(last)
	return w
}

// runs numbers n rows of as many runs as these need; the others have 0.
func (r rows) runs(n int) []int32 {
	run := make([]int32, len(r))
	each := max(leastRun, (n+mostRuns-1)/mostRuns)
	number := int32(0)
	for left := n; left > 0; {
		starts := (left + each - 1) / each
		for k := range starts {
			i := (2*k + 1) * len(r) / (2 * starts)
			for i < len(r) && run[i] > 0 {
				i++
			}
			if i == len(r) {
				i = slices.Index(run, 0)
			}
			number++
			flow, in := r[i].flow, r[i].run
			for got, end := 0, min(len(r), i+farRun*each); i < end && got < each && left > 0; i++ {
				if r[i].flow == flow && r[i].run == in && run[i] == 0 {
					run[i] = number
					got++
					left--
				}
			}
			if left == 0 {
				break
			}
		}
	}
	return run
}

// scale is how many rows of the whole a row of the window stands for.
func (w *window) scale() float64 { return float64(w.all) / float64(max(1, len(w.rows))) }

// moved are the rows with their beginnings moved by what by says, where that leaves something.
func (r rows) moved(by func(*row) int) rows {
	out := make(rows, 0, len(r))
	for i := range r {
		one := r[i]
		if one.pos += by(&r[i]); one.pos <= one.end {
			out = append(out, one)
		}
	}
	return out
}

// least is the number of bits that all but one row in 50 have.
func (r rows) least() int {
	if len(r) == 0 {
		return 0
	}
	lengths := r.lengths()
	skip := len(r) / 50
	for _, l := range lengths {
		if skip -= l.n; skip < 0 {
			return l.bits
		}
	}
	return lengths[len(lengths)-1].bits
}
