package vault_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/fuzz/zoo/vault"
)

// Nobody is in, and what is no packet of the protocol is not answered.
func Example() {
	s := vault.New(netip.MustParseAddrPort("127.0.0.1:40000"), 0)
	for _, packet := range []string{"", "\x00", "\x85\x00\x00\x00\x00\x00\x00\x00\x00", strings.Repeat("\x00", 1078)} {
		answer, err := s.Handle([]byte(packet), "client", time.Unix(0, 0))
		fmt.Println(len(answer), err)
	}
	// Output:
	// 0 <nil>
	// 0 <nil>
	// 0 <nil>
	// 0 <nil>
}

// The game takes the place of the example's message.
func TestPut(t *testing.T) {
	source, _ := examples.Source("netcode")
	got, ok := vault.Put(string(source))
	if !ok || strings.Contains(got, "data bytes(rest, max 1200)") || !strings.Contains(got, "slot uint8 in 0..9") {
		t.Error(got)
	}
	if _, ok := vault.Put("protocol x"); ok {
		t.Error("a source without the message has it")
	}
}
