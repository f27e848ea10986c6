package examples_test

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/corpus/examples"
)

// Each example says in its first line what it describes.
func Example() {
	src, _ := examples.Source("wireguard")
	fmt.Println(strings.Split(string(src), "\n")[0])
	_, ok := examples.Source("nothing")
	fmt.Println(ok)
	// Output:
	// // WireGuard: the four messages of its protocol, version 1. What they seal stays sealed.
	// false
}
