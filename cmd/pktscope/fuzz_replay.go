package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// replayed reads what --replay names: a finding's JSON, or the capture that --findings keeps beside it, which alone has the
// packets that hold a secret. The file may be a stranger's.
func replayed(text []byte, s *schema.Schema) (*fuzz.Finding, error) {
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return report.ParseFinding(text)
	}
	var packets []fuzz.Base
	datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(text)))
	for {
		d, err := datagrams.Next()
		switch {
		case err == io.EOF && len(packets) == 0:
			return nil, errors.New("no finding: a capture without a datagram")
		case err == io.EOF:
			last := packets[len(packets)-1]
			return &fuzz.Finding{Packet: last.Data, From: last.From, Before: packets[:len(packets)-1]}, nil
		case err != nil:
			return nil, fmt.Errorf("no finding, neither JSON nor a capture: %s", reason(err))
		case len(packets) > fuzz.MaxBefore:
			return nil, fmt.Errorf("no finding: want at most %d packets", fuzz.MaxBefore+1)
		}
		packets = append(packets, fuzz.Base{Data: bytes.Clone(d.Payload), From: madeSender(s, d.Src.Port(), d.Dst.Port())})
	}
}

// madeSender is who sent a packet of a made capture, whose ports tell it also where the protocol has none.
func madeSender(s *schema.Schema, src, dst uint16) decode.Direction {
	if len(s.Ports) > 0 {
		return decode.DirectionOf(s, src, dst)
	}
	switch {
	case src == madeClient && dst == madePort:
		return decode.Client
	case src == madePort && dst == madeClient:
		return decode.Server
	}
	return decode.FromUnknown
}
