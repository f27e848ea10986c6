package main

import (
	"io"
	"runtime"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/stats"
)

// Live on all cores: one goroutine gathers datagrams into parcels, workers decode and render them, and the parcels are
// shown, counted and saved in the order in which they came. A parcel leaves when it is full, or when nothing more is there
// at the moment: what comes alone is shown alone.

// parcel is a shipment from an interface: with what --stats counts of it and what -w may write.
type parcel struct {
	shipment
	taken   stats.Batch
	serial  bool          // it is not for workers: the drain decodes it, one datagram after the other
	keep    []bool        // with -w: which datagrams are to be saved
	records []pcap.Record // with -w: the packets that they came in, and where those of each end
	ends    []int
	frames  []byte // what records refer to
}

func (s *parcel) reset() {
	s.shipment.reset()
	s.taken.Reset()
	if cap(s.frames) > keepOutput {
		s.frames = nil
	}
	s.serial, s.keep, s.records, s.ends, s.frames = false, s.keep[:0], s.records[:0], s.ends[:0], s.frames[:0]
}

// addRecords copies the packets of the datagram that was added last.
func (s *parcel) addRecords(from *pcap.Datagrams) {
	for one := range from.Records() {
		start := len(s.frames)
		s.frames = append(s.frames, one.Data...)
		c := *one
		c.Data = s.frames[start:len(s.frames):len(s.frames)]
		s.records = append(s.records, c)
	}
	s.ends = append(s.ends, len(s.records))
}

// full reports whether it takes no more.
func (s *parcel) full() bool {
	return s.large || len(s.payloads) >= batchBytes || len(s.datagrams) >= batchPackets
}

// recordsOf are the packets of a datagram, by its number in the parcel.
func (s *parcel) recordsOf(i int) []pcap.Record {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.records[from:s.ends[i]]
}

// serial reports whether one datagram has to be shown before the next is judged: where a number of them ends the run, a
// size of the file does, or a view is too large to be kept for many.
func (r *capturing) serial() bool {
	f := r.view.flags
	return f.count > 0 || f.bits || r.stopAt.bytes > 0
}

// gatherer is the goroutine that reads.
type gatherer struct {
	run    *capturing
	queue  *parcelQueue
	now    *parcel       // nil for none begun
	done   chan struct{} // closed when it has ended
	ended  error         // then: why
	counts pcap.Counts
}

func newGatherer(r *capturing) *gatherer {
	g := &gatherer{run: r, queue: newParcelQueue(), done: make(chan struct{})}
	r.src.OnIdle(func() { g.hand() }) // when nobody wants it the source is closed
	return g
}

// gather reads until the source ends, the number of -a is reached, or nobody takes parcels any more.
func (g *gatherer) gather() {
	defer close(g.done)
	datagrams := pcap.NewDatagrams(g.run.src)
	g.ended = g.all(datagrams)
	g.hand()
	g.counts = datagrams.Counts()
	g.queue.close()
}

func (g *gatherer) all(datagrams *pcap.Datagrams) error {
	r, saving := g.run, g.run.view.save != nil
	for taken := int64(0); ; {
		d, err := datagrams.Next()
		if err != nil {
			return err
		}
		if !r.filter.Match(d.Src, d.Dst) {
			continue // a fragment of something else, which the kernel could not tell
		}
		large := len(d.Payload) > largePacket
		if large && !g.hand() {
			return io.EOF
		}
		switch {
		case g.now != nil:
		case large:
			g.now = &parcel{}
		default:
			g.now = g.queue.next()
		}
		g.now.add(d)
		g.now.large, g.now.serial = large, large || r.serial()
		if saving {
			g.now.addRecords(datagrams)
		}
		if taken++; taken == r.stopAt.packets {
			return io.EOF
		}
		if g.now.full() && !g.hand() {
			return io.EOF
		}
	}
}

// hand passes the parcel on, if one is begun; false says that nobody wants it.
func (g *gatherer) hand() bool {
	p := g.now
	g.now = nil
	return p == nil || g.queue.put(p)
}

// fill exchanges a parcel that is done with for the next.
func (g *gatherer) fill(s *parcel) error {
	if !g.queue.take(s) {
		s.reset()
		<-g.done
		return g.ended
	}
	return nil
}

// worker decodes parcels, in memory of its own.
type liveWorker struct {
	viewer   *viewer
	samplers map[*plan.Plan]*stats.Sampler // with --stats
}

func (r *capturing) newWorker() *liveWorker {
	w := &liveWorker{viewer: r.view.spec.newViewer()}
	if r.board != nil {
		w.samplers = newSamplers(r.view)
	}
	return w
}

func (w *liveWorker) work(r *capturing, s *parcel) {
	if s.serial {
		return
	}
	for i := range s.datagrams {
		d := &s.datagrams[i]
		pv := w.viewer.judge(d, "", &s.counts)
		if r.view.save != nil {
			s.keep = append(s.keep, pv != nil)
		}
		switch {
		case pv == nil:
			continue
		case w.samplers != nil:
			addSample(w.samplers, &s.taken, d, pv, &w.viewer.trace)
		case !r.view.silent:
			s.out = w.viewer.append(s.out, pv)
		}
		s.shown++
	}
}

// capture shows what comes until the source ends or enough was shown.
func (r *capturing) capture() error {
	g := newGatherer(r)
	go g.gather()
	workers := make([]*liveWorker, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = r.newWorker()
	}
	err := batch.Run(len(workers), batch.Stages[parcel]{
		Fill: g.fill,
		Work: func(worker int, s *parcel) { workers[worker].work(r, s) },
		Drain: func(s *parcel) error {
			done, err := r.take(s)
			if err == nil && done {
				err = batch.ErrStop
			}
			if err != nil {
				_ = r.src.Close() // wakes the gatherer, for which the run waits
			}
			return err
		},
	})
	g.queue.abandon()
	<-g.done
	r.view.captures.skip(g.counts)
	return err
}

// take shows, counts and saves a parcel; done says that -c, or a size of -a, is reached. The error is the output's.
func (r *capturing) take(s *parcel) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.view
	if s.serial {
		for i := 0; i < len(s.datagrams) && !done && err == nil; i++ {
			done, err = r.one(s, i)
		}
	} else {
		err = r.many(s)
	}
	if err == nil && v.save != nil && v.save.path == "" {
		err = v.save.flush()
	}
	if err == nil && r.board == nil {
		err = v.out.Flush() // somebody may be watching
	}
	return done, asWrite(err)
}

// many takes a parcel that workers have decoded.
func (r *capturing) many(s *parcel) error {
	v := r.view
	v.counts.merge(&s.counts)
	v.shown += s.shown
	if r.board != nil {
		r.board.take(&s.taken)
	} else if _, err := v.out.Write(s.out); err != nil {
		return err
	}
	for i, keep := range s.keep {
		if !keep {
			continue
		}
		if err := v.save.addRecords(r.src, s.recordsOf(i)); err != nil {
			return err
		}
	}
	return nil
}

// one takes one datagram of a parcel that is still to be decoded.
func (r *capturing) one(s *parcel, i int) (done bool, err error) {
	v := r.view
	shown := v.shown
	if r.board != nil {
		done = r.board.datagram(&s.datagrams[i])
	} else if done, err = v.datagram(&s.datagrams[i], ""); err != nil {
		return false, err
	}
	if v.save == nil || v.shown == shown {
		return done, nil
	}
	if err := v.save.addRecords(r.src, s.recordsOf(i)); err != nil {
		return false, err
	}
	return done || r.stopAt.bytes > 0 && v.save.size() >= r.stopAt.bytes, nil
}
