package scan

import (
	"errors"
	"runtime"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/flow"
)

// Options say how a scan decodes, and which packets it hands on.
type Options struct {
	File     string // the capture's name, for Envelopes
	Decoders *Decoders
	Filters  []*filter.Program // of each decoder, of which nil matches nothing; nil is no filter
	Only     Only
	// Workers is how many goroutines decode; 0 is one for each core. With 1 nothing is read ahead: each packet is
	// drained before the next is read. So it is, whatever Workers says, where a decoder's packets bring messages.
	Workers int
	// Batched is the size in bytes of the largest packet that workers render, where there is a Stage.Large; 0 is 8 KiB,
	// -1 says that all packets are for Large.
	Batched int
	Flow    flow.Limits // of what is kept of messages
	Records bool        // Packet.Records has the packets that each datagram came in
	Unread  bool        // the stage looks at no Trace; that of a packet that is accepted is of no packet
}

// Only is which packets are handed on.
type Only uint8

// All packets, those that were refused, or those with notes.
const (
	All Only = iota
	Rejects
	Notes
)

// DefaultBatched is the size in bytes of the largest packet that workers render, if the Options do not say.
const DefaultBatched = 8 << 10

// Stage is what is done with packets. Workers put what they make of them into batches of type B, which are drained in
// the order of the capture.
//
// A packet's trace is valid until the function that got it returns, all else of it until Drain of its batch returns.
type Stage[B any] struct {
	// New makes what a worker calls for each packet, with memory of its own. It is called once for each worker, before
	// anything is read.
	New func() func(*B, *Packet)
	// Drain takes a batch and leaves it empty, for it is used again. It is called for batches without packets, too; an
	// error ends the scan, batch.ErrStop without fault.
	Drain func(*B) error
	// Lost, if there is one, takes messages that were given up, of packets of the decoder: when one came, whether or not
	// it is handed on, after it; and at the end of the capture. The list is valid until it returns.
	Lost func(*B, *decode.Decoder, []flow.Lost)
	// Large, if there is one, takes a packet that is too large for a batch (Options.Batched), on Drain's goroutine and
	// in its turn. After one or more of them Run calls Drain with an empty batch.
	Large func(*Packet) error
}

// Run scans src to its end. The error is Drain's, Large's or the source's, and what was met until then is counted.
//
// Memory is bounded: no batch has more than 256 packets or much more than 16 KiB of payload, and there are 2×Workers+2
// of them on their way, of a source that waits 64 more that no worker has begun. Run leaves no goroutine after. It
// cannot interrupt a Source that waits: a Drain that returns an error, with more than one worker, ends that first.
func Run[B any](src Source, o Options, s Stage[B]) (Counts, error) {
	o.setBatched()
	var counts Counts
	r := &run[B]{src: src, options: &o, stage: s}
	waits := src.Waiting(r.send)
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var err error
	if workers == 1 && !(o.Workers == 0 && waits) || o.Decoders.Stateful() {
		one := NewSerial(o, s)
		err = one.scan(src)
		counts.Tally, counts.Strange = one.Tally(), one.judge.strange
	} else {
		err = r.parallel(workers, waits)
		counts.Tally, counts.Strange = r.tally, r.strange
	}
	if counts.Packets > 0 { // else they would depend on who decoded it
		counts.Strange = Flows{}
	}
	counts.capture(src.Counts())
	if errors.Is(err, batch.ErrStop) {
		err = nil
	}
	return counts, err
}

func (o *Options) setBatched() {
	if o.Batched == 0 {
		o.Batched = DefaultBatched
	}
}

// large reports whether a packet of so many bytes is for Large.
func (s *Stage[B]) large(size int, o *Options) bool { return s.Large != nil && size > o.Batched }
