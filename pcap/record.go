package pcap

import (
	"iter"
	"time"

	"github.com/google/gopacket"
)

// A Record is a packet as it was captured: what a datagram came in.
type Record struct {
	// N is its number in its source, from 1.
	N int64
	// Data is the packet from its link layer on.
	Data []byte
	// Info has its time, its length on the wire, and its interface.
	Info gopacket.CaptureInfo

	opts []byte // pcapng options of file, checked
	file *Reader
}

// Comments returns the comments on the packet, nil if there are none.
func (r *Record) Comments() []string {
	if r.file == nil {
		return nil
	}
	return r.file.comments(r.opts)
}

// Records iterates over the packets that the datagram yielded last came in, in
// the order of the capture: one, or all the fragments that it was made of
// (copies of a fragment are left out). They are valid until the next call of
// Next.
func (d *DatagramReader) Records() iter.Seq[*Record] {
	if d.records == nil {
		d.records = d.eachRecord // once: a scan asks for the records of each datagram
	}
	return d.records
}

func (d *DatagramReader) eachRecord(yield func(*Record) bool) {
	if d.frags.done != nil {
		for f := d.frags.done.arrived; f != nil; f = f.later {
			if !yield(&f.record) {
				return
			}
		}
	}
	if d.datagram.N > 0 {
		d.last = d.record() // a variable of this call would be allocated
		yield(&d.last)
	}
}

// record is the packet read last.
func (d *DatagramReader) record() Record {
	r := Record{N: d.datagram.N, Data: d.data, file: d.file, Info: gopacket.CaptureInfo{
		Timestamp:      time.Unix(0, d.datagram.Time),
		CaptureLength:  len(d.data),
		Length:         d.wire,
		InterfaceIndex: d.datagram.Interface,
	}}
	if r.file != nil {
		r.opts = r.file.opts
	}
	return r
}
