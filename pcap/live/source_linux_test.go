package live

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

var _ pcap.PacketSource = (*Source)(nil)

// TestEachDatagramOnce sends datagrams and then one that ends the test.
func TestEachDatagramOnce(t *testing.T) {
	isolate(t)
	for _, host := range []string{"127.0.0.1", "::1"} {
		src := open(t, Options{})
		stopAfterPatience(t, src)
		receiver, sender := sockets(t, host)
		before := time.Now()
		const n = 100
		for i := range n {
			send(t, sender, fmt.Sprint("datagram ", i))
		}
		send(t, sender, "end")
		from, to := sender.LocalAddr().(*net.UDPAddr).AddrPort(), receiver.LocalAddr().(*net.UDPAddr).AddrPort()
		d := pcap.NewDatagrams(src)
		var got []string
		for {
			dg, err := d.Next()
			if err != nil {
				t.Fatalf("%s: after %d datagrams: %v", host, len(got), err)
			}
			if dg.Src != from || dg.Dst != to {
				continue
			}
			if string(dg.Payload) == "end" {
				break
			}
			if dg.Cut || dg.LengthMismatch || dg.Interface != 0 {
				t.Errorf("%s: got %+v", host, dg)
			}
			if age := dg.Time - before.UnixNano(); age < -int64(time.Second) || age > int64(patience) {
				t.Errorf("%s: time is %v from now", host, time.Duration(age))
			}
			got = append(got, string(dg.Payload))
		}
		for i := range n {
			if i >= len(got) || got[i] != fmt.Sprint("datagram ", i) {
				t.Fatalf("%s: want %d datagrams once and in order, got %q", host, n, got)
			}
		}
		src.Close()
	}
}

// TestSnapLen keeps the headers and four bytes.
func TestSnapLen(t *testing.T) {
	isolate(t)
	src := open(t, Options{SnapLen: 14 + 20 + 8 + 4, Promiscuous: true})
	stopAfterPatience(t, src)
	receiver, sender := sockets(t, "127.0.0.1")
	send(t, sender, "more than four")
	to := receiver.LocalAddr().(*net.UDPAddr).AddrPort()
	for d := pcap.NewDatagrams(src); ; {
		dg, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if dg.Dst != to {
			continue
		}
		if string(dg.Payload) != "more" || !dg.Cut || dg.WireLen != 14+20+8+14 {
			t.Errorf("got %+v", dg)
		}
		return
	}
}

// TestTagIsPutBack sends a frame with a VLAN tag; the kernel takes the tag out
// before we are given the frame.
func TestTagIsPutBack(t *testing.T) {
	isolate(t)
	src := open(t, Options{})
	stopAfterPatience(t, src)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	for _, types := range [][]uint16{{0x8100, 5<<13 | 42, 0x0800}, {0x88a8, 7, 0x8100, 9, 0x0800}} {
		frame := make([]byte, 12)
		for _, v := range types {
			frame = binary.BigEndian.AppendUint16(frame, v)
		}
		frame = append(frame, 0x45, 0, 0, 20+8+3, 0, 0, 0, 0, 64, 17, 0, 0, 10, 9, 8, 7, 10, 9, 8, 6)
		frame = append(frame, 0x12, 0x34, 0x56, 0x78, 0, 8+3, 0, 0, 't', 'a', 'g')
		if err := unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Protocol: binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, types[0])), Ifindex: lo.Index}); err != nil {
			t.Fatal(err)
		}
		for {
			data, ci, err := src.ReadPacketData()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(string(data), "tag") {
				continue
			}
			if string(data) != string(frame) || ci.Length != len(frame) || ci.CaptureLength != len(frame) {
				t.Errorf("want %x, got %x, %+v", frame, data, ci)
			}
			break
		}
	}
}

// TestCloseWakesRead closes at various moments of a read that gets nothing.
func TestCloseWakesRead(t *testing.T) {
	isolate(t)
	for i := range 12 {
		src := open(t, Options{})
		done := make(chan error)
		go func() {
			for {
				if _, _, err := src.ZeroCopyReadPacketData(); err != nil {
					done <- err
					return
				}
			}
		}()
		time.Sleep(time.Duration(i%4) * 5 * time.Millisecond)
		closed := make(chan error)
		for range 2 {
			go func() { closed <- src.Close() }()
		}
		for range 3 {
			select {
			case err := <-done:
				if err != io.EOF {
					t.Fatalf("read: want io.EOF, got %v", err)
				}
			case err := <-closed:
				if err != nil {
					t.Fatalf("close: %v", err)
				}
			case <-time.After(patience):
				t.Fatal("a blocked read did not return after Close")
			}
		}
		if _, _, err := src.ReadPacketData(); err != io.EOF {
			t.Errorf("read after Close: want io.EOF, got %v", err)
		}
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(list)
}

// TestNothingLeaks opens and closes 30 times, reading in between.
func TestNothingLeaks(t *testing.T) {
	isolate(t)
	open(t, Options{}).Close() // the poller's own descriptors come now
	fds, goroutines := openDescriptors(t), runtime.NumGoroutine()
	for range 30 {
		src, err := Open("lo", Options{SnapLen: 100})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				if _, _, err := src.ZeroCopyReadPacketData(); err != nil {
					return
				}
			}
		}()
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		<-done
		if _, err := Open("nosuch0", Options{}); err == nil {
			t.Fatal("opened what is not there")
		}
	}
	if got := openDescriptors(t); got > fds {
		t.Errorf("descriptors: %d before, %d after", fds, got)
	}
	// A goroutine may be counted for a moment after it closed done.
	for end := time.Now().Add(patience); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("goroutines: %d before, %d after", goroutines, runtime.NumGoroutine())
		}
	}
}

// TestReadsDoNotAllocate sends and reads one datagram at a time.
func TestReadsDoNotAllocate(t *testing.T) {
	isolate(t)
	src := open(t, Options{})
	stopAfterPatience(t, src)
	receiver, sender := sockets(t, "127.0.0.1")
	to := receiver.LocalAddr().(*net.UDPAddr).AddrPort()
	d := pcap.NewDatagrams(src)
	payload := []byte("payload")
	n := testing.AllocsPerRun(50, func() {
		if _, err := sender.Write(payload); err != nil {
			t.Fatal(err)
		}
		for {
			dg, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if dg.Dst == to {
				return
			}
		}
	})
	if n != 0 {
		t.Errorf("want 0 allocations per packet, got %v", n)
	}
}
