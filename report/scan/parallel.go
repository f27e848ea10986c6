package scan

import "github.com/pktscope/pktscope/decode/batch"

// maxQueue is how many shipments of a source that waits can wait for workers: 16,384 packets or a megabyte of payload.
// When Drain stands still it is here that packets wait: of slow traffic the kernel's buffer holds no more than a
// second, because it closes a block for each 10 ms with a packet, however large it is.
const maxQueue = 64

// run is a scan on many goroutines: one reads, workers decode, the caller's drains.
type run[B any] struct {
	src     Source
	options *Options
	stage   Stage[B]
	tally   Tally
	judge   *judge  // of Drain's goroutine
	strange Flows   // of all judges, at the end
	free    chan *B // batches that were drained

	begun *shipment[B] // that is being filled; of the goroutine that reads
	times times        // of the same
	input *batch.Input[shipment[B]]
}

// parallel scans a source, which can wait.
func (r *run[B]) parallel(workers int, waits bool) error {
	r.judge, r.free = newJudge(r.options), make(chan *B, batch.Most(workers))
	judges, take := make([]*judge, workers), make([]func(*B, *Packet), workers)
	for i := range workers {
		judges[i], take[i] = newJudge(r.options), r.stage.New()
	}
	stages := batch.Stages[shipment[B]]{
		Feed: r.feed,
		Work: func(worker int, s *shipment[B]) {
			s.out = r.batch()
			if s.large {
				return
			}
			for i := range s.datagrams {
				if p := judges[worker].read(&s.datagrams[i], &s.tally); p != nil {
					take[worker](s.out, p)
				}
			}
		},
		Drain: r.take,
	}
	if waits {
		stages.Queue = maxQueue
	}
	err := batch.Run(workers, stages)
	for _, j := range append(judges, r.judge) {
		r.strange.join(&j.strange)
	}
	return err
}

// feed fills shipments until the source ends or nobody wants more.
func (r *run[B]) feed(in *batch.Input[shipment[B]]) error {
	r.input = in
	for {
		d, err := r.src.Next()
		if err != nil {
			r.send()
			return err
		}
		large := r.stage.large(len(d.Payload), r.options)
		if r.begun != nil && r.begun.large != large {
			r.send()
		}
		if r.begun == nil && !r.begin(large) {
			return nil
		}
		r.begun.add(d, r.src, r.options)
		r.times.tell(&r.begun.datagrams[len(r.begun.datagrams)-1].Envelope)
		if r.begun.full() {
			r.send()
		}
	}
}

// begin begins a shipment: the last one if it has room and no worker was faster, else an empty one. False says that
// nobody wants it.
func (r *run[B]) begin(large bool) bool {
	if r.begun = r.input.Again(func(s *shipment[B]) bool { return s.large == large && !s.full() }); r.begun != nil {
		return true
	}
	if r.begun = r.input.Next(); r.begun == nil {
		return false
	}
	r.begun.reset()
	r.begun.large = large
	return true
}

// send passes on the shipment that is begun, if any.
func (r *run[B]) send() {
	if r.begun != nil {
		r.begun = nil
		r.input.Send()
	}
}

// batch is an empty batch.
func (r *run[B]) batch() *B {
	select {
	case b := <-r.free:
		return b
	default:
		return new(B)
	}
}

// take drains a shipment.
func (r *run[B]) take(s *shipment[B]) error {
	if s.large {
		for i := range s.datagrams {
			if p := r.judge.read(&s.datagrams[i], &r.tally); p != nil {
				if err := r.stage.Large(p); err != nil {
					return err
				}
			}
		}
	}
	r.tally.add(&s.tally)
	if err := r.stage.Drain(s.out); err != nil {
		return err
	}
	r.free <- s.out
	s.out = nil
	return nil
}
