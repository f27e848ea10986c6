package pcap

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A PortRange is the UDP ports First..Last, both included.
type PortRange struct{ First, Last uint16 }

// ParsePortRange reads a port, 4124, or several that follow each other, 4000-4010.
func ParsePortRange(text string) (PortRange, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, err1 := strconv.ParseUint(first, 10, 16)
	b, err2 := strconv.ParseUint(last, 10, 16)
	if err1 != nil || err2 != nil || a > b {
		return PortRange{}, fmt.Errorf("port %q: want 0..65535, or two of them as in 4000-4010", text)
	}
	return PortRange{uint16(a), uint16(b)}, nil
}

// String is the range as ParsePortRange takes it.
func (p PortRange) String() string {
	if p.First == p.Last {
		return strconv.Itoa(int(p.First))
	}
	return fmt.Sprintf("%d-%d", p.First, p.Last)
}

// Has reports whether a port is one of them.
func (p PortRange) Has(port uint16) bool { return p.First <= port && port <= p.Last }

// maxPorts is how many ports ParsePorts takes: as many as a range of a schema has.
const maxPorts = 1024

// ParsePorts reads the ports of a server, 1..65535 and at most 1024 of them, with commas: 4000-4010,5000. They keep their
// order; one that is named twice is an error.
func ParsePorts(text string) ([]uint16, error) {
	var all []uint16
	for word := range strings.SplitSeq(text, ",") {
		r, err := ParsePortRange(word)
		if err != nil || r.First == 0 {
			return nil, errors.New("want ports of 1..65535, such as 4124 or 4000-4010,5000")
		}
		if len(all)+int(r.Last-r.First) >= maxPorts {
			return nil, fmt.Errorf("want at most %d ports", maxPorts)
		}
		for port := int(r.First); port <= int(r.Last); port++ {
			if slices.Contains(all, uint16(port)) {
				return nil, fmt.Errorf("port %d is named twice", port)
			}
			all = append(all, uint16(port))
		}
	}
	return all, nil
}
