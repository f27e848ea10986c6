package oracle

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Undone is what was not tried of a finding, or did not succeed, so that nobody takes for shown what was not.
type Undone uint8

// What may be left undone.
const (
	AllDone       Undone = iota // Before are the packets that it takes, and no fewer will do
	NotTried                    // with a new target. Before is what the target had last
	NotAgain                    // a new target does not show it. Before is what the target had last
	NotShortened                // it was shown after Before; not all of that may be needed
	NotSimplified               // the packet may become simpler
	NotLocated                  // nor tried: the packet, or any of Before, does it. Before is what the target had last
)

var undoneWords = [...]string{"", "not-tried", "not-again", "not-shortened", "not-simplified", "not-located"}

// String gives the word, "" for nothing.
func (u Undone) String() string { return undoneWords[u] }

// ParseUndone is the Undone of a word.
func ParseUndone(word string) (Undone, error) {
	if i := slices.Index(undoneWords[:], word); i >= 0 {
		return Undone(i), nil
	}
	return 0, fmt.Errorf("want what was left undone of a finding, got %.40q", word)
}

// Note says in a line what is known of the n packets before a finding's, and what was not done; "" where there is
// nothing to say.
func (u Undone) Note(n int) string {
	packets := syntax.Count(n, "packet")
	switch {
	case n == 0 && (u == NotTried || u == NotLocated):
		return "it was not tried again with a new target"
	case u == NotTried:
		return "it was not tried again with a new target: of the last " + packets + " before it, it may take none"
	case u == NotLocated && n == 1:
		return "it was not tried again with a new target: this packet or the one before it does it"
	case u == NotLocated && n > 1:
		return "it was not tried again with a new target: this packet or one of the last " + packets + " before it does it"
	case u == NotAgain && n == 0:
		return "a new target did not show it again"
	case u == NotAgain:
		return "a new target did not show it again; the last " + packets + " before it are kept"
	case u == NotShortened:
		return "shown again behind the " + packets + " before it; whether it takes them all was not tried to the end"
	case u == NotSimplified && n == 0:
		return "its packet was not simplified to the end"
	case u == NotSimplified:
		return "takes " + packets + " before it; its packet was not simplified to the end"
	case n > 0:
		return "takes " + packets + " before it"
	}
	return ""
}

// Shortened is what was left undone of a sequence that was shortened: nothing where it is the least.
func Shortened(least bool) Undone {
	if least {
		return AllDone
	}
	return NotShortened
}
