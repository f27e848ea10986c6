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

// What a ladder counts from, how much fits into a buffer, where a loop begins and a side without content are said as they
// are, or doubted.
func TestSerializeDetails(t *testing.T) {
	const header = `const int MaxData = 200;
struct Packet {
    int n; int len; int a; uint8_t data[MaxData]; uint16_t ids[16]; uint16_t keys[4]; bool flag;
    template <typename Stream> bool Serialize( Stream & stream ) {
        serialize_int( stream, n, 1, 16 );
        serialize_bits( stream, len, 7 );
        serialize_bytes( stream, data, len );
        for ( int i = 1; i < n; ++i )
            serialize_int_relative( stream, ids[i-1], ids[i] );
        serialize_int_relative( stream, n, a );
        for ( int i = 1; i < 4; ++i )
            serialize_bits( stream, keys[i], 16 );
        if ( n > 3 ) { serialize_bool( stream, flag ); } else { }
        return true;
    }
};
`
	d, err := importer.Import([]importer.File{{Name: "x.hpp", Src: []byte(header)}}, importer.Options{Order: "lsb"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bytes(len, max 200)", "relative(0)", "a    relative(n)", "keys [3]bits(16)", "counts from, `ids [ i - 1 ]`, is not known", "does not begin at 0, so there are fewer elements than `n`"} {
		if !strings.Contains(string(d.Source), want) {
			t.Errorf("no %q in\n%s", want, d.Source)
		}
	}
	if strings.Contains(string(d.Source), "else") || strings.Contains(string(d.Source), "1024") {
		t.Errorf("got\n%s", d.Source)
	}
}
