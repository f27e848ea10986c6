package scan

import (
	"errors"
	"io"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/pcap"
)

// Serial is a scan on the caller's goroutine, of datagrams that the caller has one by one. Not for two goroutines at
// once.
type Serial[B any] struct {
	options *Options
	stage   Stage[B]
	judge   *judge
	take    func(*B, *Packet)
	batch   B
	tally   Tally
	times   times
}

// NewSerial begins a scan. Of the options it needs no Workers.
func NewSerial[B any](o Options, s Stage[B]) *Serial[B] {
	o.setBatched()
	return &Serial[B]{options: &o, stage: s, judge: newJudge(&o), take: s.New()}
}

// Take decodes and drains a datagram, which came in the packets that records has, if they are wanted. The error is that
// of Drain or Large, batch.ErrStop included.
func (s *Serial[B]) Take(from *pcap.Datagram, records ...pcap.Record) error {
	d := datagram{Envelope: envelope(from, s.options.File), data: from.Payload, size: from.Size, records: records}
	s.times.tell(&d.Envelope)
	p := s.judge.read(&d, &s.tally)
	switch {
	case p == nil:
	case s.stage.large(len(d.data)+p.sizeOfMessages(), s.options):
		if err := s.stage.Large(p); err != nil {
			return err
		}
	default:
		s.take(&s.batch, p)
	}
	if lost := s.lost(s.judge.lost()); p == nil && !lost {
		return nil
	}
	return s.stage.Drain(&s.batch)
}

// lost tells the stage of messages that were given up, and reports whether it took any.
func (s *Serial[B]) lost(d *decode.Decoder, list []flow.Lost) bool {
	if s.stage.Lost == nil || len(list) == 0 {
		return false
	}
	s.stage.Lost(&s.batch, d, list)
	return true
}

// Tally is what was met until now.
func (s *Serial[B]) Tally() Tally {
	t := s.tally
	t.Messages = s.judge.messages()
	return t
}

// scan takes all datagrams of a source.
func (s *Serial[B]) scan(src Source) error {
	var records []pcap.Record
	for {
		d, err := src.Next()
		if errors.Is(err, io.EOF) {
			lost := false
			s.judge.end(func(d *decode.Decoder, list []flow.Lost) { lost = s.lost(d, list) || lost })
			if !lost {
				return nil
			}
			return s.stage.Drain(&s.batch)
		}
		if err != nil {
			return err
		}
		if s.options.Records {
			records = records[:0]
			for one := range src.Records() {
				records = append(records, *one)
			}
		}
		if err := s.Take(d, records...); err != nil {
			return err
		}
	}
}
