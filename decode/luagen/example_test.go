package luagen_test

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/luagen"
	"github.com/pktscope/pktscope/decode/protocols"
)

// The dissector of a built-in protocol, ready to be written to a file.
func Example() {
	d, err := protocols.Load("rtype")
	if err != nil {
		fmt.Println(err)
		return
	}
	file := luagen.FileName(d.Plan())
	text := luagen.Source(d.Plan(), "-p rtype", file)
	fmt.Println(file, luagen.Ours([]byte(text)))
	fmt.Println(strings.Contains(text, `{"body.players.health", "health", type = "uint32"}`))
	fmt.Println(strings.Contains(text, "local PORTS, serves = {4124}, {}"))
	// Output:
	// rtype.lua true
	// true
	// true
}
