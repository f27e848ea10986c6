// Package examples holds protocol descriptions to learn from and to copy: protocols of games, of networks, and forms
// that many devices share. Each is written from its specification, which its first lines name, or in two cases from the
// source that is all there is.
//
// They differ from the built-ins (decode/protocols) in what is after them. A built-in is held field by field
// against an independent reader on packets of real programs, and a capture's port chooses it. An example is chosen by
// name alone. Those with a NAME.pcap here, which corpus/gen/NAME.sh has recorded of real programs, are held against
// another reader as well, which said what is in NAME.fields; of some others generated packets are. All are checked,
// formatted, generated and audited by the tests in corpus/gen.
package examples

import (
	"embed"
	"strings"
)

// Each by its name: go-fuzz-build does not understand a pattern.
//
//go:embed a2s.pks
//go:embed bfd.pks
//go:embed geneve.pks
//go:embed netcode.pks
//go:embed osc.pks
//go:embed ptp.pks
//go:embed quake3.pks
//go:embed raknet.pks
//go:embed reliable.pks
//go:embed sacn.pks
//go:embed serial.pks
//go:embed sflow.pks
//go:embed vxlan.pks
//go:embed webrtc.pks
//go:embed wireguard.pks
//go:embed yojimbo.pks
var sources embed.FS

//go:embed netcode.pkd
var dialogues embed.FS

// Dialogue is what a client says until a server of an example lets it in, in the language of package fuzz/dialogue; false
// where there is none of that name.
func Dialogue(name string) ([]byte, bool) {
	src, err := dialogues.ReadFile(name + ".pkd")
	return src, err == nil
}

// Names lists the examples in alphabetical order.
func Names() []string {
	entries, err := sources.ReadDir(".")
	if err != nil {
		panic("pktscope: internal error: embedded examples: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".pks")
	}
	return names
}

// Source is the source of an example; false when there is none of that name.
func Source(name string) ([]byte, bool) {
	src, err := sources.ReadFile(name + ".pks")
	return src, err == nil
}
