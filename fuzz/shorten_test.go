package fuzz_test

import (
	"testing"

	"github.com/pktscope/pktscope/fuzz"
)

// A sequence is shortened to what it takes.
func TestShortenSequence(t *testing.T) {
	var packets [][]byte
	for i := range 100 {
		packets = append(packets, []byte{byte(i)})
	}
	needs := func(which ...byte) func([][]byte) (bool, error) {
		return func(try [][]byte) (bool, error) {
			at := 0
			for _, p := range try {
				if at < len(which) && p[0] == which[at] {
					at++
				}
			}
			return at == len(which), nil
		}
	}
	for _, which := range [][]byte{{99}, {0, 99}, {12, 13, 99}, {5, 50, 98, 99}} {
		got, least, err := fuzz.ShortenSequence(packets, 1000, needs(which...))
		if err != nil || len(got) != len(which) || !least {
			t.Errorf("%v: %v, %v, %v", which, got, least, err)
		}
	}
	tries := 0
	got, least, _ := fuzz.ShortenSequence(packets, 3, func([][]byte) (bool, error) { tries++; return false, nil })
	if tries != 3 || len(got) != 100 || least {
		t.Errorf("%d tries, %d packets left, all needed: %v", tries, len(got), least)
	}
	// Late is no error, and nothing that was not tried is needed.
	got, least, err := fuzz.ShortenSequence(packets, 1000, func(try [][]byte) (bool, error) {
		if len(try) < 50 {
			return false, fuzz.ErrLate
		}
		return true, nil
	})
	if err != nil || len(got) != 50 || least {
		t.Errorf("%d packets left, all needed: %v, %v", len(got), least, err)
	}
}
