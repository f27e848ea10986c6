package main

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode"
	flat "github.com/pktscope/pktscope/decode/gogen/testdata/flat97"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// measured is one packet, or packets in turn, through every reader and writer there is for them.
type measured struct {
	name    string
	packets [][]byte
	read    map[string]func(n int) error // the packet with number n
	write   map[string]func(n int) error
}

var errBaseline = errors.New("the baseline refuses it")

// verdict is the baseline's answer as an error.
func verdict(ok bool) error {
	if !ok {
		return errBaseline
	}
	return nil
}

// interpreted adds the interpreter.
func (m *measured) interpreted(tb testing.TB, d *decode.Decoder) {
	var t decode.Trace
	e := decode.NewEncoder(d)
	sources := make([]decode.Source, len(m.packets))
	for i := range sources {
		trace := new(decode.Trace)
		if err := d.Decode(m.packets[i], decode.Server, trace); err != nil {
			tb.Fatalf("%s: %v", m.name, err)
		}
		sources[i] = decode.Replay(trace)
	}
	out := make([]byte, 0, roomy)
	m.read["interpreter"] = func(n int) error { return d.Decode(m.packets[n], decode.Server, &t) }
	m.write["interpreter"] = func(n int) error {
		_, err := e.Append(out, sources[n], decode.Server)
		return err
	}
}

// roomy is a buffer for any of these packets, in bytes, and for the word that the baseline writes after them.
const roomy = 2048

func measureFlat97(tb testing.TB, d *decode.Decoder, name string, packets [][]byte) measured {
	m := measured{name, packets, map[string]func(int) error{}, map[string]func(int) error{}}
	m.interpreted(tb, d)
	var r flat.PacketReader
	var v flat.Packet
	var p flatPacket
	whole := wholeWords(packets)
	values, byHand := make([]flat.Packet, len(packets)), make([]flatPacket, len(packets))
	readByHand := func(n int, p *flatPacket) error {
		s := newScratchReader(whole[n][:cap(whole[n])])
		s.left = 8 * len(whole[n])
		return verdict(p.read(&s))
	}
	for i := range packets {
		if err := errors.Join(r.Decode(packets[i], flat.FromServer, &values[i]), readByHand(i, &byHand[i])); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
	out := make([]byte, 0, roomy)
	m.read["generated"] = func(n int) error { return r.Decode(packets[n], flat.FromServer, &v) }
	m.read["hand-written"] = func(n int) error { return readByHand(n, &p) }
	m.write["generated"] = func(n int) error {
		_, err := values[n].Append(out, flat.FromServer)
		return err
	}
	m.write["hand-written"] = func(n int) error {
		w := scratchWriter{data: out[:cap(out)]}
		if !byHand[n].write(&w) {
			return errBaseline
		}
		w.finish()
		return nil
	}
	return m
}

func measureSnapshot(tb testing.TB, d *decode.Decoder) measured {
	packet := largestSnapshot(tb)
	m := measured{"snapshot", [][]byte{packet}, map[string]func(int) error{}, map[string]func(int) error{}}
	m.interpreted(tb, d)
	var r rtype.PacketReader
	var v, byHand rtype.Packet
	whole := wholeWords(m.packets)[0]
	out := make([]byte, 0, roomy)
	m.read["generated"] = func(int) error { return r.Decode(packet, rtype.FromServer, &v) }
	m.read["hand-written"] = func(int) error {
		s := msbReader{data: whole[:cap(whole)], left: 8 * len(whole)}
		return verdict(s.snapshot(&byHand))
	}
	var plain rtype.Packet
	m.read["plain-loads"] = func(int) error { return verdict(snapshotBytes(packet, &plain)) }
	if err := errors.Join(m.read["generated"](0), m.read["hand-written"](0)); err != nil {
		tb.Fatal(err)
	}
	m.write["generated"] = func(int) error {
		_, err := v.Append(out, rtype.FromServer)
		return err
	}
	m.write["hand-written"] = func(int) error {
		w := msbWriter{data: out[:cap(out)]}
		if !w.snapshot(&byHand) {
			return errBaseline
		}
		w.finish()
		return nil
	}
	return m
}

func measureScene(tb testing.TB, d *decode.Decoder) measured {
	packet := scene(tb)
	m := measured{"scene", [][]byte{packet}, map[string]func(int) error{}, map[string]func(int) error{}}
	m.interpreted(tb, d)
	var r gaffer.PacketReader
	var v, byHand gaffer.Packet
	whole := wholeWords(m.packets)[0]
	out := make([]byte, 0, roomy)
	m.read["generated"] = func(int) error { return r.Decode(packet, gaffer.FromServer, &v) }
	m.read["hand-written"] = func(int) error {
		s := newScratchReader(whole[:cap(whole)])
		s.left = 8 * len(whole)
		return verdict(s.scene(whole, &byHand))
	}
	if err := errors.Join(m.read["generated"](0), m.read["hand-written"](0)); err != nil {
		tb.Fatal(err)
	}
	m.write["generated"] = func(int) error {
		_, err := v.Append(out, gaffer.FromServer)
		return err
	}
	m.write["hand-written"] = func(int) error {
		w := scratchWriter{data: out[:cap(out)]}
		return verdict(w.scene(&byHand) != nil)
	}
	return m
}

// bitFields is a datagram of fields of 1 to 16 bits.
type bitFields struct {
	widths []int
	values []uint32
}

// Serialize says what it looks like on the wire.
func (b *bitFields) Serialize(s *serialize.Stream) {
	for i, n := range b.widths {
		serialize.Bits(s, "", &b.values[i], n)
	}
}

// measureBits is a datagram of fields of 1 to 16 bits, without a schema: serialize beside the baseline's scratch word.
func measureBits(tb testing.TB) measured {
	widths := make([]int, bitsFields)
	random := rand.New(rand.NewPCG(1, 16))
	out := make([]byte, 0, roomy+bitsFields*2)
	values := make([]uint32, bitsFields)
	for i := range widths {
		widths[i] = 1 + random.IntN(16)
		values[i] = uint32(random.Uint64() & wire.Mask(widths[i]))
	}
	var s serialize.Stream
	fields := &bitFields{widths, values}
	packet, err := s.Append(wire.LSB, nil, fields)
	if err != nil {
		tb.Fatal(err)
	}
	m := measured{"bits", [][]byte{packet}, map[string]func(int) error{}, map[string]func(int) error{}}
	whole := wholeWords(m.packets)[0]
	m.read["serialize"] = func(int) error { return s.Read(wire.LSB, packet, fields) }
	m.read["hand-written"] = func(int) error {
		s := newScratchReader(whole[:cap(whole)])
		s.left = 8 * len(whole)
		for i, n := range widths {
			if !s.bits(&values[i], uint(n)) {
				return errBaseline
			}
		}
		return nil
	}
	if err := m.read["serialize"](0); err != nil {
		tb.Fatal(err)
	}
	m.write["serialize"] = func(int) error {
		_, err := s.Append(wire.LSB, out, fields)
		return err
	}
	m.write["hand-written"] = func(int) error {
		s := scratchWriter{data: out[:cap(out)]}
		for i, n := range widths {
			s.bits(values[i], uint(n))
		}
		s.finish()
		return nil
	}
	return m
}
