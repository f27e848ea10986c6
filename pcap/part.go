package pcap

import (
	"fmt"
	"io"
	"time"
)

// A Part is a piece of a capture file that a Reader reads by itself (ResetPart), as if it had read all before it. Where
// a record begins is never guessed, because a packet can hold whole records: Cut finds the parts of a file.
type Part struct {
	From, To int64 // the bytes of its records; From ≤ To
	Base     int64 // records before From, of those that have a number

	// A datagram in fragments belongs to the part that has the last one. So reading begins earlier, at Warm, with record
	// WarmBase+1, and what is whole before From is passed over: the records of 2 s and of 64 KiB, of 8 MiB at most.
	Warm, WarmBase int64
	// Head is what has to be read before Warm: of classic pcap its header; of pcapng the section's header and its
	// interfaces, up to there. Empty for a part that begins with the file.
	Head []byte
}

// Bounds of a Part.
const (
	MaxHead   = 64 << 10        // bytes of Head
	warmBytes = 8 << 20         // From - Warm, at most
	warmLeast = 64 << 10        // From - Warm, at least, where the file has so many
	warmTime  = 2 * time.Second // between the records at Warm and before From, at least, within warmBytes
	warmStep  = warmBytes / 256 // bytes between places where Warm can be, at least
	smallPart = 1 << 10         // bytes of a part, at least
)

// ResetPart makes the Reader read a part. src has the bytes of the file from p.Warm to p.To.
func (r *Reader) ResetPart(src io.Reader, p *Part) {
	r.Reset(&headed{head: p.Head, rest: src})
	r.in.off = p.Warm - int64(len(p.Head))
	r.packets, r.delivered = p.WarmBase, 0
	r.part = p
}

// headed reads a head and then the rest, without putting both into one Read.
type headed struct {
	head []byte
	rest io.Reader
}

func (h *headed) Read(b []byte) (int, error) {
	if len(h.head) == 0 {
		return h.rest.Read(b)
	}
	n := copy(b, h.head)
	h.head = h.head[n:]
	return n, nil
}

// warm reports whether the packet read last is before the part.
func (r *Reader) warm() bool { return r.part != nil && r.in.off <= r.part.From }

// placed checks the packet read last, which began at an offset or later, after so many packets, against the part: its
// records begin at From, with the right number.
func (r *Reader) placed(before, packets int64) error {
	p := r.part
	before = max(before, p.Warm) // where the head ends
	switch {
	case before > p.From, before == p.From && packets == p.Base, r.in.off < p.From, r.in.off == p.From && r.packets == p.Base:
		return nil
	}
	return &FormatError{Offset: p.From, kind: ErrMalformed, Reason: fmt.Sprintf("no packet %d begins here: the file is not what its parts were made of", p.Base+1)}
}

// Cut cuts a capture into parts of about so many bytes, 1 KiB at least, and hands each to take. src is the file, of
// total bytes. A compressed capture is one part. The error is take's, or why the capture cannot be read to its end; then
// the last part goes to the end of the file nevertheless. Cut holds the Reader's buffer and 256 places.
func Cut(src io.Reader, total, size int64, take func(Part) error) error {
	size = max(size, smallPart)
	r := NewReader(src)
	r.keepsHead = true
	marks := []mark{{}}
	begin, next := Part{}, size
	for {
		_, ci, err := r.ZeroCopyReadPacketData()
		if err != nil {
			begin.To = total
			if taken := take(begin); taken != nil {
				return taken
			}
			if err == io.EOF {
				err = nil
			}
			return err
		}
		if r.compression != uncompressed {
			return take(Part{To: total})
		}
		here := mark{r.in.off, r.packets, ci.Timestamp.UnixNano(), r.head[:len(r.head):len(r.head)]}
		if here.at >= next && here.at < total {
			if w := warmest(marks, here); len(w.head) <= MaxHead {
				begin.To = here.at
				if err := take(begin); err != nil {
					return err
				}
				begin = Part{From: here.at, Base: here.n, Warm: w.at, WarmBase: w.n, Head: w.head}
				next = here.at/size*size + size
			}
		}
		if here.at-marks[len(marks)-1].at >= warmStep {
			if len(marks) > warmBytes/warmStep {
				marks = marks[:copy(marks, marks[1:])]
			}
			marks = append(marks, here)
		}
	}
}

// mark is a place after a record: its offset, the record's number and time, and the head of what comes.
type mark struct {
	at, n, time int64
	head        []byte
}

// warmest is the mark where reading begins: the last one that is warmTime and warmLeast before, as far as warmBytes
// reach. Clocks may jump, or differ by interface, so that time alone does not say what is near.
func warmest(marks []mark, here mark) mark {
	found := here
	for i := len(marks) - 1; i >= 0 && here.at-marks[i].at <= warmBytes; i-- {
		found = marks[i]
		if here.at-found.at >= warmLeast && uint64(here.time)-uint64(found.time) >= uint64(warmTime) {
			break
		}
	}
	return found
}
