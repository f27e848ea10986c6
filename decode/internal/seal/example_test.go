package seal_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/internal/seal"
)

func Example() {
	c, err := seal.New(seal.Find("chacha20poly1305"), make([]byte, 32))
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce, ad := make([]byte, 12), []byte("NETCODE 1.02\x00")
	sealed := c.Seal(nil, nonce, []byte("jump"), ad, 0)
	plain, ok := c.Open(nil, nonce, sealed, ad, 0)
	fmt.Printf("%d bytes, opened %q, %t\n", len(sealed), plain, ok)
	sealed[0] ^= 1
	_, ok = c.Open(nil, nonce, sealed, ad, 0)
	fmt.Println("one bit flipped:", ok)
	fmt.Println(c)
	// Output:
	// 20 bytes, opened "jump", true
	// one bit flipped: false
	// chacha20poly1305 (key hidden)
}
