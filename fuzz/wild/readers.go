package main

// reader is a packet reader that somebody else wrote.
type reader struct {
	name     string
	protocol string // a built-in, or "" for NAME.pks
	module   string // of the Go proxy, pinned in go.mod; "" for a reader in C
	library  string // of Debian, as pkg-config calls it; "" for a reader in Go
}

var readers = []reader{
	{name: "a2s", module: "github.com/rumblefrog/go-a2s"},
	{name: "coap", protocol: "coap", module: "github.com/plgd-dev/go-coap/v3"},
	{name: "dns", module: "github.com/miekg/dns"},
	{name: "enet", protocol: "enet", library: "libenet"},
	{name: "ntp", module: "github.com/beevik/ntp"},
	{name: "osc", module: "github.com/hypebeast/go-osc"},
	{name: "raknet", module: "github.com/sandertv/go-raknet"},
	{name: "rtcp", protocol: "rtcp", module: "github.com/pion/rtcp"},
	{name: "sflow", module: "github.com/netsampler/goflow2/v2"},
}
