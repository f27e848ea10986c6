package scan

import (
	"iter"

	"github.com/pktscope/pktscope/pcap"
)

// Source yields the datagrams of a capture: a file, stdin or an interface.
type Source interface {
	// Next returns the next datagram, valid until the next call; io.EOF at the end. An error ends the scan: what came
	// before it is drained first.
	Next() (*pcap.Datagram, error)
	// Records are the packets that the datagram came in, valid until the next call of Next.
	Records() iter.Seq[*pcap.Record]
	// Waiting has Next call send whenever it has returned what there is and is about to wait for more, so that nothing
	// waits with it. It is called once, before Next, and reports whether that can happen: a source that waits is read
	// ahead further.
	Waiting(send func()) bool
	// Counts is what was met so far.
	Counts() pcap.Counts
}

// Datagrams is the Source of a pcap.PacketSource: a pcap.Reader, or a live.Source, which waits.
type Datagrams struct {
	*pcap.DatagramReader
	src pcap.PacketSource
}

// From makes the Source of src.
func From(src pcap.PacketSource) *Datagrams { return &Datagrams{pcap.NewDatagrams(src), src} }

// Waiting has send called when src is idle.
func (d *Datagrams) Waiting(send func()) bool {
	idle, ok := d.src.(interface{ OnIdle(f func()) })
	if ok {
		idle.OnIdle(send)
	}
	return ok
}
