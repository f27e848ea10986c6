package infer_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/pktscope/pktscope/decode/infer"
)

// Packets of a checksum over a word that is never sent, a number that rises and one that does not look like anything.
func Example() {
	var s infer.Sample
	for i := range 200 {
		p := binary.LittleEndian.AppendUint16(make([]byte, 4), uint16(i))
		p = binary.LittleEndian.AppendUint32(p, uint32(i)*2654435761)
		p = append(p, make([]byte, i%3)...)
		sum := crc32.ChecksumIEEE(append([]byte("LCNS"), p...))
		binary.LittleEndian.PutUint32(p, sum)
		s.Add(&infer.Packet{N: int64(i + 1), Data: p})
	}
	res, err := infer.Infer(&s, infer.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Checksum)
	fmt.Println(res.Refused, "of", res.Packets, "are refused")
	fmt.Println(strings.Contains(string(res.Source), "crc32(prefix 0x534e434c : uint32)"))
	// Output:
	// crc32, 4 bytes at byte 0, after 0x534e434c, which is never sent
	// 0 of 200 are refused
	// true
}
