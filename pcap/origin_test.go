package pcap

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
)

// The stream of captures does not depend on their order or directories, nor on what packets hold, and differs with a
// name, a size, the time of a packet and its length.
func TestOrigin(t *testing.T) {
	head := func(time int64, payload string) string {
		var file bytes.Buffer
		w := NewWriter(&file, Section{})
		at := netip.MustParseAddrPort("127.0.0.1:4000")
		for i := range int64(3) {
			if err := w.WriteUDP(time+i, at, at, []byte(payload)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return file.String()[:file.Len()-1] // the last packet is cut
	}
	x, y, other, longer := head(1, "x"), head(2, "x"), head(1, "y"), head(1, "xxxxx")
	type file struct {
		name string
		size int64
		head string
	}
	stream := func(files ...file) uint64 {
		var o Origin
		for _, f := range files {
			o.Add(f.name, f.size, []byte(f.head))
		}
		return o.Stream()
	}
	a, b := file{"a.pcap", 10, x}, file{"b.pcap", 10, x}
	if stream(a, b) != stream(b, file{"dir/a.pcap", 10, x}) {
		t.Error("order or directory matters")
	}
	if stream(a) != stream(file{"a.pcap", 10, other}) {
		t.Error("a payload matters")
	}
	seen := map[uint64]string{}
	for _, list := range [][]file{{}, {a}, {b}, {a, b}, {a, a}, {{"a.pcap", 11, x}}, {{"a.pcap", 10, y}}, {{"a.pcap", 10, longer}}, {{"a.pcap", 10, ""}}, {{"a.pcap", -1, x}}, {{"a.pca", 10, x}}} {
		if was, twice := seen[stream(list...)]; twice {
			t.Errorf("%v is %s", list, was)
		}
		seen[stream(list...)] = fmt.Sprint(list)
	}
}
