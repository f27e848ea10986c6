package selffuzz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pktscope/pktscope/pcap"
)

const (
	mostFragments = 200 // that one input sends
	patience      = 30  // seconds that fragments wait for the others
	protocolUDP   = 17
)

// Reassembly attacks the reassembly of IP fragments. The input is a script: byte 0 says IPv4 or IPv6; four bytes say of
// each of four datagrams into how many pieces (1+1..8) of how many bytes (8..128) it is cut; then every two bytes are
// one fragment: whose, which piece, whether its content differs from the true one, and how many seconds later it comes.
//
// The model holds what came and knows what must be delivered: a datagram whose pieces are all there, with what they
// hold; nothing of one that two different contents have come for; nothing after half a minute. interesting says that a
// datagram was delivered.
func Reassembly(data []byte) (bool, error) {
	in := &script{data: data}
	v6 := in.byte()%2 == 1
	link := pcap.LinkIPv4
	if v6 {
		link = pcap.LinkIPv6
	}
	model := &waiting{fragments: map[pcap.Cause]uint64{}}
	for i := range model.all {
		shape := int(in.byte())
		model.all[i] = gathered{pieces: 2 + shape%8, size: 8 * (1 + shape>>3%16)}
	}
	file := captureOf(link)
	var want [][]byte
	second := uint32(1000)
	sent := 0
	for ; in.left() >= 2 && sent < mostFragments; sent++ {
		a, b := in.byte(), in.byte()
		which := int(a % 4)
		g := &model.all[which]
		piece := int(a>>2) % g.pieces
		other := b%8 == 7
		if b>>3 > 16 {
			second += uint32(b >> 3)
		}
		packet := fragment(v6, which, g, piece, other)
		file.add(second, packet, len(packet))
		if whole := model.take(second, which, piece, other); whole != nil {
			want = append(want, whole)
		}
	}
	if sent == 0 {
		return false, nil
	}
	d := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file)))
	for i := 0; ; i++ {
		dg, err := d.Next()
		if err == io.EOF {
			if i < len(want) {
				return false, fmt.Errorf("datagram %d is missing: %x", i+1, want[i])
			}
			break
		}
		switch {
		case err != nil:
			return false, fmt.Errorf("behind %d datagrams: %w", i, err)
		case i == len(want):
			return false, fmt.Errorf("a datagram too many: %x", dg.Payload)
		case !bytes.Equal(dg.Payload, want[i]):
			return false, fmt.Errorf("datagram %d: want %x, got %x", i+1, want[i], dg.Payload)
		}
	}
	model.expire(second + 2*patience)
	counts := d.Counts()
	if counts.Packets != uint64(sent) || counts.Datagrams != uint64(len(want)) {
		return false, fmt.Errorf("%d of %d packets, %d of %d datagrams", counts.Packets, sent, counts.Datagrams, len(want))
	}
	for cause, n := range counts.All() {
		if n != model.fragments[cause] {
			return false, fmt.Errorf("%v: want %d, got %d", cause, model.fragments[cause], n)
		}
	}
	return len(want) > 0, nil
}

// fragment is a packet with one piece of a datagram.
func fragment(v6 bool, id int, g *gathered, piece int, other bool) []byte {
	content := g.content(piece, other)
	more := uint16(0)
	if piece < g.pieces-1 {
		more = 1
	}
	offset := uint16(piece * g.size / 8)
	if v6 {
		b := []byte{0x60, 0, 0, 0, 0, 0, 44, 64}
		binary.BigEndian.PutUint16(b[4:], uint16(8+len(content)))
		b = append(b, make([]byte, 32)...)
		b[23], b[39] = 1, 2
		b = append(b, protocolUDP, 0)
		b = binary.BigEndian.AppendUint16(b, offset<<3|more)
		b = binary.BigEndian.AppendUint32(b, uint32(id))
		return append(b, content...)
	}
	b := []byte{0x45, 0, 0, 0, 0, byte(id), 0, 0, 64, protocolUDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)+len(content)))
	binary.BigEndian.PutUint16(b[6:], more<<13|offset)
	return append(b, content...)
}

// gathered is one datagram and what came of it.
type gathered struct {
	pieces, size int // each piece but the last has size bytes; the last has three more
	born         uint32
	have         []gotPiece
	begun, dead  bool
	packets      uint64 // that count for it
}

type gotPiece struct {
	piece int
	other bool
}

// content is what a piece holds: a UDP header at the begin of the first, and bytes that tell where they belong. The
// other content differs in the last byte.
func (g *gathered) content(piece int, other bool) []byte {
	size := g.size
	if piece == g.pieces-1 {
		size += 3
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(piece*31 + i)
	}
	if piece == 0 {
		binary.BigEndian.PutUint16(b, 4000)
		binary.BigEndian.PutUint16(b[2:], 5000)
		binary.BigEndian.PutUint16(b[4:], uint16(g.pieces*g.size+3))
	}
	if other {
		b[size-1] ^= 0x55
	}
	return b
}

// waiting is reassembly as one would write it on paper.
type waiting struct {
	all       [4]gathered
	fragments map[pcap.Cause]uint64 // as Counts has them
}

// take is the payload of the datagram that a fragment completes, nil where it completes none.
func (w *waiting) take(second uint32, which, piece int, other bool) []byte {
	w.expire(second)
	g := &w.all[which]
	if !g.begun {
		g.begun, g.born = true, second
	}
	if g.dead {
		w.fragments[pcap.FragmentOverlap]++
		return nil
	}
	g.packets++
	for _, h := range g.have {
		switch {
		case h.piece == piece && h.other != other:
			w.fragments[pcap.FragmentOverlap] += g.packets
			g.have, g.packets, g.dead = nil, 0, true
			return nil
		case h.piece == piece:
			return nil // an exact copy
		}
	}
	g.have = append(g.have, gotPiece{piece, other})
	if len(g.have) < g.pieces {
		return nil
	}
	var whole []byte
	for i := range g.pieces {
		for _, h := range g.have {
			if h.piece == i {
				whole = append(whole, g.content(i, h.other)...)
			}
		}
	}
	w.fragments[pcap.Fragment] += g.packets - 1
	w.end(g)
	return whole[8:]
}

// expire ends what has waited too long.
func (w *waiting) expire(second uint32) {
	for i := range w.all {
		if g := &w.all[i]; g.begun && second-g.born > patience {
			w.fragments[pcap.FragmentIncomplete] += g.packets
			w.end(g)
		}
	}
}

func (w *waiting) end(g *gathered) { *g = gathered{pieces: g.pieces, size: g.size} }
