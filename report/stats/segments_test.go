package stats

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// traffic is the packets of one test of the laws: what was sampled of them, which is counted in pieces.
type traffic struct {
	name string
	*counter
}

// sampled samples what send sends.
func sampled(name string, c *counter, send func(add func(e decode.Envelope, payload []byte))) traffic {
	c.sampleOnly = true
	send(c.add)
	return traffic{name, c}
}

// piece counts packets from to to-1.
func (tr *traffic) piece(p saved.Piece, from, to int) *Segments {
	s := New(tr.plan)
	s.KeepTime()
	s.Take(&Batch{records: tr.batch.records[from:to], values: tr.batch.values, contexts: tr.batch.contexts})
	return NewSegments(p, s)
}

// lawTraffic is captures of the corpus and traffic with floods, strangers, silences, wraps, restarts, latencies of all
// lengths and more answers at a time than an edge had once.
func lawTraffic(t testing.TB) (list []traffic) {
	for _, one := range []struct{ protocol, file string }{
		{"rtype", "../../corpus/rtype.pcap"}, {"rtype", session + ".pcap"}, {"packets", "../../corpus/packets.pcap"}, {"gaffer", "../../corpus/gaffer.pcap"},
	} {
		c := builtin(t, one.protocol)
		c.sampleOnly, c.file = true, one.file
		c.datagrams(capture(t, one.file))
		list = append(list, traffic{one.file, c})
	}
	r := rand.New(rand.NewPCG(11, 12))
	client, server := addr("10.0.0.1:5"), addr("10.0.0.2:9")
	list = append(list, sampled("made", newCounter(t, wide+"expect timeout 2s\n"), func(add func(e decode.Envelope, payload []byte)) {
		now, n := int64(1e18), int64(0)
		send := func(who netip.AddrPort, kind byte, v int) {
			n++
			e := decode.Envelope{N: n % 900, File: fmt.Sprintf("ring-%d.pcap", n/900), Time: now, Src: who, Dst: server}
			if kind == 1 {
				e.Src, e.Dst = server, who
			}
			add(e, []byte{kind, byte(v >> 8), byte(v)})
		}
		sent := 65000
		for range 2500 {
			now += int64(1e3 * math.Exp(r.Float64()*12)) // up to 160 ms
			switch r.IntN(500) {
			case 0: // a replay flood
				for range 600 {
					now += 1e3
					send(client, 0, sent-3)
				}
			case 1:
				now += 3e9 // a silence
			case 2:
				sent += 5000 // a restart
			case 3:
				send(client, 0, sent+30000) // a stray
			}
			for range 1 + r.IntN(4) { // 200 on their way
				if sent++; r.IntN(20) > 0 {
					send(client, 0, sent)
				}
				now += int64(r.IntN(1e6))
				send(client, 1, sent-int(math.Exp(r.Float64()*5.3)))
			}
			if r.IntN(3) == 0 {
				sent++
				send(client, 0, sent)
				send(client, 1, sent-maxSent) // which the last one made forget
			}
			if r.IntN(3) == 0 {
				send(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 2, 0, byte(r.IntN(100))}), 6), byte(r.IntN(3)), r.IntN(1<<16))
			}
		}
	}))
	return append(list, messageTraffic(t)...)
}

// A tree is one way to cut traffic into pieces and to put them together again.
type tree struct {
	r     *rand.Rand
	parts []*Segments
}

// cut cuts traffic: at random places, or around one, with empty pieces.
func cut(tr *traffic, r *rand.Rand) *tree {
	n := len(tr.batch.records)
	places := []int{0, n}
	for range 1 + r.IntN(40) {
		at := r.IntN(n + 1)
		places = append(places, at)
		if r.IntN(6) == 0 {
			places = append(places, at) // an empty piece
		}
		if r.IntN(4) == 0 {
			places = append(places, min(at+1, n), min(at+2, n))
		}
	}
	slices.Sort(places)
	t := &tree{r: r}
	of := uint64(len(places) - 1)
	for i := range of {
		t.parts = append(t.parts, tr.piece(saved.Piece{Stream: 7, Plan: 1, From: i, To: i + 1, Of: of}, places[i], places[i+1]))
	}
	return t
}

// encoded is what is saved, without the JSON.
func encoded(s *Segments) []byte {
	c := coder{writing: true, version: partVersion, b: []byte{}}
	s.code(&c)
	return c.b
}

func (tr *tree) saved(t testing.TB, s *Segments) *Segments {
	t.Helper()
	read, err := decodeBody(partVersion, encoded(s))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// unite puts the parts together: any two at a time, sides swapped at random, each saved and read.
func (tr *tree) unite(t testing.TB, union func(a, b *Segments) error) (*Segments, error) {
	for len(tr.parts) > 1 {
		i := tr.r.IntN(len(tr.parts))
		a := tr.parts[i]
		tr.parts = slices.Delete(tr.parts, i, i+1)
		i = tr.r.IntN(len(tr.parts))
		b := tr.parts[i]
		if tr.r.IntN(2) == 0 {
			a, b = b, a
		}
		a, b = tr.saved(t, a), tr.saved(t, b)
		if err := union(a, b); err != nil {
			return nil, err
		}
		tr.parts[i] = a
	}
	return tr.saved(t, tr.parts[0]), nil
}

// However a capture is cut, and in whatever order the pieces are put together, the same bytes are saved as of the whole,
// and the same is told.
func TestSegments(t *testing.T) {
	need.OneGoroutine(t)
	seeds := need.Rounds[uint64](100, 1)
	for _, tr := range lawTraffic(t) {
		whole := tr.piece(saved.Whole(7), 0, len(tr.batch.records))
		if tr.name == "made" {
			coarse := false
			eachAnswers(whole, func(a *answers) { coarse = coarse || a.latency.level > 0 })
			if !coarse {
				t.Error("the latencies fit a fine sketch: the test proves nothing of a coarse one")
			}
		}
		want, err := whole.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range seeds {
			got, err := cut(&tr, rand.New(rand.NewPCG(seed, 1))).unite(t, (*Segments).Union)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range got.list {
				one.schema = whole.Schema() // is in the JSON alone
			}
			line, err := got.AppendJSON(nil)
			if err != nil || !bytes.Equal(line, want) || !bytes.Equal(encoded(got), encoded(whole)) || !reflect.DeepEqual(got.Summary().Timeline, whole.Summary().Timeline) {
				t.Errorf("%s, seed %d: %v %s", tr.name, seed, err, firstDifference(text(t, whole.Summary()), text(t, got.Summary())))
				break
			}
		}
	}
}

// eachAnswers calls f for what is counted of acknowledgements in every segment.
func eachAnswers(s *Segments, f func(*answers)) {
	for _, one := range s.list {
		for _, p := range one.peers.table {
			for h := range p.halves {
				for _, list := range p.halves[h].acks {
					for _, a := range list {
						f(a)
					}
				}
			}
		}
	}
}

// eachSequence calls f for each counter that is followed in every segment.
func eachSequence(s *Segments, f func(of *Stats, q *sequence, field seqField)) {
	for _, one := range s.list {
		for _, p := range one.peers.table {
			for h := range p.halves {
				for i := range p.halves[h].seqs {
					f(one.Stats, &p.halves[h].seqs[i], one.shape.seqs[i])
				}
			}
		}
	}
}

// The laws fail for each mistake that was made once.
func TestSegmentsFindsMistakes(t *testing.T) {
	need.OneGoroutine(t)
	list := lawTraffic(t)
	const seeds = 12
	for i, mistake := range []struct {
		name    string
		mistake func(s *Segments) // with each piece, and each union
		union   func(a, b *Segments) error
	}{
		{name: "an edge of 64 answers", mistake: func(s *Segments) {
			eachAnswers(s, func(a *answers) {
				for len(a.edge) > 64 {
					a.settle(a.edge[64])
					a.edge = slices.Delete(a.edge, 64, 65)
				}
			})
		}},
		{name: "the first answer searched in what came before a later value", mistake: func(s *Segments) {
			eachAnswers(s, func(a *answers) {
				for i := range a.edge {
					a.edge[i].known = a.edge[i].sent != 0
				}
			})
		}},
		{name: "latencies beyond 200 buckets left out", mistake: func(s *Segments) {
			eachAnswers(s, func(a *answers) {
				for _, b := range a.latency.buckets[min(len(a.latency.buckets), 200):] {
					a.latency.n -= b.n
				}
				a.latency.buckets = a.latency.buckets[:min(len(a.latency.buckets), 200)]
			})
		}},
		{name: "an edge of values, not of runs", mistake: func(s *Segments) {
			eachSequence(s, func(_ *Stats, q *sequence, f seqField) { valuesNotRuns(q, f.modulus) })
		}},
		{name: "an edge that forgets when", mistake: func(s *Segments) {
			eachSequence(s, func(_ *Stats, q *sequence, _ seqField) {
				for i := range q.edge {
					q.edge[i].at = 0
				}
			})
		}},
		{name: "losses of an edge counted as if nothing came before", mistake: func(s *Segments) {
			eachSequence(s, func(of *Stats, q *sequence, f seqField) {
				q.edgeLosses(f.modulus, func(at tick, lost int64) { of.peers.timeline.lose(schema.Client, at, lost) })
			})
		}},
		{name: "answers over time of the first value alone", mistake: func(s *Segments) {
			eachAnswers(s, func(a *answers) {
				if len(a.when.list) > 1 {
					a.when.list = a.when.list[:1]
				}
			})
		}},
		{name: "merged as they come", union: func(a, b *Segments) error {
			a.all = nil
			a.list[0].Of = max(a.list[0].Of, b.list[0].Of) // as one, wherever it was
			return a.list[0].Merge(b.list[0].Stats)
		}},
		{name: "merged in the order of the first packet, two at a time", union: func(a, b *Segments) error {
			one, other := a.list[0].Stats, b.list[0].Stats
			if other.first < one.first {
				one, other = other, one
			}
			a.list[0].Stats, a.all = one, nil
			return one.Merge(other)
		}},
		{name: "records of a piece without their file", mistake: func(s *Segments) {
			for _, one := range s.list {
				for _, p := range one.peers.table {
					for h := range p.halves {
						p.halves[h].seen.until.file = ""
					}
				}
			}
		}},
		{name: "half of what was sent forgotten", mistake: func(s *Segments) {
			for _, one := range s.list {
				for _, p := range one.peers.table {
					for h := range p.halves {
						for i := range p.halves[h].sent {
							slots := p.halves[h].sent[i].slots
							clear(slots[len(slots)/2:])
						}
					}
				}
			}
		}},
	} {
		if !need.OneIn(i, 4) {
			continue
		}
		found := false
		for i := 0; i < len(list) && !found; i++ {
			tr := &list[i]
			whole := encoded(tr.piece(saved.Whole(7), 0, len(tr.batch.records)))
			for seed := uint64(0); seed < seeds && !found; seed++ {
				pieces := cut(tr, rand.New(rand.NewPCG(seed, 1)))
				if mistake.mistake != nil {
					for _, one := range pieces.parts {
						mistake.mistake(one)
					}
				}
				union := mistake.union
				if union == nil {
					union = func(a, b *Segments) error {
						err := a.Union(b)
						mistake.mistake(a)
						return err
					}
				}
				got, err := pieces.unite(t, union)
				if err == nil && mistake.union != nil {
					got.list[0].Piece = saved.Whole(7)
				}
				found = err != nil || !bytes.Equal(encoded(got), whole)
			}
		}
		if !found {
			t.Errorf("%s: the laws hold nevertheless", mistake.name)
		}
	}
}

// valuesNotRuns makes of an edge of runs one of at most maxSeqEdge values, closed where that is too little.
func valuesNotRuns(s *sequence, modulus uint64) {
	left, short := uint64(maxSeqEdge), sequence{}
	for _, r := range s.edge {
		if r.times > left {
			r.times = left
		}
		if left -= r.times; r.times > 0 {
			short.addRun(r, modulus)
		}
	}
	if left == 0 && !short.closed {
		short.close()
		s.edge, s.edgeState, s.edgeCounts, s.closed = short.edge, short.edgeState, short.edgeCounts, true
	}
}

// The union of anything with itself, or with a part of it, is refused, and changes nothing.
func TestUnionRefuses(t *testing.T) {
	c := newCounter(t, wide)
	of := func(p saved.Piece) *Segments { return NewSegments(p, New(c.plan)) }
	piece := func(from, to uint64) saved.Piece { return saved.Piece{Stream: 7, Plan: 1, From: from, To: to, Of: 16} }
	for _, row := range []struct {
		name string
		a, b saved.Piece
		want string
	}{
		{"itself", piece(3, 5), piece(3, 5), "pieces 3..4 of 16 are counted twice"},
		{"one of it", piece(3, 5), piece(4, 5), "piece 4 of 16 is counted twice"},
		{"more than it", piece(3, 5), piece(1, 9), "pieces 3..4 of 16 are counted twice"},
		{"its end", piece(3, 5), piece(4, 9), "piece 4 of 16 is counted twice"},
		{"the whole", saved.Whole(7), saved.Whole(7), "the same captures are counted twice"},
		{"the whole and a piece", saved.Whole(7), piece(3, 5), "pieces are counted twice: with the captures that they are of"},
		{"a piece and all pieces", piece(3, 5), piece(0, 16), "pieces are counted twice: with the captures that they are of"},
		{"two plans", piece(3, 5), saved.Piece{Stream: 7, Plan: 2, From: 7, To: 8, Of: 16}, "pieces of one capture that two plans cut: some are counted twice"},
		{"two numbers", piece(3, 5), saved.Piece{Stream: 7, Plan: 1, From: 7, To: 8, Of: 17}, "pieces of one capture that two plans cut: some are counted twice"},
	} {
		a := of(row.a)
		for _, more := range []saved.Piece{piece(0, 1), piece(9, 10)} {
			if row.a.Of > 1 && (saved.Pieces{more}).Twice(saved.Pieces{row.b}) == nil {
				if err := a.Union(of(more)); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := encoded(a)
		if err := a.Union(of(row.b)); err == nil || err.Error() != row.want || !bytes.Equal(encoded(a), before) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	a := of(piece(0, 1))
	for i := uint64(2); i < 2*MaxSegments; i += 2 {
		if err := a.Union(of(saved.Piece{Stream: i, To: 1, Of: 1})); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := a.Union(of(saved.Whole(1))); err == nil || err.Error() != "too many gaps: merge neighbors first" {
		t.Error(err)
	}
}

// Pieces that are missing are told, and nothing is judged across them; when they come, all is as in the whole.
func TestMissing(t *testing.T) {
	src := wide + "expect timeout 2s\n"
	client, server := addr("10.0.0.1:5"), addr("10.0.0.2:9")
	tr := sampled("", newCounter(t, src), func(add func(e decode.Envelope, payload []byte)) {
		for i := range 160 {
			at := 1e18 + int64(i)*1e8
			add(decode.Envelope{N: int64(2*i + 1), Time: at, Src: client, Dst: server}, []byte{0, 0, byte(i)})
			if i >= 2 { // answered two later
				add(decode.Envelope{N: int64(2*i + 2), Time: at + 1e7, Src: server, Dst: client}, []byte{1, 0, byte(i - 2)})
			}
		}
	})
	n := len(tr.batch.records)
	piece := func(i uint64) *Segments {
		return tr.piece(saved.Piece{Stream: 7, Plan: 1, From: i, To: i + 1, Of: 16}, n*int(i)/16, n*int(i+1)/16)
	}
	var s *Segments
	for _, i := range []uint64{15, 2, 0, 1, 12, 13, 14, 5, 7, 6, 8, 9, 10} {
		if s == nil {
			s = piece(i)
		} else if err := s.Union(piece(i)); err != nil {
			t.Fatal(err)
		}
	}
	s = savedAgain(t, s)
	sum := s.Summary()
	if got := strings.Join(sum.Missing, ", "); got != "3..4 of 16, 11 of 16" || sum.MissingPieces != 3 || sum.Pieces != 16 {
		t.Errorf("missing %s: %d of %d", got, sum.MissingPieces, sum.Pieces)
	}
	q, a := sum.Sequences[0].SequenceCounts, sum.Acks[0]
	if q.Lost != 0 || q.Strays != 0 || q.Unsettled != 0 || sum.Silences.N != 0 || a.Unsent != 0 || a.Max != 210 || a.Unsettled == 0 {
		t.Errorf("%+v, %d silences, %+v", q, sum.Silences.N, a)
	}
	// A stream of which nothing is missing is judged with the next, as files of one capture are.
	two := piece(0)
	two.list[0].Piece = saved.Whole(1)
	next := piece(15)
	next.list[0].Piece = saved.Whole(2)
	if err := next.Union(two); err != nil {
		t.Fatal(err)
	}
	if sum := next.Summary(); sum.Silences.N != 1 || sum.Sequences[0].Lost == 0 || len(sum.Missing) != 0 {
		t.Errorf("%d silences, %+v", sum.Silences.N, sum.Sequences)
	}
	for _, i := range []uint64{4, 11, 3} {
		if err := s.Union(piece(i)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(encoded(s), encoded(tr.piece(saved.Whole(7), 0, n))) || len(s.Summary().Missing) != 0 {
		t.Error("with the missing pieces it is not the whole")
	}
}

// 3,000 peers are exact where each is counted with few others, as an engine that keys by peer does: each group in its
// pieces, and then the sums of all groups.
func TestPeersByGroup(t *testing.T) {
	const clients, inputs, groups, parts = 3000, 12, 8, 5
	server := addr("10.0.0.1:4124")
	r, sent := rand.New(rand.NewPCG(3, 4)), make([]int, clients)
	tr := sampled("", builtin(t, "rtype"), func(add func(e decode.Envelope, payload []byte)) {
		for n := range clients * inputs {
			who := r.IntN(clients)
			if sent[who]++; sent[who]%5 == 4 {
				sent[who]++ // one lost
			}
			from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(who >> 8), byte(who)}), 7)
			add(decode.Envelope{N: int64(n), Time: 1e18 + int64(n)*1e3, Src: from, Dst: server}, heartbeat(sent[who]))
		}
	})
	lost := uint64(0)
	for _, n := range sent {
		for i := 4; i < n; i += 5 {
			if i > 1 {
				lost++
			}
		}
	}
	var all *Stats
	records := tr.batch.records
	for g := range uint64(groups) {
		tr.batch.records = nil
		for _, one := range records {
			if one.hash%groups == g {
				tr.batch.records = append(tr.batch.records, one)
			}
		}
		n := len(tr.batch.records)
		var s *Segments
		for _, i := range r.Perm(parts) {
			one := tr.piece(saved.Piece{Stream: g, Plan: 1, From: uint64(i), To: uint64(i + 1), Of: parts}, n*i/parts, n*(i+1)/parts)
			if s == nil {
				s = one
			} else if err := s.Union(one); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(encoded(s), encoded(tr.piece(saved.Whole(g), 0, n))) {
			t.Fatalf("group %d is not the whole", g)
		}
		if all == nil {
			all = s.list[0].empty()
		}
		if err := all.Merge(s.list[0].Stats); err != nil {
			t.Fatal(err)
		}
	}
	if q := all.Summary().Sequences[0].SequenceCounts; q != (SequenceCounts{Received: clients * inputs, Lost: lost}) {
		t.Errorf("%+v, want %d lost", q, lost)
	}
}

// FuzzSegments reads any bytes as two parts and adds them up.
func FuzzSegments(f *testing.F) {
	c := newCounter(f, wide)
	c.exchange([]exchange{{0, false, 5}, {1e6, true, 5}, {2e6, false, 7}})
	one := encoded(NewSegments(saved.Piece{Stream: 7, Plan: 1, From: 3, To: 4, Of: 16}, c.stats))
	f.Add(one, encoded(NewSegments(saved.Piece{Stream: 7, Plan: 1, From: 4, To: 6, Of: 16}, New(c.plan))))
	f.Add(one, encoded(NewSegments(saved.Whole(8), New(c.plan))))
	f.Add(one, one)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a, err := decodeBody(partVersion, first)
		if err != nil {
			return
		}
		if err := a.Twice(a); err == nil {
			t.Error("it was not counted twice")
		}
		b, err := decodeBody(partVersion, second)
		if err != nil {
			return
		}
		other, err := decodeBody(partVersion, second)
		if err != nil {
			t.Fatal(err)
		}
		mirror, err := decodeBody(partVersion, first)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Union(b); err != nil {
			return
		}
		if err := other.Union(mirror); err != nil {
			t.Fatalf("one way it adds up, the other way: %v", err)
		}
		if !bytes.Equal(encoded(a), encoded(other)) {
			t.Error("the order matters")
		}
		a.Summary()
		if n := len(a.fold().peers.table); n > mostOfPeers {
			t.Errorf("%d peers", n)
		}
	})
}
