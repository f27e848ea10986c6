package corpus

import (
	"embed"
	"slices"
	"strings"
)

// The files that `go run ./corpus/gen` makes. They are named one a line because go-fuzz-build, which copies packages
// about, knows no patterns and no folders here.
//
//go:embed course.txt
//go:embed gaffer.txt
//go:embed packets.txt
//go:embed rtype.txt
var files embed.FS

// The captures stand alone, so that a program that takes only seeds does not carry them.
//
//go:embed course.pcap
//go:embed gaffer.pcap
//go:embed packets.pcap
//go:embed rtype.pcap
var captures embed.FS

// Protocols lists the protocols that have seeds, in alphabetical order.
func Protocols() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("pktscope: internal error: embedded corpus: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".txt"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Seeds gives the valid packets of a protocol in the order of its file, nil for a protocol without any. The caller owns
// what it gets.
func Seeds(protocol string) []Seed {
	if !slices.Contains(Protocols(), protocol) {
		return nil
	}
	src, err := files.ReadFile(protocol + ".txt")
	if err != nil {
		panic("pktscope: internal error: embedded corpus: " + err.Error())
	}
	seeds, err := ParseSeeds(src)
	if err != nil {
		panic("pktscope: internal error: embedded corpus: " + protocol + ".txt: " + err.Error())
	}
	return seeds
}

// Capture gives the pcap file of a protocol's session, nil for a protocol without seeds. The caller owns the bytes.
func Capture(protocol string) []byte {
	if !slices.Contains(Protocols(), protocol) {
		return nil
	}
	data, err := captures.ReadFile(protocol + ".pcap")
	if err != nil {
		panic("pktscope: internal error: embedded corpus: " + err.Error())
	}
	return data
}
