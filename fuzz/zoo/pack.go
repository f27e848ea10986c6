package zoo

import "encoding/binary"

// packer writes the packets of the zoo, bit by bit.
type packer struct {
	order order
	data  []byte
	pos   int
}

func pack(o order) *packer { return &packer{order: o} }

func (p *packer) bit(v uint64) {
	if p.pos%8 == 0 {
		p.data = append(p.data, 0)
	}
	shift := p.pos % 8
	if p.order != lsb {
		shift = 7 - shift
	}
	p.data[p.pos/8] |= byte(v&1) << shift
	p.pos++
}

// put appends n bits.
func (p *packer) put(n int, v uint64) *packer {
	switch p.order {
	case lsb:
		for k := range n {
			p.bit(v >> k)
		}
	case msb:
		p.high(n, v)
	default:
		for shift := 0; shift < n; shift += 8 {
			size, free := min(8, n-shift), 8-p.pos%8
			p.high(min(size, free), v>>shift)
			p.high(max(0, size-free), v>>shift>>free)
		}
	}
	return p
}

func (p *packer) high(n int, v uint64) {
	for k := n - 1; k >= 0; k-- {
		p.bit(v >> k)
	}
}

// each appends n bits of each value.
func (p *packer) each(n int, values ...uint64) *packer {
	for _, v := range values {
		p.put(n, v)
	}
	return p
}

// text aligns and appends bytes.
func (p *packer) text(s string) *packer {
	p.put(-p.pos&7, 0)
	p.data = append(p.data, s...)
	p.pos = 8 * len(p.data)
	return p
}

// sum stores the checksum in the first four bytes.
func (p *packer) sum(id ...uint32) *packer {
	binary.LittleEndian.PutUint32(p.data, checksum(p.data, id...))
	return p
}

// one is a list of one packet.
func one(p *packer) func() [][]byte { return many(p) }

// many is a list of packets.
func many(packets ...*packer) func() [][]byte {
	return func() [][]byte {
		var all [][]byte
		for _, p := range packets {
			all = append(all, append([]byte(nil), p.data...))
		}
		return all
	}
}
