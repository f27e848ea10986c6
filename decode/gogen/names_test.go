package gogen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/gogen"
)

// The names of a schema come first: only these few, which doc.go lists, are the package's own.
func TestNamesAreTheSchemas(t *testing.T) {
	need.OneGoroutine(t)
	words := []string{"Kind", "Side", "Reader", "Writer", "Reject", "Relative", "Client", "Server", "Unknown", "None", "Note", "PastEnd",
		"OutOfRange", "TrailingBytes", "DatagramSize", "RuleBroken", "Decoder", "Error", "String", "Append", "Decode", "Bits"}
	ours := []string{"Packet", "PacketReader", "PacketReject", "PacketRelative", "RejectKind", "RejectPastEnd", "From", "FromClient",
		"MaxBits", "MaxDatagram", "FuzzDecode", "BenchmarkDecode"}
	for _, declare := range []string{"struct %s { a uint8 }\n", "enum %s : uint8 { A = 0 }\n"} {
		for _, name := range slices.Concat(words, ours) {
			schema := "protocol names\norder lsb\n" + strings.ReplaceAll(declare, "%s", name) + "packet { x " + name + " }\n"
			out, err := gogen.Generate(compile(t, name, []byte(schema)), gogen.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := name
			if slices.Contains(ours, name) {
				want += "2"
			}
			if src := string(out.Files[0].Source); !strings.Contains(src, "\ntype "+want+" ") || (len(out.Mangled) > 0) != (want != name) {
				t.Errorf("%s: want it called %s, mangled: %v", name, want, out.Mangled)
			}
		}
	}
}
