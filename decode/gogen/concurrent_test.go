package gogen_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/gogen/testdata/derived"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// Readers share nothing: each goroutine has one, and all read the same datagrams. What lies after a datagram in its
// buffer is none of theirs. One packet is written by all at once: Append changes nothing of it, lengths that it finds
// included. The race detector watches.
func TestConcurrent(t *testing.T) {
	shared := snapshot()
	shared.Body.Snapshot.PlayerCount = 0
	lengths := chunks("first", "second")
	wantShared, err := shared.Append(nil, rtype.FromServer)
	if err != nil {
		t.Fatal(err)
	}
	wantLengths, err := lengths.Append(nil, derived.FromUnknown)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var r rtype.PacketReader
			var rv rtype.Packet
			var g gaffer.PacketReader
			var gv gaffer.Packet
			for _, name := range []string{"rtype", "gaffer"} {
				for _, s := range corpus.Seeds(name) {
					for n := range len(s.Data) + 1 {
						same := ""
						for _, data := range [][]byte{s.Data[:n], slices.Clip(bytes.Clone(s.Data[:n]))} {
							err := error(nil)
							if name == "rtype" {
								err = r.Decode(data, rtype.From(senders[s.From]), &rv)
							} else {
								err = g.Decode(data, gaffer.From(senders[s.From]), &gv)
							}
							if got := fmt.Sprint(err); same != "" && got != same {
								t.Errorf("%s, %d bytes: %s with the rest after it, %s without", s.Name, n, same, got)
							} else {
								same = got
							}
						}
					}
				}
			}
			for range 100 {
				if out, err := shared.Append(nil, rtype.FromServer); err != nil || !bytes.Equal(out, wantShared) {
					t.Errorf("%x, %v", out, err)
				}
				if out, err := lengths.Append(nil, derived.FromUnknown); err != nil || !bytes.Equal(out, wantLengths) {
					t.Errorf("%x, %v", out, err)
				}
			}
		})
	}
	wg.Wait()
}
