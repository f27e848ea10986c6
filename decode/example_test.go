package decode_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pktscope/pktscope/decode"
)

// A schema that imports others: here from memory; Dir is a directory of the disk.
func ExampleLoadFS() {
	files := decode.Texts{
		"move.pks": "protocol move\norder lsb\npacket { id uint8 == 1, x uint16 }\n",
		"shot.pks": "protocol shot\norder msb\npacket { id uint8 == 2, at uint16 }\n",
	}
	src := `protocol game
order msb
import "move.pks"
import "shot.pks"
packet { body switch peek(8) { 1: Move, 2: Shot } }
`
	d, err := decode.LoadFS(files, "game.pks", []byte(src))
	if err != nil {
		log.Fatal(err)
	}
	var t decode.Trace
	for _, packet := range [][]byte{{1, 2, 0}, {2, 0, 3}, {3}} {
		err := d.Decode(packet, decode.FromUnknown, &t)
		for f := range t.Fields() {
			fmt.Print(f.Path(), " = ", f.Value(), "  ")
		}
		fmt.Println(err)
	}
	_, err = decode.LoadFS(files, "game.pks", []byte("protocol game\norder msb\nimport \"../move.pks\"\npacket { a uint8 }\n"))
	fmt.Println(err)
	// Output:
	// body.id = 1  body.x = 2  <nil>
	// body.id = 2  body.at = 3  <nil>
	// body: unknown-case at bit 0 (byte 0): want 1..2 in 8 bits, got 3
	// game.pks:3:8: error: want a name in this directory, got `../move.pks`; put the file there and write `import "move.pks"`
}

// Every field of a packet that a schema describes, and why it was refused if it was.
func Example() {
	packet := []byte("\xde\xad\xbe\xef\x74\xa6\x21\xc9\x87\x01\x62\x6f") // its last byte was lost

	src, err := os.ReadFile("testdata/shot.pks")
	if err != nil {
		log.Fatal(err)
	}
	d, err := decode.Load("shot.pks", src) // *schema.Diagnostics: all of them, file:line:column first
	if err != nil {
		log.Fatal(err)
	}
	var t decode.Trace
	err = d.Decode(packet, decode.FromUnknown, &t) // nil, or the *reject.Reject in t: errors.Is(err, reject.OutOfRange)
	for f := range t.Fields() {
		fmt.Printf("%s = %s (%d bits at bit %d)\n", f.Path(), f.Value(), f.Width(), f.Bit())
	}
	if err != nil {
		fmt.Println("rejected:", err)
	}
	// Output:
	// token = ‹secret 4 B› (32 bits at bit 0)
	// weapon = Missile (3 bits at bit 32)
	// at.x = -12.5 (10 bits at bit 35)
	// at.y = 3.25 (10 bits at bit 45)
	// n = 2 (2 bits at bit 55)
	// hits[0] = 100 (7 bits at bit 57)
	// hits[1] = 7 (7 bits at bit 64)
	// rejected: name: past-end at bit 80 (byte 10): want 24 bits, got 16 left
}
