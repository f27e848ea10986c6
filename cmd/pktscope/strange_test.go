package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
)

// strangeServer is a server of a protocol that no schema describes, as a program: `strange-server PORT`. Its packets are
// a CRC of 16 bits over two bytes that are never sent and what follows it, then bits, the lowest first: a kind, a number
// and what the kind has. It has a mistake: it stores ammunition by a number of 5 bits in a list of 24. What is known of
// it outside of this file is a capture, testdata/infer/strange.pcapng.gz, of this server and two clients.
func strangeServer() {
	conn, err := net.ListenPacket("udp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ammo := make([]uint64, 24)
	tick := uint64(0)
	buf := make([]byte, 1<<16)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			os.Exit(1)
		}
		if n < 4 || strangeSum(buf[2:n]) != binary.LittleEndian.Uint16(buf) {
			continue
		}
		r := strangeBits{data: buf[2:n]}
		kind, number := r.read(2), r.read(10)
		switch kind {
		case 0: // x, y, heading, fire
			r.read(13 + 13 + 9 + 1)
		case 1: // time
			r.read(17)
		case 2:
			for left := r.read(4); left > 0 && !r.short; left-- {
				id := r.read(5)
				ammo[id] = r.read(7)
			}
		default:
			continue
		}
		if r.short {
			continue
		}
		tick++
		word := 3 | tick%1024<<2 | number<<12 | (100-tick/40%30)<<22 | (4000+tick*3%900)<<29
		answer := binary.LittleEndian.AppendUint64(make([]byte, 2), word)[:8]
		binary.LittleEndian.PutUint16(answer, strangeSum(answer[2:]))
		_, _ = conn.WriteTo(answer, from)
	}
}

// strangeSum is CRC-16/MODBUS after EF BE.
func strangeSum(data []byte) uint16 {
	sum := uint16(0xFFFF)
	for _, b := range append([]byte{0xEF, 0xBE}, data...) {
		sum ^= uint16(b)
		for range 8 {
			if sum&1 != 0 {
				sum = sum>>1 ^ 0xA001
			} else {
				sum >>= 1
			}
		}
	}
	return sum
}

type strangeBits struct {
	data  []byte
	at    int
	short bool
}

func (s *strangeBits) read(n int) (v uint64) {
	for i := range n {
		if s.at/8 >= len(s.data) {
			s.short = true
			return 0
		}
		v |= uint64(s.data[s.at/8]>>(s.at%8)&1) << i
		s.at++
	}
	return v
}
