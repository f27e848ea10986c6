package decode_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
)

// sealing is a schema for each algorithm: fields in the nonce and the additional data, something after what is sealed.
const sealing = `protocol sealing
order %s
state { each key bytes(%d) @secret }
packet {
    kind   bits(4)
    spare  bits(4)
    number uint32 be @seq
    salt   bytes(%d)
    size   uint16
    body   sealed(size, max 300) %s {
        key state.key
        %s
        open Text
    }
    after uint8
}
message Text max 300 { all bytes(rest, max 300) }
`

var sealings = []struct {
	algorithm string
	key, salt int
	options   string
}{
	{"chacha20poly1305", 32, 8, `nonce uint32 be number, salt, ad "GAME\0", uint8 kind, int16 le 0 - number %% 7`},
	{"xchacha20poly1305", 32, 20, `nonce salt, uint32 number, ad uint8 kind, salt`},
	{"aes128gcm", 16, 8, `nonce uint32 number, salt`},
	{"aes256gcm", 32, 8, `nonce uint32 number, salt, ad "x"`},
	{"xor", 5, 1, `at number %% 5`},
}

func load(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("sealing.pks", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func cipherOf(t testing.TB, s *decode.Sealed, key []byte) *decode.Cipher {
	t.Helper()
	c, err := decode.NewCipher(s.SealedText, keys.New(key))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSealed seals texts of many sizes with each algorithm and in both orders, opens them, and flips every bit of each
// packet: what is refused, and what is no part of what the tag covers, is known for each.
func TestSealed(t *testing.T) {
	for _, row := range sealings {
		for _, order := range []string{"lsb", "msb"} {
			t.Run(row.algorithm+" "+order, func(t *testing.T) {
				d := load(t, fmt.Sprintf(sealing, order, row.key, row.salt, row.algorithm, strings.ReplaceAll(row.options, "%%", "%")))
				tag := 16
				if row.algorithm == "xor" {
					tag = 0
				}
				carrier := make([]byte, 5+row.salt+2+tag+1)
				r, err := decode.NewResealer(d, carrier, decode.Client, "Text")
				if err != nil {
					t.Fatal(err)
				}
				key := bytes.Repeat([]byte{7, 1, 9}, 11)[:row.key]
				c := cipherOf(t, r.Sealed(), key)
				var trace decode.Trace
				for n := range 40 {
					plain := bytes.Repeat([]byte{byte(n), 0x55}, n)
					if n == 39 {
						plain = plain[:0]
					}
					packet, err := r.Append(nil, plain, c)
					if err != nil {
						t.Fatal(err)
					}
					if got, ok := open(t, d, packet, c, &trace); !ok || !bytes.Equal(got, plain) {
						t.Fatalf("%d bytes: opened %x, %t", len(plain), got, ok)
					}
					if n == 3 && tag > 0 {
						flipped(t, d, packet, c, len(plain))
					}
				}
			})
		}
	}
}

// open decodes a packet and opens what is sealed in it.
func open(t *testing.T, d *decode.Decoder, packet []byte, c *decode.Cipher, trace *decode.Trace) (plain []byte, ok bool) {
	t.Helper()
	if err := d.Decode(packet, decode.Client, trace); err != nil {
		return nil, false
	}
	n := 0
	for s := range trace.Sealed() {
		n++
		plain, ok = trace.Open([]byte("before"), &s, c)
		if !ok && string(plain) != "before" {
			t.Fatalf("a text that does not open gives %x", plain)
		}
		plain = bytes.TrimPrefix(plain, []byte("before"))
	}
	if n != 1 {
		t.Fatalf("%d sealed texts", n)
	}
	return plain, ok
}

// flipped flips each bit: in the packet's last byte and in the bits that nothing is made of it changes nothing, elsewhere
// the text does not open.
func flipped(t *testing.T, d *decode.Decoder, packet []byte, c *decode.Cipher, n int) {
	t.Helper()
	var trace decode.Trace
	opens := 0
	for bit := range 8 * len(packet) {
		packet[bit/8] ^= 1 << (bit % 8)
		if _, ok := open(t, d, packet, c, &trace); ok {
			if at := bit / 8; at > 0 && at < len(packet)-1 {
				t.Errorf("bit %d of byte %d flipped, and %d bytes open", bit%8, at, n)
			}
			opens++
		}
		packet[bit/8] ^= 1 << (bit % 8)
	}
	if opens != 8+4 && opens != 8+8 { // spare and after; kind where no tag covers it
		t.Errorf("%d bits change nothing, want those of spare and after", opens)
	}
}

// TestSealedPage holds the examples of wire.md against what is written.
func TestSealedPage(t *testing.T) {
	page, err := os.ReadFile("wire.md")
	if err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	for _, row := range []struct {
		src     string
		carrier int
		key     []byte
	}{
		{`protocol page
order lsb
state { key bytes(32) @secret }
packet {
    sequence uint64
    body sealed(4) chacha20poly1305 { key state.key, nonce uint32 0, uint64 sequence, ad "GAME", uint8 5, open Word }
}
message Word max 4 { all bytes(4) }`, 28, key},
		{`protocol page
order lsb
packet { start uint8, body sealed(4) xor { key key.pad, at start, open Word } }
message Word max 4 { all bytes(4) }`, 5, []byte{1, 2, 4, 8}},
	} {
		d := load(t, row.src)
		carrier := make([]byte, row.carrier)
		carrier[0] = map[int]byte{28: 7, 5: 3}[row.carrier]
		r, err := decode.NewResealer(d, carrier, decode.Client, "Word")
		if err != nil {
			t.Fatal(err)
		}
		packet, err := r.Append(nil, []byte("jump"), cipherOf(t, r.Sealed(), row.key))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("`% X`", packet[r.Sealed().Bit/8:])
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("wire.md has no %s", want)
		}
	}
}

// locked is the schema of the language page.
func locked(t testing.TB) *decode.Decoder {
	t.Helper()
	page, err := os.ReadFile("schema/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, src, ok := strings.Cut(string(page), "```\nprotocol locked\n")
	src, _, more := strings.Cut(src, "```")
	if !ok || !more {
		t.Fatal("the language page has no `protocol locked`")
	}
	return load(t, "protocol locked\n"+src)
}

// TestKeyring lets a flow learn its keys from a ticket, and asks for each reason.
func TestKeyring(t *testing.T) {
	d := locked(t)
	client, server := netip.MustParseAddrPort("10.0.0.2:50000"), netip.MustParseAddrPort("10.0.0.1:40000")
	up, down, private, stranger := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 32), bytes.Repeat([]byte{4}, 32)
	sealedBy := func(carrier []byte, from decode.Direction, open string, key, plain []byte) []byte {
		r, err := decode.NewResealer(d, carrier, from, open)
		if err != nil {
			t.Fatal(err)
		}
		packet, err := r.Append(nil, plain, cipherOf(t, r.Sealed(), key))
		if err != nil {
			t.Fatal(err)
		}
		return packet
	}
	hello := append([]byte{1}, make([]byte, 24+64+16)...)
	ticket := func(up, down []byte) []byte {
		return sealedBy(hello, decode.Client, "Ticket", private, append(bytes.Clone(up), down...))
	}
	input := func(from decode.Direction, key []byte) []byte {
		return sealedBy(make([]byte, 1+4+16), from, "Input", key, []byte{0x25, 0})
	}
	file := func(text string) *keys.File {
		f, err := keys.Read("k", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	privateLine := "private " + hex.EncodeToString(private) + "\n"
	type step struct {
		packet []byte
		from   decode.Direction
		want   decode.Reason
	}
	for _, row := range []struct {
		name  string
		file  *keys.File
		steps []step
	}{
		{"no file", nil, []step{{ticket(up, down), decode.Client, decode.NoKey}, {input(decode.Client, up), decode.Client, decode.NoKey}}},
		{"a file without the key", file("other 00\n"), []step{{ticket(up, down), decode.Client, decode.NoKey}}},
		{"a key of another length", file("private 00\n"), []step{{ticket(up, down), decode.Client, decode.NoKey}}},
		{"another key", file("private " + hex.EncodeToString(stranger)), []step{{ticket(up, down), decode.Client, decode.WrongKey},
			{input(decode.Client, up), decode.Client, decode.NoKey}}},
		{"all is well", file(privateLine), []step{{input(decode.Client, up), decode.Client, decode.NoKey}, {ticket(up, down), decode.Client, decode.Opened},
			{input(decode.Client, up), decode.Client, decode.Opened}, {input(decode.Server, down), decode.Server, decode.Opened},
			{input(decode.Server, up), decode.Server, decode.AuthFailed}, {input(decode.Client, stranger), decode.Client, decode.AuthFailed}}},
		{"the other side's", file(privateLine), []step{{ticket(up, down), decode.Client, decode.Opened}, {input(decode.Client, down), decode.Client, decode.WrongKey}}},
		{"a ticket twice, and another", file(privateLine), []step{{ticket(up, down), decode.Client, decode.Opened}, {ticket(up, down), decode.Client, decode.Opened},
			{ticket(down, up), decode.Client, decode.Opened}, {input(decode.Client, up), decode.Client, decode.Opened},
			{input(decode.Client, down), decode.Client, decode.Opened}, {input(decode.Client, up), decode.Client, decode.Opened}}},
		{"keys of the flow", file(fmt.Sprintf("flow %s %s key %x %x", client, server, up, down)), []step{{input(decode.Client, up), decode.Client, decode.Opened},
			{input(decode.Server, down), decode.Server, decode.Opened}, {input(decode.Server, up), decode.Server, decode.AuthFailed},
			{ticket(up, down), decode.Client, decode.NoKey}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ring, held := decode.NewKeyring(row.file), &decode.Held{}
			var trace, inner decode.Trace
			for i, s := range row.steps {
				if err := d.Decode(s.packet, s.from, &trace); err != nil {
					t.Fatal(err)
				}
				e := &decode.Envelope{Src: client, Dst: server}
				if s.from == decode.Server {
					e.Src, e.Dst = server, client
				}
				for sealed := range trace.Sealed() {
					plain, why := ring.Open(nil, &trace, &sealed, e, held, s.from)
					if why != s.want || (len(plain) > 0) != (why == decode.Opened) {
						t.Errorf("packet %d: %s with %d bytes, want %s", i, why, len(plain), s.want)
					}
					if why != decode.Opened {
						continue
					}
					if err := d.Sections()[sealed.Section].Decode(plain, s.from, &inner); err != nil {
						t.Fatal(err)
					}
					held.Keep(&inner, s.from)
				}
			}
			for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s"} {
				for _, v := range []any{ring, held, *held, struct{ H *decode.Held }{held}} {
					shown := fmt.Sprintf(verb, v)
					for _, key := range [][]byte{up, down, private, stranger} {
						for _, form := range []string{"%x", "%X", "%v", "% x", "%#v", "%q"} {
							if n := len(fmt.Sprintf(form, key)); strings.Contains(shown, fmt.Sprintf(form, key)[n/2:n-1]) {
								t.Fatalf("%s shows a key: %s", verb, shown)
							}
						}
					}
				}
			}
		})
	}
}

// TestForgottenKeys sets more keys than a register holds.
func TestForgottenKeys(t *testing.T) {
	d := locked(t)
	var trace decode.Trace
	held := &decode.Held{}
	for n := range 9 {
		plain := bytes.Repeat([]byte{byte(n)}, 64)
		if err := d.Sections()[0].Decode(plain, decode.Client, &trace); err != nil {
			t.Fatal(err)
		}
		held.Keep(&trace, decode.Client)
	}
	if most := 2 * 4 * (512 + 32 + 64); held.Size() > most || held.Size() < 2*4*32 {
		t.Errorf("a flow holds %d bytes, want at most %d", held.Size(), most)
	}
	if held.Forget(); held.Size() != 0 {
		t.Errorf("%d bytes are left", held.Size())
	}
}

// TestResealerRefuses has carriers and texts that are none.
func TestResealerRefuses(t *testing.T) {
	d := locked(t)
	whole := make([]byte, 1+4+16)
	for _, row := range []struct {
		name, open, want string
		packet           []byte
	}{
		{"refused", "Input", "the packet around the text is refused: ", []byte{2}},
		{"of another message", "Ticket", `the packet around the text has nothing sealed in it that is a "Ticket"`, whole},
	} {
		if _, err := decode.NewResealer(d, row.packet, decode.Client, row.open); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	r, err := decode.NewResealer(d, whole, decode.Client, "Input")
	if err != nil {
		t.Fatal(err)
	}
	c := cipherOf(t, r.Sealed(), make([]byte, 32))
	if _, err := r.Append(nil, make([]byte, 1201), c); err == nil {
		t.Error("a text of 1,201 bytes has a packet")
	}
	if _, err := r.Append(nil, make([]byte, 1200), c); err != nil {
		t.Error(err)
	}
	r.Rewind(1<<32 - 1)
	if _, err := r.Append(nil, nil, c); err != nil {
		t.Error(err)
	}
	if _, err := r.Append(nil, nil, c); err == nil || err.Error() != "the sequence number does not rise above 4294967295" {
		t.Error(err)
	}
}

// TestResealerWidens begins with a sequence number of one byte, as netcode's are written.
func TestResealerWidens(t *testing.T) {
	d := load(t, `protocol wide
order lsb
packet {
    size bits(4) in 1..8
    spare bits(4)
    sequence bits(size * 8) @seq
    body sealed(rest - 16, max 100) chacha20poly1305 { key key.k, nonce uint32 0, uint64 sequence }
}`)
	r, err := decode.NewResealer(d, append([]byte{1, 250}, make([]byte, 16)...), decode.Client, "")
	if err != nil {
		t.Fatal(err)
	}
	c := cipherOf(t, r.Sealed(), make([]byte, 32))
	var trace decode.Trace
	for n := range 600 {
		packet, err := r.Append(nil, []byte{1, 2, 3}, c)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := open(t, d, packet, c, &trace); !ok {
			t.Fatal("it does not open")
		}
		for f := range trace.Fields() {
			if f.Path() == "sequence" && (f.Raw() != uint64(251+n) || f.Width() != 64) {
				t.Fatalf("packet %d has the sequence number %d in %d bits", n, f.Raw(), f.Width())
			}
		}
	}
}

func BenchmarkReseal(b *testing.B) {
	d := locked(b)
	r, err := decode.NewResealer(d, make([]byte, 1+4+16), decode.Client, "Input")
	if err != nil {
		b.Fatal(err)
	}
	c := cipherOf(b, r.Sealed(), make([]byte, 32))
	plain, buf := make([]byte, 1000), []byte(nil)
	b.ReportAllocs()
	for b.Loop() {
		r.Rewind(1)
		if buf, err = r.Append(buf[:0], plain, c); err != nil {
			b.Fatal(err)
		}
	}
}
