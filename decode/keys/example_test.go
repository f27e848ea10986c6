package keys_test

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/pktscope/pktscope/decode/keys"
)

func Example() {
	f, err := keys.Read("lab.keys", strings.NewReader(`
private 606162636465666768696a6b6c6d6e6f
flow 10.0.0.2:50000 10.0.0.1:40000 key 0011 2233   # client to server, and back
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	server, client := netip.MustParseAddrPort("10.0.0.1:40000"), netip.MustParseAddrPort("10.0.0.2:50000")
	fmt.Println(f, f.Named("private"), len(f.Flow(server, client, "key").Reveal()))

	_, err = keys.Read("lab.keys", strings.NewReader("private 60616\n"))
	fmt.Println(err)
	// Output:
	// 3 keys (key hidden) 2
	// lab.keys:1: a key has two hexadecimal digits a byte, got 5 digits
}
