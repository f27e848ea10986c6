package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
)

// The pieces of a packet are all its bits, in order, however it ends; what is hidden has a mask for a value.
func TestPiecesAreAllBits(t *testing.T) {
	for _, name := range corpus.Protocols() {
		p := builtin(t, name)
		x := NewPieces(p)
		for _, seed := range corpus.Seeds(name) {
			for n := range min(len(seed.Data), 80) + 1 {
				data := bytes.Clone(seed.Data[:n])
				if n%3 == 0 && n > 0 {
					data[n/2] ^= 0x55
				}
				at := 0
				pkt := decoded(p, data)
				x.Visit(pkt, func(piece *Piece) bool {
					if piece.Bit != at || piece.Width < 1 || piece.Hidden != bytes.HasPrefix(piece.Value, []byte("‹secret")) {
						t.Fatalf("%s %s, %d bytes: %+v, want one at bit %d", name, seed.Name, n, piece, at)
					}
					at += piece.Width
					return true
				})
				if at != 8*len(data) {
					t.Fatalf("%s %s, %d bytes: pieces end at bit %d", name, seed.Name, n, at)
				}
			}
		}
	}
}

func TestPiecesStop(t *testing.T) {
	p := builtin(t, "rtype")
	n := 0
	NewPieces(p).Visit(decoded(p, samples()[3]), func(*Piece) bool {
		n++
		return n < 3
	})
	if n != 3 {
		t.Errorf("%d pieces", n)
	}
}

// A refusal has the words of the text views, its notes those of an accepted packet.
func TestRefusalOf(t *testing.T) {
	p := compile(t, countSchema)
	r := RefusalOf(packet(t, p, "02 05 0a"))
	if r == nil || r.Path != "list[1]" || r.Bit != 16 || r.Width != 8 || r.Kind.String() != "out-of-range" || r.Want != "0..9 in 8 bits" && r.Want != "0..9" || !strings.Contains(r.Message, "got 10") {
		t.Errorf("%+v", r)
	}
	if r := RefusalOf(packet(t, p, "01 05")); r != nil {
		t.Errorf("accepted: %+v", r)
	}
	secret := compile(t, "protocol t\norder msb\npacket { key uint32 in 1..9 @secret }\n")
	if r := RefusalOf(packet(t, secret, "de ad be ef")); r == nil || strings.Contains(r.Got+r.Message, "3735928559") || !strings.Contains(r.Got, "‹secret 4 B›") {
		t.Errorf("%+v", r)
	}
	cut := packet(t, p, "02 05")
	cut.Cut = true
	if RefusalOf(cut) != nil {
		t.Error("a packet that the capture cut is refused")
	}
	odd := packet(t, p, "01 05")
	odd.LengthMismatch = true
	if got := NotesOf(odd); len(got) != 1 || !strings.HasPrefix(got[0], "length-mismatch: ") {
		t.Errorf("%q", got)
	}
	if NotesOf(packet(t, p, "01 05")) != nil || NotesOf(packet(t, p, "02")) != nil {
		t.Error("notes of packets without any")
	}
}
