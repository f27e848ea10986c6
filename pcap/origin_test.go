package pcap

import (
	"fmt"
	"testing"
)

// The stream of captures does not depend on their order or directories, and differs with a name, a size, a byte.
func TestOrigin(t *testing.T) {
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
	a, b := file{"a.pcap", 10, "x"}, file{"b.pcap", 10, "x"}
	if stream(a, b) != stream(b, file{"dir/a.pcap", 10, "x"}) {
		t.Error("order or directory matters")
	}
	seen := map[uint64]string{}
	for _, list := range [][]file{{}, {a}, {b}, {a, b}, {a, a}, {{"a.pcap", 11, "x"}}, {{"a.pcap", 10, "y"}}, {{"a.pcap", -1, "x"}}, {{"a.pca", 10, "px"}}} {
		if was, twice := seen[stream(list...)]; twice {
			t.Errorf("%v is %s", list, was)
		}
		seen[stream(list...)] = fmt.Sprint(list)
	}
}
