package selffuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pktscope/pktscope/pcap"
)

// Layers attacks the way from a link layer to UDP: the input is uint16 link type, uint16 how many bytes of the packet a
// second capture kept, and the packet. A datagram's payload lies in its packet. A capture that kept less never tells
// something else: the same addresses and size, and a beginning of the payload. interesting says that there is a
// datagram.
func Layers(data []byte) (bool, error) {
	if len(data) < 4 {
		return false, nil
	}
	link := pcap.LinkType(binary.LittleEndian.Uint16(data))
	packet := data[4:]
	keep := int(binary.LittleEndian.Uint16(data[2:])) % (len(packet) + 1)
	whole, err := oneDatagram(link, packet, len(packet))
	if err != nil {
		return false, err
	}
	cut, err := oneDatagram(link, packet[:keep], len(packet))
	if err != nil {
		return false, err
	}
	switch {
	case whole != nil && !bytes.Contains(packet, whole.Payload):
		return false, fmt.Errorf("%v: payload %x is not in its packet %x", link, whole.Payload, packet)
	case whole != nil && whole.Cut:
		return false, fmt.Errorf("%v: %x: cut, though all was captured", link, packet)
	case cut == nil:
	case whole == nil:
		return false, fmt.Errorf("%v: %x has no datagram, its first %d bytes have one", link, packet, keep)
	case cut.Src != whole.Src || cut.Dst != whole.Dst || cut.Size != whole.Size || !bytes.HasPrefix(whole.Payload, cut.Payload) ||
		cut.Cut != (len(cut.Payload) < len(whole.Payload)):
		return false, fmt.Errorf("%v: %x is %+v, its first %d bytes are %+v", link, packet, whole, keep, cut)
	}
	return whole != nil, nil
}

// oneDatagram is the datagram of a capture of one packet, nil where there is none.
func oneDatagram(link pcap.LinkType, kept []byte, size int) (*pcap.Datagram, error) {
	file := captureOf(link)
	file.add(0, kept, size)
	d := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file)))
	dg, err := d.Next()
	if err != nil {
		counts := d.Counts()
		if err != io.EOF || counts.Packets != 1 || counts.Skipped() != 1 {
			return nil, fmt.Errorf("%v: %x: %w, %d packets, %d skipped", link, kept, err, counts.Packets, counts.Skipped())
		}
		return nil, nil
	}
	if dg.Size < len(dg.Payload) || dg.N != 1 || dg.Src.Addr().Zone() != "" {
		return nil, fmt.Errorf("%v: %x: %+v", link, kept, dg)
	}
	copied := *dg
	copied.Payload = bytes.Clone(dg.Payload)
	if again, err := d.Next(); err != io.EOF {
		return nil, errors.Join(fmt.Errorf("%v: %x: a second datagram: %+v", link, kept, again), err)
	}
	return &copied, nil
}

// capture is a pcap file that is being written: with nanoseconds, little-endian.
type capture []byte

func captureOf(link pcap.LinkType) capture {
	file := binary.LittleEndian.AppendUint32(nil, 0xa1b23c4d)
	file = append(file, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	file = binary.LittleEndian.AppendUint32(file, pcap.MaxPacket)
	return binary.LittleEndian.AppendUint32(file, uint32(link))
}

// add adds a packet of size bytes of which some were kept, at a time in seconds.
func (c *capture) add(second uint32, kept []byte, size int) {
	b := binary.LittleEndian.AppendUint32(*c, second)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(kept)))
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	*c = append(b, kept...)
}

// LayersSeed makes the input of Layers that is a packet of which a second capture kept some.
func LayersSeed(link pcap.LinkType, keep uint16, packet []byte) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(link))
	return append(binary.LittleEndian.AppendUint16(b, keep), packet...)
}
