package main

import (
	"errors"
	"runtime"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/pcap"
)

// The size of a batch. Rendering multiplies it: a packet of nothing but bools takes 125 bytes of JSON for each of its own,
// so that a batch comes to 4 MB at worst. A larger packet is not batched but rendered by the drain, one at a time.
const (
	batchBytes   = 16 << 10
	batchPackets = 256
	largePacket  = 8 << 10
	keepOutput   = 1 << 20 // a batch's buffer that grew beyond this is given back
)

// shipment is a batch of datagrams with copies of their payloads, and what is shown of them.
type shipment struct {
	datagrams []pcap.Datagram
	payloads  []byte
	out       []byte
	shown     int64
	counts    counts
	large     bool // one large packet, which the drain renders
}

func (s *shipment) reset() {
	if cap(s.out) > keepOutput {
		s.out = nil
	}
	s.datagrams, s.payloads, s.out = s.datagrams[:0], s.payloads[:0], s.out[:0]
	s.shown, s.counts, s.large = 0, counts{}, false
}

func (s *shipment) add(d *pcap.Datagram) {
	start := len(s.payloads)
	s.payloads = append(s.payloads, d.Payload...)
	c := *d
	c.Payload = s.payloads[start:len(s.payloads):len(s.payloads)]
	s.datagrams = append(s.datagrams, c)
}

// parallel reports whether a capture is worth all cores: not one that arrives bit by bit, nor one of which a few packets
// are wanted, nor dumps, which are for eyes and take 600 bytes for one of a packet's,
// nor one that -w writes as it is read.
func (v *view) parallel(name string) bool {
	return name != "-" && v.flags.count == 0 && !v.flags.bits && !v.flags.flush && v.save == nil && runtime.GOMAXPROCS(0) > 1
}

// pipeline is capture on all cores: reading, decoding with rendering, and writing are three stages, and what is written is
// in the order of the capture.
func (v *view) pipeline(src pcap.PacketSource, name string) (done bool, err error) {
	datagrams := pcap.NewDatagrams(src)
	defer func() { v.captures.skip(datagrams.Counts()) }()
	workers := runtime.GOMAXPROCS(0)
	viewers := make([]*viewer, workers)
	for i := range viewers {
		viewers[i] = v.spec.newViewer()
	}
	filler := filler{src: datagrams}
	var write *writeError
	err = batch.Run(workers, batch.Stages[shipment]{
		Fill: filler.fill,
		Work: func(worker int, s *shipment) {
			if s.large {
				return
			}
			w := viewers[worker]
			for i := range s.datagrams {
				if pv := w.judge(&s.datagrams[i], name, &s.counts); pv != nil {
					s.out = w.append(s.out, pv)
					s.shown++
				}
			}
		},
		Drain: func(s *shipment) error {
			if s.large {
				if _, err := v.datagram(&s.datagrams[0], name); err != nil {
					return &writeError{err}
				}
				return nil
			}
			v.counts.merge(&s.counts)
			v.shown += s.shown
			if len(s.out) == 0 {
				return nil
			}
			if _, err := v.out.Write(s.out); err != nil {
				return &writeError{err}
			}
			return nil
		},
	})
	if errors.As(err, &write) {
		return false, write
	}
	return false, err
}

// filler puts datagrams into shipments.
type filler struct {
	src  *pcap.Datagrams
	held *pcap.Datagram // a large one, for the next shipment; valid until src is asked again
}

func (f *filler) fill(s *shipment) error {
	s.reset()
	if f.held != nil {
		s.add(f.held)
		s.large, f.held = true, nil
		return nil
	}
	for len(s.payloads) < batchBytes && len(s.datagrams) < batchPackets {
		d, err := f.src.Next()
		if err != nil {
			return err
		}
		if len(d.Payload) <= largePacket {
			s.add(d)
			continue
		}
		if len(s.datagrams) > 0 {
			f.held = d
			return nil
		}
		s.add(d)
		s.large = true
		return nil
	}
	return nil
}
