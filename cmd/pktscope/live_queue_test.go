package main

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pktscope/pktscope/pcap"
)

// Datagrams keep their order and none is lost, however the reader and the taker interleave; what nobody has taken is filled
// up before another parcel is begun.
func TestParcelQueue(t *testing.T) {
	const n = 20_000
	q := newParcelQueue()
	go func() {
		defer q.close()
		random := rand.New(rand.NewPCG(1, 2))
		var p *parcel
		for i := range n {
			if p == nil {
				p = q.next()
			}
			p.add(&pcap.Datagram{N: int64(i + 1), Payload: []byte("payload")})
			if p.full() || random.IntN(3) == 0 { // idle
				if !q.put(p) {
					return
				}
				p = nil
			}
		}
		if p != nil {
			q.put(p)
		}
	}()
	var s parcel
	want := int64(1)
	for taken := 0; q.take(&s); taken++ {
		for i := range s.datagrams {
			if s.datagrams[i].N != want || string(s.datagrams[i].Payload) != "payload" {
				t.Fatalf("want datagram %d, got %+v", want, s.datagrams[i])
			}
			want++
		}
		if len(s.datagrams) == 0 || len(s.datagrams) > batchPackets {
			t.Fatalf("a parcel of %d", len(s.datagrams))
		}
		if taken%8 == 0 {
			runtime.Gosched()
		}
	}
	if want != n+1 {
		t.Errorf("%d datagrams of %d", want-1, n)
	}
}

// While nobody takes anything, one datagram after the other has room, up to so many parcels that are full; then the reader
// waits, until nobody will take any more.
func TestParcelQueueIsBounded(t *testing.T) {
	q := newParcelQueue()
	for i := range mostParcels * batchPackets {
		p := q.next()
		p.add(&pcap.Datagram{N: int64(i + 1)})
		if !q.put(p) {
			t.Fatal("refused")
		}
	}
	if len(q.list) != mostParcels {
		t.Fatalf("%d parcels", len(q.list))
	}
	ended := make(chan bool)
	go func() { ended <- q.put(&parcel{}) }()
	q.abandon()
	if <-ended || len(q.list) != mostParcels {
		t.Errorf("a parcel that nobody wants was taken, %d there", len(q.list))
	}
}
