//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
)

// A ringSender sends frames from memory that it shares with the kernel (PACKET_TX_RING, TPACKET_V2): one call for a
// burst of them, and no copy of ours. So a measurement of live is as little as can be one of its sender.
type ringSender struct {
	fd   int
	mem  []byte // slots of slotSize bytes
	next int    // the slot to be sent next
}

const (
	slotSize  = 2048    // room for one frame and its header
	slots     = 1 << 11 // in all
	slotBlock = 1 << 16 // bytes that the kernel allocates in one piece
	burst     = 256     // slots that are sent with one call

	// Where the header of a slot has what: struct tpacket2_hdr of linux/if_packet.h.
	slotStatus = 0
	slotLen    = 4
	slotFrame  = 32 // sizeof(struct tpacket2_hdr), aligned to 16, without an address: where the kernel reads the frame
)

// newRingSender makes a ring whose slots have the frames, one after the other, over and over. The goroutine must be
// locked to its thread, as vethPair leaves it.
func newRingSender(t testing.TB, name string, frames [][]byte) *ringSender {
	t.Helper()
	in := newInjector(t, name) // its socket is closed when the test ends
	fail := func(what string, err error) {
		t.Helper()
		if err != nil {
			need.Skip(t, need.Root, fmt.Sprintf("no ring to send from: %s: %v", what, err))
		}
	}
	fail("version", unix.SetsockoptInt(in.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2))
	// Nobody waits for frames on their way out, so they need no queue.
	fail("bypass", unix.SetsockoptInt(in.fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1))
	fail("ring", unix.SetsockoptTpacketReq(in.fd, unix.SOL_PACKET, unix.PACKET_TX_RING, &unix.TpacketReq{
		Block_size: slotBlock, Block_nr: slots * slotSize / slotBlock, Frame_size: slotSize, Frame_nr: slots,
	}))
	mem, err := unix.Mmap(in.fd, 0, slots*slotSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	fail("map", err)
	t.Cleanup(func() { _ = unix.Munmap(mem) })
	fail("bind", unix.Bind(in.fd, &in.to))
	s := &ringSender{fd: in.fd, mem: mem}
	for i := range slots {
		frame := frames[i%len(frames)]
		if len(frame) > slotSize-slotFrame {
			t.Fatalf("a frame of %d bytes", len(frame))
		}
		slot := mem[i*slotSize:]
		binary.NativeEndian.PutUint32(slot[slotLen:], uint32(len(frame)))
		copy(slot[slotFrame:], frame)
	}
	return s
}

// status is who has a slot.
func (s *ringSender) status(i int) *uint32 {
	return (*uint32)(unsafe.Pointer(&s.mem[i*slotSize+slotStatus]))
}

// send sends at most n frames, at most burst, and returns how many the kernel took.
func (s *ringSender) send(t testing.TB, n int) int {
	t.Helper()
	n = min(n, burst)
	for i := range n {
		status := s.status((s.next + i) % slots)
		if atomic.LoadUint32(status) != unix.TP_STATUS_AVAILABLE {
			n = i // still on its way
			break
		}
		atomic.StoreUint32(status, unix.TP_STATUS_SEND_REQUEST)
	}
	if n == 0 {
		return 0
	}
	for try := 0; ; try++ {
		_, _, errno := unix.Syscall6(unix.SYS_SENDTO, uintptr(s.fd), 0, 0, 0, 0, 0)
		if errno == 0 {
			break
		}
		if errno != unix.ENOBUFS && errno != unix.EINTR && errno != unix.EAGAIN || try == 1000 {
			t.Fatal("sending from a ring: ", errno)
		}
	}
	for i := range n {
		if st := atomic.LoadUint32(s.status((s.next + i) % slots)); st&unix.TP_STATUS_WRONG_FORMAT != 0 {
			t.Fatal("the kernel refuses a frame")
		}
	}
	s.next = (s.next + n) % slots
	return n
}

// sendAt sends for a time at a rate, 0 for the highest, and returns the rate that it came to, how many there were, and
// what they cost this thread: with a veth pair, also what the kernel does to hand them over at the other end.
func (s *ringSender) sendAt(t testing.TB, rate int, length time.Duration) (got float64, sent int, cost time.Duration) {
	t.Helper()
	before := threadTime(t)
	start := time.Now()
	for passed := time.Duration(0); passed < length; passed = time.Since(start) {
		due := burst
		if rate > 0 {
			due = int(passed.Seconds()*float64(rate)) - sent
		}
		if due < burst/8 && rate > 0 {
			time.Sleep(50 * time.Microsecond)
			continue
		}
		sent += s.send(t, due)
	}
	return float64(sent) / time.Since(start).Seconds(), sent, threadTime(t) - before
}

// threadTime is the processor time that this thread has used; the goroutine must be locked to it.
func threadTime(t testing.TB) time.Duration {
	t.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
