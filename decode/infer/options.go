package infer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Options are what a person knows. The zero Options know nothing.
type Options struct {
	Name  string   // of the protocol; "inferred" where it is empty
	Ports []uint16 // the server's; none: the one that most packets have
	Order string   // lsb, msb or bousk; "": the one that is cheapest
	NoSum bool     // look for no checksum
	Tag   Tag      // where the tag is
	// Keep is a schema whose lines stay where a person wrote them: the rest of it is drafted anew, around them. Its order
	// and ports are those of the draft; a packet that what stays refuses is an Outlier. nil: there is none.
	Keep *Kept
	// Tight makes rules of the ranges that were seen: packets of other sessions may be refused by them.
	Tight bool
	// Again reads all packets once more, for the proof, until its function returns false; nil: only those that the sample
	// has are tried.
	Again func(func(*Packet) bool) error
}

// Tag is a field that tells kinds of packets apart: Width bits, 1..16, from bit At of the datagram on. The zero Tag is
// none. It is a flag's value.
type Tag struct{ At, Width int }

// Set parses a bit and a width: 32+2.
func (t *Tag) Set(text string) error {
	at, width, _ := strings.Cut(text, "+")
	a, err1 := strconv.Atoi(at)
	w, err2 := strconv.Atoi(width)
	if err1 != nil || err2 != nil || a < 0 || a >= maxCut || w < 1 || w > 16 {
		return errors.New("want a bit and a width of 1..16, such as 32+2")
	}
	*t = Tag{a, w}
	return nil
}

// Type names what a flag of it takes.
func (t *Tag) Type() string { return "BIT+WIDTH" }

func (t *Tag) String() string {
	if t.Width == 0 {
		return ""
	}
	return fmt.Sprintf("%d+%d", t.At, t.Width)
}
