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

// An object that serializes itself is what it sends, whoever looks at what comes back.
func TestObjectsThatSerializeThemselves(t *testing.T) {
	for _, one := range []struct{ body, want, not string }{
		{"if (!head.Serialize(stream)) return false;", "    head Head\n}", "//?"},
		{"if (!this->m_head.Serialize( stream )) { return false; }", "    head Head\n}", "?"},
		{"head.Serialize(stream);", "    head Head\n}", "?"},
		{"bool ok = head.Serialize(stream);", "what is sent here is not known", ""},
		{"return head.serialize(stream);", "    head Head\n}", "?"},
		{"return head.Serialize(stream) && list[1].Serialize(stream);", "    head Head\n    list Head\n}", "?"},
		{"if (head.Serialize(stream) == false || !list[0].Serialize(stream)) return false;", "    head Head\n    list Head\n}", "?"},
		{"if (!serialize_int(stream, n, 0, 7) || !serialize_bool(stream, b)) return false;", "    n int(0..7)\n    b bool\n}", "?"},
		{"return serialize_int(stream, n, 0, 7);", "    n int(0..7)\n}", "?"},
		{"serialize_int(stream, n, 0, 7); for (int i = 0; i < n; i++) { if (!list[i].Serialize(stream)) return false; }", "    list [n]Head\n", "?"},
		{"for (int i = 0; i < 4; i++) if (!list[i].Serialize(stream)) return false;", "    list [4]Head\n", "?"},
		{"serialize_int(stream, n, 0, 7); for (int i = 0; i < n; i++) { if (!far(i).Serialize(stream)) return false; }",
			"`( ! far ( i ) . Serialize ( stream ) )` holds is left out\n}", "refused"},
		{"serialize_int(stream, n, 0, 7); for (int i = 0; i < n; i++) far->Serialize(stream);", "the type of `far` is not in the header", "["},
		{"serialize_bool(stream, b); if (b && !head.Serialize(stream)) return false;", "what is sent where `", "Head\n"},
		{"stream.Serialize(head);", "what is sent here is not known", "    head"},
	} {
		header := "struct Head { int x; template <typename S> bool Serialize(S& stream) { serialize_bits(stream, x, 5); return true; } };\n" +
			"struct Packet { int n; bool b; Head head, m_head; Head list[7]; template <typename S> bool Serialize(S& stream) { serialize_bits(stream, z, 3); " +
			one.body + " } };"
		d, err := importer.Import([]importer.File{{Name: "x.hpp", Src: []byte(header)}}, importer.Options{Order: "lsb"})
		if err != nil {
			t.Errorf("%s: %v", one.body, err)
			continue
		}
		text := strings.Join(strings.Fields(string(d.Source)), " ")
		want := strings.Join(strings.Fields(one.want), " ")
		if !strings.Contains(text, want) || one.not != "" && strings.Contains(string(d.Source), one.not) {
			t.Errorf("%s: want %q and not %q in\n%s", one.body, one.want, one.not, d.Source)
		}
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
