package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/wire"
)

// Names of a generated packet, plain ones and such that end with a pointer at the labels of earlier ones.

// maxHops is how many pointers a name is made to go over. Readers differ: some take any that fall, Go refuses 11.
const maxHops = 10

// maxPlaces is how many places are kept in mind.
const maxPlaces = 64

// nameMaker makes names, and knows where it has put labels.
type nameMaker struct {
	places []namePlace
	own    []byte
	text   []byte
}

// namePlace is labels in the packet to which a pointer can lead.
type namePlace struct {
	at   int    // byte
	name string // without pointers, as it would be in a packet
	hops int    // pointers on the way to the root
}

// make makes a name of about n bytes; exactly of as many, in the longest labels, where that is what the packet is made
// for.
func (nm *nameMaker) make(s *generating, a *decode.Query, n int, exact bool) []byte {
	nm.own = nm.own[:0]
	end, size := (*namePlace)(nil), max(n, 1)-1
	if !exact && len(nm.places) > 0 && s.chance(50) {
		end = &nm.places[s.random.IntN(len(nm.places))]
		size = min(size, wire.MaxName-len(end.name))
		if s.chance(30) {
			size = 0
		}
	}
	for left := size; left >= 2; left = size - len(nm.own) {
		label := left - 1
		if !exact {
			label = min(label, 1+s.random.IntN(12))
		}
		label = min(label, 63)
		if left-1-label == 1 { // one byte more is no label
			if label++; label > 63 {
				label -= 2
			}
		}
		nm.own = append(nm.own, byte(label))
		for range label {
			nm.own = append(nm.own, s.nameByte())
		}
	}
	tail, hops := "\x00", 0
	if end != nil {
		tail, hops = end.name, end.hops+1
	}
	plain := append(slices.Clone(nm.own), tail...)
	at := a.Bit / 8
	for i := 0; i <= len(nm.own); {
		nm.remember(s, namePlace{at + i, string(plain[i:]), hops})
		if i == len(nm.own) {
			break
		}
		i += 1 + int(nm.own[i])
	}
	if end != nil {
		nm.own = append(nm.own, 0xc0|byte(end.at>>8), byte(end.at))
		a.Own = nm.own
	}
	nm.text, _ = wire.ReadName(nm.text[:0], plain, 0, len(plain))
	return nm.text
}

// remember keeps a place, if a pointer can lead there.
func (nm *nameMaker) remember(s *generating, at namePlace) {
	switch {
	case at.at >= 1<<14 || at.hops >= maxHops:
	case len(nm.places) < maxPlaces:
		nm.places = append(nm.places, at)
	default:
		nm.places[s.random.IntN(maxPlaces)] = at
	}
}

// nameByte is a byte of a label: most are letters.
func (s *generating) nameByte() byte {
	if n := s.random.IntN(100); n < 4 {
		return ".\\ \x00"[n]
	} else if n < 6 {
		return byte(s.random.Uint32())
	}
	return "abcdefghijklmnopqrstuvwxyz0123456789-_"[s.random.IntN(38)]
}
