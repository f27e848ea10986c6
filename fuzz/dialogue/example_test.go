package dialogue_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/dialogue"
)

func Example() {
	d, err := protocols.Load("tftp")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = dialogue.Load("put.pkd", []byte(`dialogue put
send Wrq { filename = "f", mode = "octet", options = [] }
expect Ack { blok == 0 }
state Writing
`), d)
	fmt.Println(err)
	// Output: put.pkd:3:14: error: Ack has no field blok
}
