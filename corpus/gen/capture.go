package main

import (
	"encoding/binary"
	"io"
)

// epoch is when every session begins: 2024-06-01 18:00:00 UTC, in seconds. A capture must not depend on the day it is
// made on.
const epoch = 1717264800

// packet is one datagram of a session.
type packet struct {
	at       int64 // µs since the session began
	from, to *endpoint
	payload  []byte // valid until the sink returns
	want     verdict
}

// verdict is what a correct reader answers to a packet: the zero value is "accepted". A session knows it because it
// knows what it broke.
type verdict struct {
	kind string
	path string
	bit  int
	note string // of an accepted packet: what is odd about it
}

// sink takes the packets of a session one after the other.
type sink struct {
	left int                 // how many more it wants
	put  func(*packet) error // keeps nothing of the packet
	last int64               // µs: time runs forward
	err  error               // the first of put
}

// send hands a packet on, unless the session is complete.
func (s *sink) send(p *packet) {
	if s.done() {
		return
	}
	if p.at <= s.last {
		p.at = s.last + 9
	}
	s.last = p.at
	s.left--
	s.err = s.put(p)
}

// done reports whether the session has its packets, or cannot be written.
func (s *sink) done() bool { return s.left <= 0 || s.err != nil }

// writeCapture writes a session of n packets as a pcap file with times in µs. It holds one packet at a time.
func writeCapture(w io.Writer, session play, n int, seed uint64) error {
	le := binary.LittleEndian
	head := le.AppendUint32(nil, 0xA1B2C3D4)
	head = le.AppendUint16(head, 2)
	head = le.AppendUint16(head, 4)
	head = append(head, make([]byte, 8)...)
	head = le.AppendUint32(head, 65535)
	head = le.AppendUint32(head, 1) // Ethernet
	if _, err := w.Write(head); err != nil {
		return err
	}
	var record []byte
	id := uint16(0)
	s := &sink{left: n, put: func(p *packet) error {
		record = append(record[:0], make([]byte, 16)...)
		id++
		record = appendFrame(record, p.from, p.to, id, p.payload)
		le.PutUint32(record[0:], uint32(epoch+p.at/1e6))
		le.PutUint32(record[4:], uint32(p.at%1e6))
		le.PutUint32(record[8:], uint32(len(record)-16))
		le.PutUint32(record[12:], uint32(len(record)-16))
		_, err := w.Write(record)
		return err
	}}
	session(seed, s)
	return s.err
}
