package diff

import (
	"hash/maphash"

	"github.com/pktscope/pktscope/report/scan"
)

// Indexed is a datagram on its way to its Capture.
type Indexed struct {
	flow     Flow
	record   Record
	modulus  uint64
	numbered bool
	messages []Message
	unread   int
}

// Stage adds the packets of a scan.
func (c *Capture) Stage() scan.Stage[[]Indexed] {
	seed := c.ends.seed
	return scan.Stage[[]Indexed]{
		New: func() func(*[]Indexed, *scan.Packet) {
			return func(b *[]Indexed, p *scan.Packet) {
				one := Indexed{flow: Flow{Src: p.Src, Dst: p.Dst, From: p.From, Protocol: p.Which()}}
				one.record = Record{Hash: maphash.Bytes(seed, p.Payload), Size: uint16(len(p.Payload)), Cut: p.Cut}
				one.record.Seq, one.modulus, one.numbered = Sequence(p.Trace)
				messages, left := p.Messages()
				one.unread = left
				for i := range messages {
					if m := &messages[i]; m.Trace != nil {
						data := m.Trace.Payload
						one.messages = append(one.messages, Message{N: p.N, Hash: maphash.Bytes(seed, data), Size: int32(len(data)), Section: int32(m.Section)})
					}
				}
				*b = append(*b, one)
			}
		},
		Drain: func(b *[]Indexed) error {
			for i := range *b {
				one := &(*b)[i]
				if err := c.Add(one.flow, one.record, one.modulus, one.numbered); err != nil {
					return err
				}
				for _, m := range one.messages {
					c.AddMessage(one.flow, m)
				}
				c.unread += one.unread
			}
			*b = (*b)[:0]
			return nil
		},
	}
}
