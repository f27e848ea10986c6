package sealing_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/sealing"
)

const shots = `protocol shots
order lsb
packet {
    number uint64 @seq
    body sealed(2) chacha20poly1305 { key key.game, nonce uint32 0, uint64 number, open Shot }
}
message Shot max 2 { angle uint16 }
`

// trusting is a reader that opens nothing and takes all.
type trusting struct{}

func (trusting) Close() error { return nil }
func (trusting) Send([]byte, decode.Direction) (oracle.Reply, error) {
	return oracle.Reply{Outcome: oracle.Accepted}, nil
}

func Example() {
	d, err := decode.Load("shots.pks", []byte(shots))
	if err != nil {
		log.Fatal(err)
	}
	file, err := keys.Read("lab.keys", strings.NewReader("game "+strings.Repeat("2a", 32)))
	if err != nil {
		log.Fatal(err)
	}
	s, err := sealing.New(d, "Shot", file, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, found, err := sealing.Auth(trusting{}, s, []byte{1, 2}, "")
	for i := range found {
		fmt.Println(found[i].Rule, found[i].Cause)
	}
	fmt.Println(err)
	// Output:
	// auth.tag the reader takes a packet whose tag is wrong
	// auth.text the reader takes a packet whose text was changed
	// auth.nonce the reader takes a packet that was sealed with another nonce
	// auth.replay the reader takes a packet twice
	// auth.old the reader takes a packet with an old sequence number
	// <nil>
}
