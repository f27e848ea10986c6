package scan

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
)

// The bounds of a shipment. Rendering multiplies it: a packet of nothing but bools takes 125 bytes of JSON for each of
// its own, so that a batch comes to 4 MB at worst.
const (
	shipmentBytes   = 16 << 10 // of payload, with what the last packet adds
	shipmentPackets = 256
	keptBytes       = 1 << 20 // a buffer that grew beyond this is given back
)

// shipment is datagrams on their way from the source to a worker, with copies of their payloads, and from there to
// Drain with what the worker made of them.
type shipment[B any] struct {
	datagrams []datagram
	payloads  []byte
	records   []pcap.Record           // with Options.Records
	frames    []byte                  // what they refer to
	keep      func(*pcap.Record) bool // addRecord, bound once: for each datagram it would be allocated
	large     bool                    // it is for Large
	tally     Tally
	out       *B
}

// datagram is a datagram of a shipment.
type datagram struct {
	decode.Envelope
	data    []byte
	size    int // bytes that were sent
	records []pcap.Record
}

func (s *shipment[B]) reset() {
	if cap(s.frames) > keptBytes {
		s.frames = nil
	}
	s.datagrams, s.payloads, s.records, s.frames = s.datagrams[:0], s.payloads[:0], s.records[:0], s.frames[:0]
	s.tally, s.large = Tally{}, false
}

// full reports whether it takes no more.
func (s *shipment[B]) full() bool {
	return len(s.payloads) >= shipmentBytes || len(s.datagrams) >= shipmentPackets
}

// add copies a datagram, and the packets that it came in if they are asked for.
func (s *shipment[B]) add(d *pcap.Datagram, src Source, o *Options) {
	start := len(s.payloads)
	s.payloads = append(s.payloads, d.Payload...)
	n := len(s.datagrams)
	if n == cap(s.datagrams) {
		s.datagrams = append(s.datagrams, datagram{})
	} else {
		s.datagrams = s.datagrams[:n+1]
	}
	// Field by field: a literal is made elsewhere and copied, which takes as long as to read the packet.
	to := &s.datagrams[n]
	to.N, to.File, to.Time, to.Src, to.Dst, to.Cut = d.N, o.File, d.Time, d.Src, d.Dst, d.Cut
	to.LengthMismatch, to.OddTime, to.Timed, to.OverMTU, to.Merged = d.LengthMismatch, d.OddTime, d.Timed, d.OverMTU, 0
	to.data, to.size, to.records = s.payloads[start:len(s.payloads):len(s.payloads)], d.Size, nil
	if !o.Records {
		return
	}
	if s.keep == nil {
		s.keep = s.addRecord
	}
	first := len(s.records)
	src.Records()(s.keep)
	s.datagrams[len(s.datagrams)-1].records = s.records[first:len(s.records):len(s.records)]
}

// addRecord copies a packet that a datagram came in.
func (s *shipment[B]) addRecord(one *pcap.Record) bool {
	start := len(s.frames)
	s.frames = append(s.frames, one.Data...)
	s.records = append(s.records, *one)
	s.records[len(s.records)-1].Data = s.frames[start:len(s.frames):len(s.frames)]
	return true
}
