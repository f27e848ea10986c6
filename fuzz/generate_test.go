package fuzz_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Every packet that is made is accepted by decoder and reference alike, encodes to itself, and is the same for the same
// seed.
func TestGenerated(t *testing.T) {
	for i, name := range protocols.Names() {
		t.Run(name, func(t *testing.T) {
			if !need.OneIn(i, 5) {
				t.Skip("-short makes packets of each fifth")
			}
			d, err := protocols.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			o := oracle.NewOracle(d)
			check := func(p fuzz.Packet) {
				t.Helper()
				answer, err := o.Decode(p.Data, p.From)
				if err != nil {
					t.Errorf("%s: %x: %v", p.Why, p.Data, err)
				} else if want := (oracle.Answer{}); answer != want {
					t.Errorf("%s: %x: %v", p.Why, p.Data, answer)
				}
			}
			a, b := fuzz.NewGenerator(d), fuzz.NewGenerator(d)
			made := map[string]bool{}
			for n := range uint64(300) {
				p, err := a.Random(1, n)
				if err != nil {
					t.Fatal(err)
				}
				check(p)
				made[string(p.Data)] = true
			}
			if len(made) < 150 {
				t.Errorf("only %d of 300 packets differ", len(made))
			}
			p, _ := a.Random(7, 3)
			if q, _ := b.Random(7, 3); !bytes.Equal(p.Data, q.Data) || p.From != q.From {
				t.Errorf("the same seed made %x and %x", p.Data, q.Data)
			}
			boundaries := 0
			missed := t.Errorf
			if corpus.Seeds(name) == nil { // other people's protocols have relations that few packets keep
				missed = t.Logf
			}
			for p := range a.Boundaries(1, func(m fuzz.Missed) { missed("missed %s: %v", m.Why, m.Err) }) {
				check(p)
				boundaries++
			}
			t.Logf("%d boundaries", boundaries)
		})
	}
}

// Bytes that take the rest, where some is always left, are never none: nothing is missed.
func TestNoEmptyRest(t *testing.T) {
	d, err := decode.Load("rest.pks", []byte("protocol r\norder lsb\nmax datagram 64\npacket {\n    n uint8\n    body switch rest {\n        0..7: { x bytes(rest, max 7) }\n        8..16: bytes(rest, max 16)\n    }\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for range fuzz.NewGenerator(d).Boundaries(1, func(m fuzz.Missed) { t.Errorf("missed %s: %v", m.Why, m.Err) }) {
		made++
	}
	if made < 5 {
		t.Errorf("%d boundaries", made)
	}
}

// What a boundary without a packet says is what is in its way, not that some packets on the way became too long.
func TestMissedBoundarySaysWhy(t *testing.T) {
	d := compile(t, "protocol k\norder msb\nmax datagram 20\npacket { n uint8, d bytes(n), a uint8, require a * a != 65025 }")
	missed := map[string]string{}
	for range fuzz.NewGenerator(d).Boundaries(1, func(m fuzz.Missed) { missed[m.Why] = m.Err.Error() }) {
	}
	if got := missed["a: max"]; !strings.Contains(got, "rule-broken") {
		t.Errorf("want the relation that 255 breaks, got %q of %v", got, missed)
	}
	if got := missed["n: max"]; !strings.Contains(got, "longer than its max datagram") {
		t.Errorf("want the size that is too large, got %q of %v", got, missed)
	}
}
