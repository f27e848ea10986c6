package report

import (
	"net/netip"
	"testing"
)

// Addresses that share a place have their own texts, whichever came last; a kept one allocates nothing.
func TestPeers(t *testing.T) {
	var p peers
	addrs := []string{"10.0.0.1:4124", "10.0.0.2:4124", "10.0.0.1:4380", "[2001:db8::1]:28", "10.0.0.1:0", "[::]:256"}
	for range 2 {
		for _, want := range addrs {
			if got := string(p.append([]byte(">"), netip.MustParseAddrPort(want))); got != ">"+want {
				t.Errorf("want >%s, got %s", want, got)
			}
		}
	}
	room, one, other := make([]byte, 0, 64), netip.MustParseAddrPort(addrs[0]), netip.MustParseAddrPort(addrs[2])
	if n := testing.AllocsPerRun(100, func() { p.append(p.append(room, one)[:0], other) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
