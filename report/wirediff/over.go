package wirediff

import (
	"errors"
	"io"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/cuts"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// Over compares two schemas over a capture: each datagram is decoded under both, with what its flows hold, and a new
// packet is read when the last one is counted. The error is the source's: the score is of what came before it.
func Over(src scan.Source, a, b *decode.Decoder) (*cuts.Score, error) {
	c := cuts.New()
	var next *pcap.Datagram
	var first *decode.Trace
	inner := serial(b, func(p *scan.Packet) error {
		c.Add(&p.Envelope, first, p.Trace)
		return nil
	})
	outer := serial(a, func(p *scan.Packet) error { // a trace is valid until this returns
		first = p.Trace
		return inner.Take(next)
	})
	for {
		d, err := src.Next()
		if err == nil {
			next = d
			err = outer.Take(d)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return c.Score(), err
		}
	}
}

// serial decodes datagrams one by one.
func serial(d *decode.Decoder, take func(*scan.Packet) error) *scan.Serial[struct{}] {
	return scan.NewSerial(scan.Options{Decoders: scan.Always(d), Batched: -1}, scan.Stage[struct{}]{
		New:   func() func(*struct{}, *scan.Packet) { return func(*struct{}, *scan.Packet) {} },
		Drain: func(*struct{}) error { return nil },
		Large: take,
	})
}

// WorstOver are the worst verdicts about what a score is of: of B about what A accepts, and of A about what B does.
func WorstOver(s *cuts.Score) (old, new Verdict) {
	if s.Only[0] > 0 || !s.Alike() {
		old = Breaks
	}
	if s.Only[1] > 0 || !s.Alike() {
		new = Breaks
	}
	return old, new
}
