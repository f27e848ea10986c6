package zoo

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// End is how a Read ended.
type End uint8

// The ends. Only an Answered one has a verdict.
const (
	Answered  End = iota
	Crashed       // it panicked
	Hung          // it was stopped after StepLimit units of work
	Exhausted     // it was stopped before it had more than ByteLimit bytes
)

var endWords = [...]string{"answered", "crashed", "hung", "exhausted"}

// String gives the word.
func (e End) String() string { return endWords[e] }

// Value is one field of an accepted packet.
type Value struct {
	Path string // as in a Trace: "body.players[2].health"
	// Number is an integer in two's complement, a bool as 0 or 1, a float's IEEE bits, a quantised float's step.
	Number uint64
	Text   string // of bytes and text instead of a number
}

// Answer is what a reader says about one packet. A tool that models a black box looks at Accepted (and End) only.
type Answer struct {
	End      End
	Accepted bool
	Bits     int     // consumed; -1 when it was not accepted
	Values   []Value // of an accepted packet in wire order, without checksums, and without the counts and lengths that belong to a list or text
	Cost     int     // units of work: one for each read from the wire and each turn of a loop
	Memory   int     // bytes asked for at once, before anything was read into them
}

// What a reader is allowed before it is stopped: several times what any of them needs, without its mistake, for the
// largest packet that it takes.
const (
	StepLimit = 1 << 18
	ByteLimit = 1 << 22
)

// FairCost is the most work that a correct reader needs for a packet of so many bytes: two units a bit, and a constant.
func FairCost(size int) int { return 64 + 2*8*size }

// FairMemory is the most that a correct reader asks for at once, in bytes, for a packet of so many.
func FairMemory(size int) int { return 4096 + 64*size }

// Check compares an answer with the decoder's: t is the Trace of the same packet. It lists the oracles that see a
// fault, none when the answer is right. Sequence is never among them: it is any other of an answer that a fresh reader
// would not have given.
func Check(t *decode.Trace, a Answer) []Oracle {
	switch a.End {
	case Crashed:
		return []Oracle{Crash}
	case Hung:
		return []Oracle{Hang, Cost}
	case Exhausted:
		return []Oracle{Allocation}
	}
	var seen []Oracle
	if a.Cost > FairCost(len(t.Payload)) {
		seen = append(seen, Cost)
	}
	if a.Memory > FairMemory(len(t.Payload)) {
		seen = append(seen, Allocation)
	}
	if a.Accepted == t.Rejected() {
		return append(seen, Verdict)
	}
	if !a.Accepted {
		return seen
	}
	if a.Bits != t.Bits {
		seen = append(seen, ByBits)
	}
	if Different(a.Values, Expected(t)) != "" {
		seen = append(seen, ByValue)
	}
	return seen
}

// Expected lists the values that a correct reader finds in an accepted packet.
func Expected(t *decode.Trace) []Value {
	var all []Value
	var path []byte
	for ev := range t.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob {
			continue
		}
		v := Value{Text: string(ev.Data)}
		if ev.Kind == decode.Leaf {
			info := &t.Plan.Info[ev.Leaf]
			if info.Writes() == plan.Sealed {
				continue
			}
			v.Number = info.Value(ev.Raw, ev.CodeWidth)
		}
		path = t.AppendEventPath(path[:0], ev)
		v.Path = string(path)
		all = append(all, v)
	}
	return all
}

// Different says where two lists of values first differ, "" when they are the same.
func Different(got, want []Value) string {
	for i := range want {
		if i == len(got) {
			return fmt.Sprintf("want %+v, got nothing more", want[i])
		}
		if got[i] != want[i] {
			return fmt.Sprintf("want %+v, got %+v", want[i], got[i])
		}
	}
	if len(got) > len(want) {
		return fmt.Sprintf("want nothing more, got %+v", got[len(want)])
	}
	return ""
}
