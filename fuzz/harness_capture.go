package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pktscope/pktscope/pcap"
)

// Capture attacks the readers of capture files and the layers up to UDP: the input is a file. What is delivered lies
// within it, numbers and counts add up, and it ends in io.EOF or in one line with a byte of the file. interesting says
// that it held a datagram.
func Capture(file []byte) (bool, error) {
	datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file)))
	last, bytesOut := int64(0), 0
	for {
		dg, err := datagrams.Next()
		if err != nil {
			counts := datagrams.Counts()
			return counts.Datagrams > 0, captureEnd(file, counts, err)
		}
		bytesOut += len(dg.Payload)
		switch {
		case dg.N <= last:
			return false, fmt.Errorf("packet %d after packet %d", dg.N, last)
		case bytesOut > len(file):
			return false, fmt.Errorf("%d bytes of payload in a file of %d", bytesOut, len(file))
		case len(dg.Payload) > 65527 || len(dg.Payload)+28 > dg.WireLen:
			return false, fmt.Errorf("packet %d: payload of %d bytes in a packet of %d", dg.N, len(dg.Payload), dg.WireLen)
		case cap(dg.Payload) != len(dg.Payload):
			return false, fmt.Errorf("packet %d: payload with room behind it", dg.N)
		case !dg.Src.IsValid() || !dg.Dst.IsValid() || dg.Src.Addr().BitLen() != dg.Dst.Addr().BitLen():
			return false, fmt.Errorf("packet %d: from %v to %v", dg.N, dg.Src, dg.Dst)
		}
		last = dg.N
	}
}

// captureEnd judges how a file ended.
func captureEnd(file []byte, counts pcap.Counts, err error) error {
	skipped := uint64(0)
	for _, n := range counts.All() {
		skipped += n
	}
	if counts.Datagrams+skipped != counts.Packets || counts.Skipped() != skipped {
		return fmt.Errorf("%d packets, %d datagrams, %d skipped", counts.Packets, counts.Datagrams, skipped)
	}
	if err == io.EOF {
		return nil
	}
	var format *pcap.FormatError
	if !errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(len(file)) {
		return fmt.Errorf("file of %d bytes ended with %q", len(file), err)
	}
	return printable([]byte(err.Error()))
}
