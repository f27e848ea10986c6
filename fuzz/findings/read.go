package findings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// Read reads the packets of a finding of a protocol from its JSON, or from the capture that a Dir keeps beside that,
// which alone has packets that hold a secret. The file may be a stranger's.
func Read(r io.Reader, s *schema.Schema) (*fuzz.Finding, error) {
	text, err := io.ReadAll(io.LimitReader(r, report.MaxFinding+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > report.MaxFinding:
		return nil, errors.New("is too large for a finding")
	case isJSON(text):
		if err := sameSection(text, s); err != nil {
			return nil, err
		}
		return report.ParseFinding(text)
	}
	var packets []decode.Packet
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
			return nil, fmt.Errorf("no finding, neither JSON nor a capture: %w", err)
		case len(packets) > fuzz.MaxBefore:
			return nil, fmt.Errorf("no finding: want at most %d packets", fuzz.MaxBefore+1)
		}
		packets = append(packets, decode.Packet{Data: bytes.Clone(d.Payload), From: senderOf(s, d.Src.Port(), d.Dst.Port())})
	}
}

// senderOf is who sent a packet of a Dir's capture, whose ports tell it also where the protocol has none.
func senderOf(s *schema.Schema, src, dst uint16) decode.Direction {
	if len(s.Ports) > 0 {
		return decode.DirectionOf(s, src, dst)
	}
	made := pcap.NewSynthetic(0)
	switch client, server := made.Client.Port(), made.Server.Port(); {
	case src == client && dst == server:
		return decode.Client
	case src == server && dst == client:
		return decode.Server
	}
	return decode.FromUnknown
}

// isJSON reports whether a text begins as an object does.
func isJSON(text []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) }

// sameSection says that a finding is not of what the schema reads: of a message by itself, of another one, or of packets.
// A finding that is saved within an audit does not say.
func sameSection(text []byte, s *schema.Schema) error {
	var of struct{ Protocol string }
	if json.Unmarshal(text, &of) != nil || of.Protocol == "" { // ParseFinding tells
		return nil
	}
	_, section, _ := strings.Cut(of.Protocol, ".")
	_, loaded, _ := strings.Cut(s.Name, ".")
	switch {
	case section == loaded:
		return nil
	case section == "":
		return errors.New("it is a finding of whole packets: leave out --section")
	}
	return fmt.Errorf("it is a finding of a message by itself: want --section %.64q", section)
}
