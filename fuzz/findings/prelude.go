package findings

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// maxPrelude bounds the packets of a prelude.
const maxPrelude = 1 << 13

// ReadPrelude reads packets that come before an attack on a server: those of a finding's JSON, lines of hexadecimal, of
// which
// # begins a comment, or of a capture what clients sent. reader is for the capture.
func ReadPrelude(r io.Reader, s *schema.Schema, reader *pcap.Reader) ([][]byte, error) {
	in := bufio.NewReader(r)
	head, err := in.Peek(16)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var packets [][]byte
	if isText(head) {
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(in, report.MaxFinding+1)); err == nil && len(text) > report.MaxFinding {
			err = fmt.Errorf("want at most %d bytes", report.MaxFinding)
		}
		if err == nil {
			packets, err = textPackets(text)
		}
	} else {
		reader.Reset(in)
		packets, err = clientPackets(pcap.NewDatagrams(reader), s)
	}
	if err == nil && (len(packets) == 0 || len(packets) > maxPrelude) {
		err = fmt.Errorf("it has %d packets: want 1..%d", len(packets), maxPrelude)
	}
	return packets, err
}

// isText reports whether a file that begins so is one of text: captures have other bytes at once, packed or not.
func isText(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n")
	return len(text) > 0 && strings.IndexByte("{#0123456789abcdefABCDEF", text[0]) >= 0 && !bytes.ContainsAny(text, "\x00\x01\x02\x8b\xd4\xc3")
}

// textPackets are the packets of a finding's JSON, or of lines of hexadecimal; # begins a comment.
func textPackets(text []byte) ([][]byte, error) {
	var packets [][]byte
	if isJSON(text) {
		f, err := report.ParseFinding(text)
		if err != nil {
			return nil, err
		}
		if f.Packet == nil {
			return nil, errors.New("it is a finding in a state of a dialogue: fuzz --replay speaks it again")
		}
		for _, b := range f.Before {
			packets = append(packets, b.Data)
		}
		return append(packets, f.Packet), nil
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		data, err := corpus.ParseHex(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		packets = append(packets, data)
	}
	return packets, nil
}

// clientPackets are what clients sent in a capture, in order: at most one more than there may be.
func clientPackets(datagrams *pcap.DatagramReader, s *schema.Schema) (packets [][]byte, err error) {
	for len(packets) <= maxPrelude {
		from, err := datagrams.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if decode.DirectionOf(s, from.Src.Port(), from.Dst.Port()) != decode.Server {
			packets = append(packets, bytes.Clone(from.Payload))
		}
	}
	return packets, nil
}
