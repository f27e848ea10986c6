package rejects_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"reflect"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/scan"
)

// refusedOf is the rejects of packets that are refused, from so many senders; every third one is of the first sender.
func refusedOf(t testing.TB, senders int, file string) *rejects.Result {
	t.Helper()
	s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\npacket {\n    n uint8 in 0..9\n}\n"), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, _ := plan.Compile(s)
	d, trace, c := decode.New(p), decode.Trace{}, rejects.NewCounter(p, "test")
	f := c.NewFinder()
	var batch rejects.Batch
	for i := range 3 * senders {
		_ = d.Decode([]byte{10}, decode.FromUnknown, &trace) // its error is the trace's reject
		var ip [4]byte
		if i%3 > 0 {
			binary.BigEndian.PutUint32(ip[:], uint32(i/3))
		}
		one := &scan.Packet{Envelope: decode.Envelope{N: int64(i + 1), File: file, Src: netip.AddrPortFrom(netip.AddrFrom4(ip), 9)}, Trace: &trace}
		batch.Reset()
		f.Add(&batch, one)
		c.Take(&batch)
	}
	return c.Result()
}

// Who sends from ever so many addresses takes so many rows, in one run and over all that are merged. No packet is lost.
func TestSendersAreBounded(t *testing.T) {
	var all *rejects.Result
	for i := range 3 {
		r := refusedOf(t, 6000, fmt.Sprint(i, ".pcap"))
		if n := len(r.Rows[0].Senders); len(r.Rows) != 1 || n != 4096 || r.Rows[0].Packets != 18000 || !r.HasSenders() {
			t.Fatalf("%d rows, %d senders of %d packets", len(r.Rows), n, r.Rows[0].Packets)
		}
		if all == nil {
			all = r
			continue
		}
		all.Merge(r)
	}
	row := all.Rows[0]
	first := row.Senders[0]
	want := rejects.Sender{Sender: netip.MustParseAddrPort("0.0.0.0:9"), Packets: 3 * (6000 + 2), File: "0.pcap", N: 1}
	if len(row.Senders) != 4096 || row.Packets != 54000 || first != want {
		t.Errorf("%d senders of %d packets, the first %+v, want %+v", len(row.Senders), row.Packets, first, want)
	}
}

// Parts merge to the same senders in any order.
func TestSendersMergeInAnyOrder(t *testing.T) {
	var sets [2]*rejects.Result
	for i := range 4 {
		for j, of := range []int{i, 3 - i} {
			r := refusedOf(t, 5+of, fmt.Sprint(of, ".pcap"))
			if sets[j] == nil {
				sets[j] = r
				continue
			}
			sets[j].Merge(r)
		}
	}
	if a, b := sets[0].Rows, sets[1].Rows; !reflect.DeepEqual(a, b) || len(a[0].Senders) != 8 {
		t.Errorf("%+v\nand\n%+v", a, b)
	}
}
