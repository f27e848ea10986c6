// Package protocols holds the built-in protocol descriptions: the .pks sources, embedded.
package protocols

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
)

// Each by its name: go-fuzz-build does not understand a pattern.
//
//go:embed artnet.pks
//go:embed coap.pks
//go:embed course.pks
//go:embed dhcp.pks
//go:embed dns.pks
//go:embed enet.pks
//go:embed gaffer.pks
//go:embed mavlink.pks
//go:embed ntp.pks
//go:embed packets.pks
//go:embed quic.pks
//go:embed rtcp.pks
//go:embed rtp.pks
//go:embed rtype.pks
//go:embed stun.pks
//go:embed tftp.pks
var sources embed.FS

// Names lists the built-in protocols in alphabetical order.
func Names() []string {
	entries, err := sources.ReadDir(".")
	if err != nil {
		panic("pktscope: internal error: embedded protocols: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".pks"))
	}
	return names
}

// ports are those of the built-in protocols' schemas, so that a port chooses one without reading any. A test holds them
// to the schemas.
var ports = map[string][]uint16{
	"artnet":  {6454},
	"coap":    {5683},
	"course":  {4002},
	"dhcp":    {67, 68},
	"dns":     {53, 5353},
	"gaffer":  {4001},
	"mavlink": {14550},
	"ntp":     {123},
	"packets": {4000},
	"quic":    {443, 4433},
	"rtcp":    {5005},
	"rtp":     {5004},
	"rtype":   {4124},
	"stun":    {3478},
	"tftp":    {69},
}

// Ports lists the ports of a built-in protocol, as Load's Schema has them, without compiling it. The list is not to be
// changed.
func Ports(name string) []uint16 { return ports[name] }

// Load makes the decoder of a built-in protocol. The error names those that there are, or is that of a param (see
// decode.Load).
func Load(name string, params ...decode.Param) (*decode.Decoder, error) {
	src, ok := Source(name)
	if !ok {
		return nil, fmt.Errorf("%q is no built-in protocol: want %s", name, strings.Join(Names(), ", "))
	}
	return decode.Load(name+".pks", src, params...)
}

// Source is the source of a built-in protocol; false when there is none of that name.
func Source(name string) ([]byte, bool) {
	src, err := sources.ReadFile(name + ".pks")
	return src, err == nil
}

// Dir is the directory of the built-ins' sources, from which examples import.
func Dir() fs.FS { return sources }

// Shipped is the source of a built-in protocol or of an example, which is chosen by its name alone (corpus/examples);
// false when there is none of that name.
func Shipped(name string) ([]byte, bool) {
	if src, ok := Source(name); ok {
		return src, true
	}
	return examples.Source(name)
}

// ShippedNames lists the names that Shipped knows, the built-ins first.
func ShippedNames() []string { return slices.Concat(Names(), examples.Names()) }
