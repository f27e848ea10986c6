package sealing

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

const schema = `protocol locked
order lsb
port 40000
state { each key bytes(32) @secret }
packet {
    kind bits(4) == 5
    size bits(4) in 1..8
    number bits(size * 8) @seq
    body sealed(rest - 16, max 300) chacha20poly1305 {
        key   state.key
        nonce uint32 0, uint64 number
        ad    "LOCKED\0", uint8 size
        open  Input
    }
}
message Input max 300 {
    buttons bits(5)
    health  int(0..100)
    align
    trail   [..7]uint8
}
`

// peer is a reader of these packets that knows no schema: chacha20poly1305 and a window of sequence numbers, written for
// this test, and its mistakes. Of a message it has one: it takes a health of up to 127.
type peer struct {
	key                        []byte
	noTag, noReplay, noOld     bool
	newest                     uint64
	had                        map[uint64]bool
	packets, opened, malformed int
}

func (p *peer) Close() error { return nil }

func (p *peer) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	p.packets++
	if p.takes(packet) {
		return oracle.Reply{Outcome: oracle.Accepted, Bits: -1}, nil
	}
	return oracle.Reply{Outcome: oracle.Refused, Bits: -1}, nil
}

func (p *peer) takes(packet []byte) bool {
	if len(packet) < 1 || packet[0]&15 != 5 {
		return false
	}
	size := int(packet[0] >> 4)
	if size < 1 || size > 8 || len(packet) < 1+size+16 {
		return false
	}
	var number [8]byte
	copy(number[:], packet[1:1+size])
	n := binary.LittleEndian.Uint64(number[:])
	nonce := append(make([]byte, 4), number[:]...)
	text := packet[1+size:]
	plain, err := p.open(nonce, text, append([]byte("LOCKED\x00"), byte(size)))
	if err != nil {
		return false
	}
	if !p.noOld && n+256 <= p.newest || !p.noReplay && p.had[n] {
		return false
	}
	p.opened++
	p.newest = max(p.newest, n)
	p.had[n] = true
	return p.reads(plain)
}

func (p *peer) open(nonce, text, ad []byte) ([]byte, error) {
	if p.noTag {
		c, err := chacha20.NewUnauthenticatedCipher(p.key, nonce)
		if err != nil {
			return nil, err
		}
		c.SetCounter(1)
		plain := make([]byte, len(text)-16)
		c.XORKeyStream(plain, text[:len(text)-16])
		return plain, nil
	}
	c, err := chacha20poly1305.New(p.key)
	if err != nil {
		return nil, err
	}
	return c.Open(nil, nonce, text, ad)
}

// reads is the reader of messages: buttons in 5 bits, health in 7, padding, a count in 3 bits and so many bytes.
func (p *peer) reads(m []byte) bool {
	if len(m) < 3 {
		p.malformed++
		return false
	}
	padding, count := m[1]>>4, int(m[2]&7)
	return padding == 0 && len(m) == 3+count // the mistake: no look at the health
}

func setup(t testing.TB) (*decode.Decoder, *keys.File, []byte) {
	t.Helper()
	d, err := decode.Load("locked.pks", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	key := bytes.Repeat([]byte{3, 1, 4, 1}, 8)
	file, err := keys.Read("k", strings.NewReader("key "+hex.EncodeToString(key)))
	if err != nil {
		t.Fatal(err)
	}
	return d, file, key
}

// TestAuth names each mistake of a reader's seal, and none of a reader that has none.
func TestAuth(t *testing.T) {
	d, file, key := setup(t)
	message := []byte{0x61, 0x06, 1, 9}
	for _, row := range []struct {
		name string
		peer peer
		want string
	}{
		{"right", peer{key: key}, ""},
		{"no tag", peer{key: key, noTag: true}, "auth.ad auth.tag"},
		{"no replay", peer{key: key, noReplay: true}, "auth.replay"},
		{"nothing is old", peer{key: key, noOld: true}, "auth.old"},
		{"neither", peer{key: key, noOld: true, noReplay: true}, "auth.old auth.replay"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.peer.had = map[uint64]bool{}
			s, err := New(d, "Input", file, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows, found, err := Auth(&row.peer, s, message, "")
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			for i := range found {
				rules = append(rules, found[i].Rule)
				if found[i].Kind != oracle.FoundAcceptedMalformed || found[i].Cause == "" || len(found[i].Packet) == 0 {
					t.Errorf("%+v", found[i])
				}
			}
			got := map[string]bool{}
			for _, rule := range rules {
				got[rule] = true
			}
			for _, want := range strings.Fields(row.want) {
				if !got[want] {
					t.Errorf("found %v, not %s", rules, want)
				}
			}
			if row.want == "" && len(found) > 0 || len(got) != len(rules) {
				t.Errorf("found %v", rules)
			}
			tried := map[string]int{}
			for _, r := range rows {
				tried[r.Rule] = r.Tried
				if got[r.Rule] == (r.Right == r.Tried) {
					t.Errorf("%s: %d of %d right", r.Rule, r.Right, r.Tried)
				}
			}
			if fmt.Sprint(tried) != "map[auth.ad:8 auth.nonce:12 auth.old:1 auth.replay:2 auth.tag:128 auth.text:16]" {
				t.Errorf("tried %v", tried)
			}
		})
	}
}

func TestNotGenuine(t *testing.T) {
	d, file, key := setup(t)
	other := bytes.Clone(key)
	other[31] ^= 1
	s, err := New(d, "Input", file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Auth(&peer{key: other, had: map[uint64]bool{}}, s, []byte{0, 0, 0}, ""); !errors.Is(err, ErrNotGenuine) {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	d, _, _ := setup(t)
	short, err := keys.Read("k", strings.NewReader("key 00"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		section string
		file    *keys.File
		want    string
	}{
		{"Input", nil, "the file of keys has no line `key HEX` of 32 bytes, for state.key"},
		{"Input", short, "the file of keys has no line `key HEX` of 32 bytes, for state.key"},
		{"Output", short, "no packet was found that has a `Output` sealed in it"},
	} {
		if _, err := New(d, row.section, row.file, nil); err == nil || err.Error() != row.want {
			t.Errorf("%s: %v", row.section, err)
		}
	}
}

// TestAuditInside breaks the rules of the message inside the seal: the peer's one mistake is found, each packet opens, and
// no packet is too old or came before.
func TestAuditInside(t *testing.T) {
	d, file, key := setup(t)
	section, err := d.Section("Input")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{key: key, had: map[uint64]bool{}}
	s, err := New(d, "Input", file, nil)
	if err != nil {
		t.Fatal(err)
	}
	audit := &fuzz.Audit{Decoder: section, Seed: 1, Workers: 2, NewTarget: func(context.Context) (oracle.Target, error) { return NewTarget(p, s), nil }}
	result, err := audit.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p.opened != p.packets || p.packets < 200 {
		t.Errorf("%d of %d packets opened", p.opened, p.packets)
	}
	if len(result.Findings) != 1 || result.Findings[0].Rule != "health" || result.Findings[0].Kind != oracle.FoundAcceptedMalformed {
		for i := range result.Findings {
			t.Errorf("found %v %s", result.Findings[i].Kind, result.Findings[i].What())
		}
	}
}

// BenchmarkHostile seals hostile messages and has the peer open them.
func BenchmarkHostile(b *testing.B) {
	d, file, key := setup(b)
	s, err := New(d, "Input", file, nil)
	if err != nil {
		b.Fatal(err)
	}
	t := NewTarget(&peer{key: key, had: map[uint64]bool{}}, s)
	message := []byte{0xff, 0x0f, 2, 1, 1}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Send(message, decode.Client); err != nil {
			b.Fatal(err)
		}
	}
}
