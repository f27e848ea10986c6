// Command gen makes the corpus: the seed files, a small session of each built-in protocol, and R-Type captures of any
// length for measurements.
//
//	go run ./corpus/gen                                     every file under corpus/, always the same bytes
//	go run ./corpus/gen -packets 1000000 -o big.pcap        one R-Type session of that many packets
//	go run ./corpus/gen -protocol packets -o packets.pcap   one session of another protocol
//
// It writes the wire and captures by hand and knows nothing of schemas or of the decoder, which its test holds against
// it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What the files under corpus/ are made with.
const (
	committedSeed    = 1
	committedRType   = 1800 // packets: about 260 kB
	committedPackets = 240
	committedGaffer  = 300
	committedCourse  = 240
)

func main() {
	dir := flag.String("dir", "corpus", "`directory` to write all committed files into")
	out := flag.String("o", "", "write one capture to this `file` instead (- is standard output)")
	protocol := flag.String("protocol", "rtype", "protocol of that capture: "+sessionNames())
	packets := flag.Int("packets", 0, "`number` of packets in it; 0 is as many as the committed one has")
	seed := flag.Uint64("seed", committedSeed, "`number` that the session follows from")
	flag.Parse()
	if err := run(*dir, *out, *protocol, *packets, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(2)
	}
}

func run(dir, out, protocol string, packets int, seed uint64, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("want no arguments, got %q", args)
	}
	if packets < 0 {
		return fmt.Errorf("-packets: want 0 or more, got %d", packets)
	}
	if out == "" {
		if packets > 0 {
			return fmt.Errorf("-packets goes with -o: the committed files have their own lengths")
		}
		return writeAll(dir, seed)
	}
	session, ok := sessions[protocol]
	if !ok {
		return fmt.Errorf("-protocol: want %s, got %q", sessionNames(), protocol)
	}
	if packets == 0 {
		packets = session.committed
	}
	if out == "-" {
		return writeCapture(os.Stdout, session.play, packets, seed)
	}
	return writeFile(out, func(w io.Writer) error { return writeCapture(w, session.play, packets, seed) })
}

// A player plays a session to a sink until the sink has had enough.
type play func(seed uint64, s *sink)

var sessions = map[string]struct {
	play      play
	committed int
}{
	"rtype":   {playRType, committedRType},
	"packets": {playPackets, committedPackets},
	"gaffer":  {playGaffer, committedGaffer},
	"course":  {playCourse, committedCourse},
}

// sessionNames lists them for a person: "course, gaffer, packets or rtype".
func sessionNames() string {
	names := slices.Sorted(maps.Keys(sessions))
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// writeAll makes every committed file.
func writeAll(dir string, seed uint64) error {
	for name, make := range committed(seed) {
		if err := writeFile(filepath.Join(dir, name), make); err != nil {
			return err
		}
	}
	return nil
}

// committed gives each file under corpus/ by its name there.
func committed(seed uint64) map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{
		"rtype.txt":   func(w io.Writer) error { return writeSeeds(w, rtypeHead, rtypeSeeds()) },
		"packets.txt": func(w io.Writer) error { return writeSeeds(w, packetsHead, packetsSeeds()) },
		"gaffer.txt":  func(w io.Writer) error { return writeSeeds(w, gafferHead, gafferSeeds()) },
		"course.txt":  func(w io.Writer) error { return writeSeeds(w, courseHead, courseSeeds()) },
	}
	for name, s := range sessions {
		files[name+".pcap"] = func(w io.Writer) error { return writeCapture(w, s.play, s.committed, seed) }
	}
	return files
}

// writeFile writes through a buffer: a session is streamed, however long it is.
func writeFile(path string, content func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = content(w)
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
