package selffuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
)

// Capture attacks the readers of capture files and the layers up to UDP: the input is a file, plain or compressed.
// Numbers and counts add up, payloads are as large as a datagram can be, what a plain file delivers lies within it, and
// it ends in io.EOF or in one line with a byte of the capture. interesting says that it held a datagram.
func Capture(file []byte) (bool, error) {
	reader := pcap.NewReader(bytes.NewReader(file))
	defer reader.Close()
	datagrams := pcap.NewDatagrams(reader)
	last, bytesOut := int64(0), 0
	plain := !compressed(file)
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
		case plain && bytesOut > len(file):
			return false, fmt.Errorf("%d bytes of payload in a file of %d", bytesOut, len(file))
		case len(dg.Payload) > pcap.MaxPacket:
			return false, fmt.Errorf("packet %d: payload of %d bytes", dg.N, len(dg.Payload))
		case cap(dg.Payload) != len(dg.Payload):
			return false, fmt.Errorf("packet %d: payload with room behind it", dg.N)
		case dg.Src.IsValid() && dg.Dst.IsValid() && dg.Src.Addr().BitLen() != dg.Dst.Addr().BitLen():
			return false, fmt.Errorf("packet %d: from %v to %v", dg.N, dg.Src, dg.Dst)
		}
		last = dg.N
	}
}

// compressed reports whether a file begins as gzip's or zstd's do.
func compressed(file []byte) bool {
	return bytes.HasPrefix(file, []byte{0x1f, 0x8b}) || bytes.HasPrefix(file, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(file) >= 4 && file[0]&0xf0 == 0x50 && bytes.Equal(file[1:4], []byte{0x2a, 0x4d, 0x18})
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
	if !errors.As(err, &format) || format.Offset < 0 || format.Compression == "" && format.Offset > int64(len(file)) {
		return fmt.Errorf("file of %d bytes ended with %q", len(file), err)
	}
	return oracle.Printable([]byte(err.Error()))
}
