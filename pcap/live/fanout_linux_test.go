//go:build !libpcap

package live

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestRingsRefused(t *testing.T) {
	isolate(t)
	for _, row := range []struct {
		rings int
		want  string
	}{
		{-1, "rings: want 1..16, got -1"},
		{MaxRings + 1, "rings: want 1..16, got 17"},
	} {
		if src, err := OpenAll([]string{"lo"}, Options{Rings: row.rings}); src != nil || err == nil || err.Error() != row.want {
			t.Errorf("%d: want %q, got %v", row.rings, row.want, err)
		}
	}
	want := `interface "lo": want 1 ring for one Source, got 2: see OpenAll`
	if src, err := Open("lo", Options{Rings: 2}); src != nil || err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
}

// Rings that share an interface bring each packet once and in the order of time, are one interface, and leave none out
// of account: sent = read + dropped, with buffers that hold all and with some that do not.
func TestRings(t *testing.T) {
	isolate(t)
	open(t, Options{}).Close() // or skips
	const rings, flows, each = 3, 16, 60
	for _, buffer := range []int{0, 1} {
		receiver, _ := sockets(t, "127.0.0.1")
		to := receiver.LocalAddr().(*net.UDPAddr)
		src, err := OpenAll([]string{"lo"}, Options{Rings: rings, ReceiveBuffer: buffer, SnapLen: 2000, Filter: PortFilter(uint16(to.Port))})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		var senders []*net.UDPConn
		for range flows {
			conn, err := net.DialUDP("udp", nil, to)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			senders = append(senders, conn)
		}
		for n := range uint32(each) {
			for flow, conn := range senders {
				payload := append(binary.BigEndian.AppendUint32([]byte{byte(flow)}, n), strings.Repeat("x", 500)...)
				if _, err := conn.Write(payload); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := src.Stop(); err != nil {
			t.Fatal(err)
		}
		var next [flows]uint32
		var last time.Time
		read := uint64(0)
		for {
			data, ci, err := src.ZeroCopyReadPacketData()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			payload := data[14+20+8:]
			flow, n := payload[0], binary.BigEndian.Uint32(payload[1:])
			if ci.InterfaceIndex != 0 || ci.Timestamp.Before(last) || n < next[flow] {
				t.Fatalf("buffer %d: packet %d of flow %d, %+v, after %v and with %d expected", buffer, n, flow, ci, last, next[flow])
			}
			next[flow], last = n+1, ci.Timestamp
			read++
		}
		list, err := src.Accounts()
		if err != nil || len(list) != 1 || src.Interfaces() != 1 || src.Interface(0).Name != "lo" {
			t.Fatalf("want one interface, got %+v, %v", list, err)
		}
		if a := list[0]; a.Received != flows*each || read+a.Dropped != flows*each || read == 0 || (a.Dropped > 0) != (buffer == 1) {
			t.Errorf("buffer %d: sent %d, read %d, %+v", buffer, flows*each, read, a)
		}
		var shares []string
		for _, one := range src.list {
			stats, err := one.Stats()
			if err != nil || stats.Received == flows*each {
				t.Errorf("one ring has all packets: %+v, %v", stats, err)
			}
			shares = append(shares, fmt.Sprint(stats.Received))
		}
		t.Logf("buffer %d: %d packets as %s", buffer, read, strings.Join(shares, "+"))
	}
}
