package seal

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

const (
	ladies = "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f66" +
		"66657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069742e"
	nist = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
	low  = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
)

// vectors are those of the documents that define the algorithms.
var vectors = []struct {
	name, algorithm, key, nonce, ad, plain, sealed string
	at                                             int
}{
	{"RFC 8439, 2.8.2", "chacha20poly1305", low, "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7", ladies,
		"d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b29" +
			"05d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116" +
			"1ae10b594f09e26a7e902ecbd0600691", 0},
	{"draft-irtf-cfrg-xchacha-03, A.3.1", "xchacha20poly1305", low, "404142434445464748494a4b4c4d4e4f5051525354555657",
		"50515253c0c1c2c3c4c5c6c7", ladies,
		"bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216" +
			"cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e" +
			"c0875924c1c7987947deafd8780acf49", 0},
	{"McGrew and Viega's GCM, case 4", "aes128gcm", "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
		"feedfacedeadbeeffeedfacedeadbeefabaddad2", nist,
		"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac97" +
			"3d58e0915bc94fbc3221a5db94fae95ae7121a47", 0},
	{"McGrew and Viega's GCM, case 16", "aes256gcm", "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
		"cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", nist,
		"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a" +
			"bcc9f66276fc6ece0f4e1768cddf8853bb2d551b", 0},
	{"a pad from its third byte", "xor", "01020408", "", "", "00000000ffffffffff", "04080102fbf7fefdfb", 2},
	{"a pad that is longer than the text", "xor", "01020408", "", "", "10", "14", -2},
	{"no text", "xor", "01", "", "", "", "", 0},
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestVectors(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			seen[v.algorithm] = true
			a := Find(v.algorithm)
			c, err := New(a, unhex(t, v.key))
			if err != nil {
				t.Fatal(err)
			}
			nonce, ad, plain, sealed := unhex(t, v.nonce), unhex(t, v.ad), unhex(t, v.plain), unhex(t, v.sealed)
			if len(nonce) != a.Nonce || len(sealed) != len(plain)+a.Tag {
				t.Fatalf("the row of %s has a nonce of %d and a tag of %d bytes", a.Name, a.Nonce, a.Tag)
			}
			if got := c.Seal([]byte("before"), nonce, plain, ad, v.at); string(got) != "before"+string(sealed) {
				t.Errorf("sealed %x, want %x", got, sealed)
			}
			got, ok := c.Open([]byte("before"), nonce, sealed, ad, v.at)
			if !ok || string(got) != "before"+string(plain) {
				t.Errorf("opened %x, %t, want %x", got, ok, plain)
			}
			if a.Tag > 0 {
				refuses(t, c, nonce, sealed, ad)
			}
		})
	}
	for i := range Algorithms {
		if !seen[Algorithms[i].Name] {
			t.Errorf("no vector of %s", Algorithms[i].Name)
		}
	}
}

// refuses flips every bit of what a tag covers, and cuts the text everywhere: nothing opens.
func refuses(t *testing.T, c *Cipher, nonce, sealed, ad []byte) {
	t.Helper()
	for _, part := range [][]byte{nonce, sealed, ad} {
		for bit := range 8 * len(part) {
			part[bit/8] ^= 1 << (bit % 8)
			if got, ok := c.Open([]byte("before"), nonce, sealed, ad, 0); ok || string(got) != "before" {
				t.Fatalf("bit %d flipped: opened %q, %t", bit, got, ok)
			}
			part[bit/8] ^= 1 << (bit % 8)
		}
	}
	for n := range sealed {
		if _, ok := c.Open(nil, nonce, sealed[:n], ad, 0); ok {
			t.Fatalf("%d of %d bytes open", n, len(sealed))
		}
	}
}

func TestKeysOfAWrongLength(t *testing.T) {
	for i := range Algorithms {
		a := &Algorithms[i]
		for _, n := range []int{0, 1, a.Key - 1, a.Key, a.Key + 1, 15, 24, 33, MaxPad, MaxPad + 1} {
			want := n == a.Key
			if a.Key == 0 {
				want = n >= 1 && n <= MaxPad
			}
			if n < 0 {
				continue
			}
			key := bytes.Repeat([]byte{0xa5}, n)
			_, err := New(a, key)
			if (err == nil) != want {
				t.Errorf("%s, %d bytes: %v", a.Name, n, err)
			}
			if err != nil && strings.Contains(err.Error(), "a5") {
				t.Errorf("%s: %v shows the key", a.Name, err)
			}
		}
	}
	if Find("rot13") != nil || len(Words()) != len(Algorithms) {
		t.Error("an algorithm that there is not")
	}
}

// TestACipherHidesItsKey prints one with every verb that could walk into it.
func TestACipherHidesItsKey(t *testing.T) {
	for _, name := range []string{"xor", "aes128gcm"} {
		c, err := New(Find(name), bytes.Repeat([]byte{0xa5}, 16))
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p"} {
			for _, v := range []any{c, struct{ C *Cipher }{c}} {
				if got := fmt.Sprintf(verb, v); strings.Contains(strings.ToLower(got), "a5a5") || strings.Contains(got, "165") {
					t.Errorf("%s of %s: %s", verb, name, got)
				}
			}
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, v := range vectors {
		c, err := New(Find(v.algorithm), unhex(t, v.key))
		if err != nil {
			t.Fatal(err)
		}
		nonce, ad, plain, sealed := unhex(t, v.nonce), unhex(t, v.ad), unhex(t, v.plain), unhex(t, v.sealed)
		dst := make([]byte, 0, 4096)
		if n := testing.AllocsPerRun(100, func() {
			dst, _ = c.Open(dst[:0], nonce, sealed, ad, v.at)
			dst = c.Seal(dst[:0], nonce, plain, ad, v.at)
		}); n > 0 {
			t.Errorf("%s: %v allocations", v.algorithm, n)
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	for i := range Algorithms {
		a := &Algorithms[i]
		b.Run(a.Name, func(b *testing.B) {
			c, err := New(a, make([]byte, max(a.Key, 4)))
			if err != nil {
				b.Fatal(err)
			}
			nonce, plain, dst := make([]byte, a.Nonce), make([]byte, 1000), make([]byte, 0, 2000)
			b.SetBytes(1000)
			b.ReportAllocs()
			for b.Loop() {
				dst = c.Seal(dst[:0], nonce, plain, nil, 0)
			}
		})
	}
}
