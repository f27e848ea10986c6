package flow

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// slow is the reference: it keeps every piece of every message in maps, byte by byte, and knows no bound but the
// time-out, the number of open messages and of remembered ones.
type slow struct {
	flows    map[string]*slowFlow
	sections []Section
	timeout  int64
}

type slowFlow struct {
	accepted int
	halves   map[string]*slowHalf
}

type slowHalf struct {
	open     []*slowMessage     // by opening
	finished map[int][]slowDone // by section
}

type slowDone struct {
	name string
	time int64
}

type slowMessage struct {
	name   string
	opened int64
	index  map[uint64][]byte // by index
	byte   map[uint64]byte   // by offset
	want   int64             // -1 until known
	bytes  bool
	reach  uint64
}

func (s *slow) add(from, to string, p *Piece, now int64) (whole []byte, odd Odd, lost []string) { // whole is nil without
	ends := []string{from, to}
	slices.Sort(ends)
	f := s.flows[strings.Join(ends, " ")]
	if f == nil {
		f = &slowFlow{halves: map[string]*slowHalf{}}
		s.flows[strings.Join(ends, " ")] = f
	}
	h := f.halves[from]
	if h == nil {
		h = &slowHalf{finished: map[int][]slowDone{}}
		f.halves[from] = h
	}
	f.accepted++
	name := fmt.Sprint(p.Section, p.ID, p.Bytes, p.Counted)
	if p.Counted {
		name += fmt.Sprint(" of ", p.Of)
	}
	n := uint64(1)
	if p.Bytes {
		n = uint64(len(p.Data))
	}
	if p.Counted && (p.At > p.Of || n > p.Of-p.At) {
		return nil, ConflictingFragment, nil
	}
	for _, d := range h.finished[p.Section] {
		if d.name == name && now-d.time <= s.timeout {
			return nil, DuplicateMessage, nil
		}
	}
	var m *slowMessage
	for _, one := range h.open {
		if one.name == name {
			m = one
		}
	}
	if m == nil {
		m = &slowMessage{name: name, opened: now, index: map[uint64][]byte{}, byte: map[uint64]byte{}, want: -1, bytes: p.Bytes}
		if p.Counted {
			m.want = int64(p.Of)
		}
		h.open = append(h.open, m)
	}
	odd = m.add(p, n)
	if m.have() == m.want {
		h.open = slices.DeleteFunc(h.open, func(o *slowMessage) bool { return o == m })
		h.finished[p.Section] = finish(h.finished[p.Section], name, now, s.sections[p.Section].Remember)
		return m.data(), odd, nil
	}
	if most := map[bool]int{false: 4, true: 64}[f.accepted > 4]; len(h.open) > most { // of the packets before this one 4
		lost = append(lost, h.open[0].name)
		h.open = h.open[1:]
	}
	return nil, odd, lost
}

func finish(done []slowDone, name string, now int64, remember int) []slowDone {
	for i := range done {
		if done[i].name == name {
			done[i].time = now
			return done
		}
	}
	done = append(done, slowDone{name, now})
	return done[max(0, len(done)-remember):]
}

func (m *slowMessage) add(p *Piece, n uint64) (odd Odd) {
	to := p.At + n
	if m.want >= 0 && to > uint64(m.want) {
		return ConflictingFragment
	}
	if p.Last && !p.Counted {
		if m.want >= 0 && to != uint64(m.want) || to < m.reach {
			return ConflictingFragment
		}
		m.want = int64(to)
	}
	if !m.bytes {
		if old, ok := m.index[p.At]; ok {
			if bytes.Equal(old, p.Data) {
				return DuplicateFragment
			}
			return ConflictingFragment
		}
		m.index[p.At] = slices.Clone(p.Data)
		m.reach = max(m.reach, to)
		return 0
	}
	for i, c := range p.Data {
		at := p.At + uint64(i)
		switch old, ok := m.byte[at]; {
		case !ok:
			m.byte[at] = c
		case old != c:
			odd = ConflictingFragment
		case odd == 0:
			odd = DuplicateFragment
		}
	}
	if n > 0 {
		m.reach = max(m.reach, to)
	}
	return odd
}

func (m *slowMessage) have() int64 {
	if m.bytes {
		return int64(len(m.byte))
	}
	return int64(len(m.index))
}

func (m *slowMessage) data() []byte {
	b := []byte{}
	if m.bytes {
		for i := range uint64(len(m.byte)) {
			b = append(b, m.byte[i])
		}
		return b
	}
	for i := range uint64(len(m.index)) {
		b = append(b, m.index[i]...)
	}
	return b
}

func (s *slow) expire(now int64) (lost []string) {
	for _, f := range s.flows {
		for _, h := range f.halves {
			h.open = slices.DeleteFunc(h.open, func(m *slowMessage) bool {
				if now-m.opened <= s.timeout {
					return false
				}
				lost = append(lost, m.name)
				return true
			})
		}
	}
	return lost
}

// Within the bounds a Table says what the reference says, of every piece.
func TestTableSaysWhatTheReferenceSays(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	var delivered, odd, timedOut int
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 21))
		sections := []Section{{Remember: 3 + r.IntN(8)}, {Remember: r.IntN(4)}}
		table := NewTable(Limits{Timeout: time.Second}, sections)
		ref := &slow{flows: map[string]*slowFlow{}, sections: sections, timeout: int64(time.Second)}
		counted, inBytes := r.IntN(2) == 0, r.IntN(2) == 0
		now := int64(1)
		for n := range 400 {
			now += r.Int64N(int64(30 * time.Millisecond))
			from, to := client, server
			if r.IntN(2) == 0 {
				from, to = to, from
			}
			p := Piece{Section: r.IntN(2), ID: r.Uint64N(12), Bytes: inBytes, Record: int64(n)}
			p.At = r.Uint64N(1 + p.ID%4 + r.Uint64N(8)/7)
			size := 1 + p.ID%4
			if r.IntN(8) == 0 {
				size = 1 + r.Uint64N(5)
			}
			if inBytes {
				size *= 3
				p.At *= 3
			}
			p.Data = make([]byte, r.IntN(5))
			for i := range p.Data {
				p.Data[i] = byte(p.ID) ^ byte(p.At) + byte(i)
			}
			if r.IntN(20) == 0 && len(p.Data) > 0 {
				p.Data[0]++
			}
			if counted {
				p.Of, p.Counted = size, true
			} else {
				p.Last = p.At+1 >= size && r.IntN(8) > 0
			}
			var lost, want []string
			// The reference forgets all that is too old; a Table only in the shard that it meets, which is the same here.
			want = ref.expire(now)
			table.Meet(from, to, 0, now)
			timedOut += len(want)
			if len(want) != len(table.Lost()) {
				t.Fatalf("seed %d, piece %d: %d timed out, want %d", seed, n, len(table.Lost()), len(want))
			}
			before := len(table.Lost())
			whole, gotOdd := table.Add(&p)
			table.Accept()
			for _, l := range table.Lost()[before:] {
				lost = append(lost, fmt.Sprint(l.ID))
			}
			wantWhole, wantOdd, wantLost := ref.add(from.String(), to.String(), &p, now)
			if gotOdd != wantOdd || (whole == nil) != (wantWhole == nil) || len(lost) != len(wantLost) {
				t.Fatalf("seed %d, piece %d %+v: odd %v whole %v lost %v; want %v %q %v", seed, n, p, gotOdd, whole, lost, wantOdd, wantWhole, wantLost)
			}
			if whole != nil {
				delivered++
				if !bytes.Equal(whole.Data, wantWhole) {
					t.Fatalf("seed %d, piece %d: %q, want %q", seed, n, whole.Data, wantWhole)
				}
				end := 0
				for _, part := range whole.Parts {
					if part.At != end {
						t.Fatalf("seed %d, piece %d: a part at %d, want %d", seed, n, part.At, end)
					}
					end += part.N
				}
				if end != len(whole.Data) {
					t.Fatalf("seed %d, piece %d: parts of %d bytes, want %d", seed, n, end, len(whole.Data))
				}
			}
			if gotOdd != 0 {
				odd++
			}
			check(t, table)
		}
	}
	if delivered < 30*rounds || odd < 30*rounds || timedOut < rounds {
		t.Errorf("only %d were delivered, %d were odd, %d timed out", delivered, odd, timedOut)
	}
}
