package corpus_test

import (
	"fmt"

	"github.com/pktscope/pktscope/corpus"
)

func ExampleParseSeeds() {
	seeds, err := corpus.ParseSeeds([]byte("# my packets\nping client 0001\nempty any - # nothing in it\n"))
	for _, s := range seeds {
		fmt.Printf("%s from %s: %d bytes\n", s.Name, s.From, len(s.Data))
	}
	fmt.Println(err)
	_, err = corpus.ParseSeeds([]byte("ping client 0001\nping client 0002\n"))
	fmt.Println(err)
	// Output:
	// ping from client: 2 bytes
	// empty from any: 0 bytes
	// <nil>
	// line 2: ping is the name of line 1 too
}
