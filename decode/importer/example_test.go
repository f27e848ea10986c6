package importer_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/importer"
)

// A message of mas-bandwidth/schema as a schema of this language.
func Example() {
	src := "package shot\n\nmessage Fire {\n    aim   int16 [min = -90, max = 90] // degrees\n    armed bool\n}\n"
	draft, err := importer.Import([]importer.File{{Name: "shot.schema", Src: []byte(src)}}, importer.Options{Packet: "Fire"})
	fmt.Printf("%s%v", draft.Source, err)
	// Output:
	// // Drafted from shot.schema by `pktscope schema import`: add `port` and `max datagram`.
	// protocol shot
	// order lsb
	//
	// packet {
	//     aim   int(-90..90) // degrees
	//     armed bool
	// }
	// <nil>
}
