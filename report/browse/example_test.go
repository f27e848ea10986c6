package browse_test

import (
	"log"
	"os"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report/browse"
	"github.com/pktscope/pktscope/report/scan"
)

// A capture is browsed on the terminal until the user quits.
func Example() {
	f, err := os.Open("game.pcap")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	d, err := protocols.Load("rtype")
	if err != nil {
		log.Fatal(err)
	}
	err = browse.Run(browse.Options{Name: f.Name(), Store: browse.NewStore(f, info.Size()), Scan: scan.Options{Decoders: scan.ByPort(d)}, Colour: true})
	if err != nil {
		log.Fatal(err)
	}
}
