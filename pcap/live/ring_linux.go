//go:build !libpcap

package live

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A ring is the memory that a packet socket shares with the kernel
// (PACKET_RX_RING, TPACKET_V3). It has blocks; the kernel fills one with
// packets and lets go of it when it is full or retireAfter has passed since its
// first packet, and fills it again once it was given back. Source:
// Documentation/networking/packet_mmap.rst of Linux.
//
// A packet so costs no call of its own: at 100,000 packets/s reading took a
// twentieth of the time that recvmsg(2) did, and less than 100 bytes of buffer
// each beside its own where a socket's queue takes 768.
//
// What a block holds is copied at once, in one piece: then the ring may go away
// at any time (Close) without anybody looking at it still, and the checks of
// the copy hold whatever becomes of the block.
type ring struct {
	mem  []byte // mapped; nil without
	size int    // bytes of a block
	next int    // the block to be read next
}

const (
	// retireAfter bounds how long a packet waits in a block that is not full,
	// in ms. Of packets that come slowly the ring holds one block for each of
	// these times: 1.3 s with the default buffer, should nobody read.
	retireAfter = 10
	// usualBlock has room for a thousand game packets. A larger one only
	// serves packets of that size.
	usualBlock = 128 << 10
	// packetOverhead bounds what is before a packet that has a block of
	// its own: the headers of both (48 bytes each), the sender's address (20),
	// alignment.
	packetOverhead = 256
)

// ringLayout is the size of a block, a power of two and so whole pages, and how
// many there are in a buffer; at least two, each with room for the largest
// packet.
func ringLayout(snapLen, buffer int) (size, blocks int) {
	least := unix.Getpagesize()
	for least < snapLen+packetOverhead {
		least *= 2
	}
	for size = usualBlock; size > least && size > buffer/8; size /= 2 {
	}
	size = max(size, least)
	return size, max(buffer/size, 2)
}

// newRing gives the socket a ring; it must have none.
func newRing(fd, snapLen, buffer int) (*ring, error) {
	size, blocks := ringLayout(snapLen, buffer)
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return nil, err
	}
	err := unix.SetsockoptTpacketReq3(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &unix.TpacketReq3{
		Block_size: uint32(size), Block_nr: uint32(blocks),
		// The third version has no frames of one size, but checks them.
		Frame_size: uint32(size), Frame_nr: uint32(blocks),
		Retire_blk_tov: retireAfter,
	})
	if err != nil {
		return nil, fmt.Errorf("%d blocks of %d bytes: %w", blocks, size, err)
	}
	mem, err := unix.Mmap(fd, 0, size*blocks, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size*blocks, err)
	}
	return &ring{mem: mem, size: size}, nil
}

// Where things are in a block: struct tpacket_block_desc of linux/if_packet.h.
const (
	blockStatus  = 8
	blockPackets = 12
	blockFirst   = 16
	blockLen     = 20
	blockHeader  = 48
)

// take copies the next block into b and gives it back, if the kernel has let
// go of it.
func (r *ring) take(b *block) bool {
	if r.mem == nil {
		return false
	}
	mem := r.mem[r.next*r.size:][:r.size]
	// The kernel writes the status last, and nothing after it.
	status := (*uint32)(unsafe.Pointer(&mem[blockStatus]))
	if atomic.LoadUint32(status)&unix.TP_STATUS_USER == 0 {
		return false
	}
	used := binary.NativeEndian.Uint32(mem[blockLen:])
	b.load(mem[:max(min(int64(used), int64(r.size)), blockHeader)])
	atomic.StoreUint32(status, unix.TP_STATUS_KERNEL)
	if r.next++; r.next == len(r.mem)/r.size {
		r.next = 0
	}
	return true
}

// unmap gives the memory back; the ring is then empty.
func (r *ring) unmap() error {
	mem := r.mem
	if mem == nil {
		return nil
	}
	r.mem = nil
	return unix.Munmap(mem)
}
