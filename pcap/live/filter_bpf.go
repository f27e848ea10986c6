package live

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/net/bpf"

	"github.com/pktscope/pktscope/pcap"
)

// A Filter's terms as code for the kernel's classic BPF machine. Its parts, in
// order, with X the bytes by which VLAN tags shift what is after them:
//
//	link    walks the tags, goes to v4 or v6
//	v4      UDP only; hosts; fragments pass; X becomes where the ports are
//	v6      UDP or extension headers only; hosts; X as well
//	ports   each port against sender and receiver
//
// Tags are only met when they are stacked: the kernel keeps the outermost
// apart. A load beyond the packet's end refuses the packet, so says the
// machine, and so no length is checked here.

// tagLen is the length of a VLAN tag.
const tagLen = 4

const (
	verdictKeep = pcap.MaxPacket // bytes; the receive buffer truncates to the snap length
	filterTags  = 3              // as many in the packet; the outermost is not there
)

var keep, refuse = bpf.RetConstant{Val: verdictKeep}, bpf.RetConstant{}

// assemble returns the code for packets of a link type.
func (f *Filter) assemble(link pcap.LinkType) ([]bpf.RawInstruction, error) {
	if f.code != nil {
		return f.code, nil
	}
	return bpf.Assemble(f.program(link))
}

func (f *Filter) program(link pcap.LinkType) []bpf.Instruction {
	ip := ipOffset(link)
	v4, v6, ports := f.v4(ip), f.v6(ip), f.portTests(ip)
	// v4 and v6 end in a jump to the ports, which lie after both.
	v4 = append(v4, bpf.Jump{Skip: uint32(len(v6))})
	out := linkTests(link, len(v4))
	out = append(append(out, v4...), v6...)
	return append(out, ports...)
}

// ipOffset is where IP begins, without VLAN tags.
func ipOffset(link pcap.LinkType) uint32 {
	switch link {
	case pcap.LinkEthernet:
		return 14
	case pcap.LinkNull, pcap.LinkLoop:
		return 4
	case pcap.LinkSLL:
		return 16
	}
	return 0
}

// linkTests ends before v4, which is so long, and v6.
func linkTests(link pcap.LinkType, v4 int) []bpf.Instruction {
	if link != pcap.LinkEthernet {
		return []bpf.Instruction{
			bpf.LoadConstant{Dst: bpf.RegX, Val: 0},
			bpf.LoadAbsolute{Off: ipOffset(link), Size: 1}, // the version, which no other protocol has there
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x40, SkipTrue: 3},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x60, SkipTrue: 1},
			refuse,
			bpf.Jump{Skip: uint32(v4)},
		}
	}
	out := []bpf.Instruction{
		bpf.LoadConstant{Dst: bpf.RegX, Val: 0},
		bpf.LoadIndirect{Off: 12, Size: 2},
	}
	for range filterTags {
		out = append(out,
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x8100, SkipTrue: 2},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x88a8, SkipTrue: 1},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x9100, SkipTrue: 4},
			bpf.TXA{},
			bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: tagLen},
			bpf.TAX{},
			bpf.LoadIndirect{Off: 12, Size: 2},
		)
	}
	return append(out,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x0800, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x86dd, SkipTrue: 1},
		refuse,
		bpf.Jump{Skip: uint32(v4)},
	)
}

const (
	protocolUDP         = 17
	protocolHopByHop    = 0
	protocolRouting     = 43
	protocolFragment    = 44
	protocolDestination = 60
)

// v4 leaves in X where UDP begins, less ip.
func (f *Filter) v4(ip uint32) []bpf.Instruction {
	out := []bpf.Instruction{
		bpf.LoadIndirect{Off: ip + 9, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolUDP, SkipTrue: 1},
		refuse,
	}
	if f.all {
		return append(out, keep)
	}
	for _, h := range f.hosts {
		if h.Addr().Is4() {
			out = append(out, hostTest(ip+12, h)...)
			out = append(out, hostTest(ip+16, h)...)
		}
	}
	if len(f.ports) == 0 {
		return append(out, refuse)
	}
	return append(out,
		bpf.LoadIndirect{Off: ip + 6, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: 0x3fff, SkipTrue: 1}, // offset, or more to come
		keep,
		bpf.LoadIndirect{Off: ip, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftLeft, Val: 2},
		bpf.ALUOpX{Op: bpf.ALUOpAdd},
		bpf.TAX{},
	)
}

// v6 is v4 for IPv6. Of extension headers it looks at the first and at what
// the first says comes next, which tells the multicast reports that every host
// sends; they are not walked further.
func (f *Filter) v6(ip uint32) []bpf.Instruction {
	out := []bpf.Instruction{
		bpf.LoadIndirect{Off: ip + 6, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolUDP, SkipTrue: 11},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolFragment, SkipTrue: 10},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolHopByHop, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolRouting, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolDestination, SkipTrue: 1},
		refuse,
		bpf.LoadIndirect{Off: ip + 40, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolUDP, SkipTrue: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolFragment, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolRouting, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolDestination, SkipTrue: 1},
		refuse,
	}
	if f.all {
		return append(out, keep)
	}
	for _, h := range f.hosts {
		if h.Addr().Is6() {
			out = append(out, hostTest(ip+8, h)...)
			out = append(out, hostTest(ip+24, h)...)
		}
	}
	if len(f.ports) == 0 {
		return append(out, refuse)
	}
	return append(out,
		bpf.LoadIndirect{Off: ip + 6, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolUDP, SkipTrue: 1},
		keep,
		bpf.TXA{},
		bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: 40},
		bpf.TAX{},
	)
}

// portTests decide about a packet whose ports are at X+ip.
func (f *Filter) portTests(ip uint32) []bpf.Instruction {
	var out []bpf.Instruction
	for _, off := range []uint32{ip, ip + 2} {
		if len(f.ports) > 0 {
			out = append(out, bpf.LoadIndirect{Off: off, Size: 2})
		}
		for _, r := range f.ports {
			if r.First == r.Last {
				out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(r.First), SkipTrue: 1}, keep)
				continue
			}
			out = append(out,
				bpf.JumpIf{Cond: bpf.JumpLessThan, Val: uint32(r.First), SkipTrue: 2},
				bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: uint32(r.Last), SkipTrue: 1},
				keep)
		}
	}
	return append(out, refuse)
}

// hostTest keeps a packet whose address at X+off is in h: word by word, of
// which the last may be in part.
func hostTest(off uint32, h netip.Prefix) []bpf.Instruction {
	var out []bpf.Instruction
	addr := h.Addr().AsSlice()
	var jumps []int
	for bits := h.Bits(); bits > 0; bits -= 32 {
		out = append(out, bpf.LoadIndirect{Off: off, Size: 4})
		if bits < 32 {
			out = append(out, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: ^uint32(0) << (32 - bits)})
		}
		jumps = append(jumps, len(out))
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: binary.BigEndian.Uint32(addr)})
		addr, off = addr[4:], off+4
	}
	out = append(out, keep)
	for _, at := range jumps {
		j := out[at].(bpf.JumpIf)
		j.SkipTrue = uint8(len(out) - at - 1)
		out[at] = j
	}
	return out
}
