package pcap_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/pktscope/pktscope/pcap"
)

// A capture of one packet (raw IP, UDP), cut after it in the middle of the
// next record's header.
const capture = "d4c3b2a1020004000000000000000000ffff000065000000" +
	"00f1536505000000210000002100000045000021000000004011000" +
	"00a0000010a000002101c0035000d000068656c6c6f" + "01f153650500"

func Example() {
	file := hex.NewDecoder(strings.NewReader(capture))
	datagrams := pcap.NewDatagrams(pcap.NewReader(file))
	for {
		d, err := datagrams.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println("broken at", err)
			break
		}
		fmt.Printf("%d %d %v > %v %q\n", d.N, d.Time, d.Src, d.Dst, d.Payload)
	}
	counts := datagrams.Counts()
	fmt.Println(counts.Datagrams, "datagrams,", counts.Of(pcap.NotUDP), pcap.NotUDP)
	// Output:
	// 1 1700000000000005000 10.0.0.1:4124 > 10.0.0.2:53 "hello"
	// broken at byte 79: cut in header of packet 2: want 16 bytes from byte 73, got 6
	// 1 datagrams, 0 not-udp
}

// A capture that runs for weeks keeps the newest ten files of 100 MB.
func ExampleCreateFile() {
	dir, err := os.MkdirTemp("", "ring")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, err := pcap.CreateFile(filepath.Join(dir, "game.pcapng"), pcap.Section{}, pcap.Rotation{Bytes: 100e6, Files: 10})
	if err != nil {
		log.Fatal(err)
	}
	ends := pcap.NewSynthetic(4124) // packets of a capture have addresses and times of their own
	for _, payload := range []string{"hello", "world"} {
		if err := w.WriteUDP(ends.Time(0, false), ends.Client, ends.Server, []byte(payload)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Size() > 0)
	// Output: true
}
