package decode_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pktscope/pktscope/decode"
)

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
