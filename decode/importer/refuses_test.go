package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/importer"
)

// What code refuses beside its fields' ranges is a rule of the draft, or a doubt where the draft cannot say it.
func TestRefusals(t *testing.T) {
	const header = `struct Packet {
    int n;
    int m;
    template <typename Stream> bool Serialize( Stream & stream ) {
        serialize_int( stream, n, 0, 12 );
        if ( Stream::IsReading && n > 10 ) return false;
        serialize_int( stream, m, 0, 50 );
        if ( m == 7 )
            return false;
        if ( n > m ) { return false; }
        if ( Stream::IsWriting ) { if ( n < 0 ) return false; }
        return true;
    }
};
`
	d, err := importer.Import([]importer.File{{Name: "x.hpp", Src: []byte(header)}}, importer.Options{Order: "lsb"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"require !(m == 7)", "require !(n > m)", "n > 10 )` holds is left out: say it with `require`"} {
		if !strings.Contains(string(d.Source), want) {
			t.Errorf("no %q in\n%s", want, d.Source)
		}
	}
	if n := strings.Count(fmt.Sprint(d.Warnings), "require"); n != 1 {
		t.Errorf("%d doubts about refusals: %v", n, d.Warnings)
	}
}
