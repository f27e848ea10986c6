package wirediff_test

import (
	"os"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/wirediff"
)

// What a wider range does: the new reader reads old packets, and a packet shows what an old reader refuses.
func Example() {
	old, _ := decode.Load("old.pks", []byte("protocol p\norder lsb\npacket {\n    health int(0..100)\n}\n"))
	now, _ := decode.Load("new.pks", []byte("protocol p\norder lsb\npacket {\n    health int(0..120)\n}\n"))
	report := wirediff.Compare(old, now, wirediff.Options{Seed: 1, Count: 100})
	_, _ = os.Stdout.Write(wirediff.AppendText(nil, report, "old.pks", "new.pks"))
	// Output:
	// the new reader reads old packets; old readers do not read all new ones
	//
	// case         old packets  new packets  first bit
	// all packets  read         break        0
	//
	// all packets
	//   health may now also be 101
	//     - old.pks:4  health int(0..100)
	//     + new.pks:4  health int(0..120)
	//   new packet 78, from server: the old reader refuses it: health: out-of-range at bit 0 (byte 0): want 0..100 in 7 bits, got 120
}
