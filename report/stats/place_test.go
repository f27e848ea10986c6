package stats

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/saved"
)

// A silence names the file of each of its records, also across the border of two files and of two pieces.
func TestSilencesNameFiles(t *testing.T) {
	client, server := addr("10.0.0.1:5"), addr("10.0.0.2:9")
	tr := sampled("", newCounter(t, wide+"expect timeout 2s\n"), func(add func(e decode.Envelope, payload []byte)) {
		for i, file := range []string{"ring-1.pcap", "ring-1.pcap", "ring-2.pcap"} {
			add(decode.Envelope{N: int64(7 - i), File: file, Time: 1e18 + int64(i)*5e9, Src: client, Dst: server}, []byte{0, 0, byte(i)})
		}
	})
	s := tr.piece(saved.Piece{Stream: 7, Plan: 1, From: 1, To: 2, Of: 2}, 2, 3)
	if err := s.Union(tr.piece(saved.Piece{Stream: 7, Plan: 1, From: 0, To: 1, Of: 2}, 0, 2)); err != nil {
		t.Fatal(err)
	}
	list := savedAgain(t, s).Summary().Silences.Longest
	if len(list) != 2 || list[0].File != "ring-1.pcap" || list[0].BeforeFile != "" || list[0].After != 7 || list[0].Before != 6 ||
		list[1].File != "ring-1.pcap" || list[1].BeforeFile != "ring-2.pcap" || list[1].After != 6 || list[1].Before != 5 {
		t.Errorf("%+v", list)
	}
}
