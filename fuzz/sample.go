package fuzz

import (
	"iter"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
)

// sampleFields is how many fields of a packet a sample looks at, about.
const sampleFields = 24

// heaviest is the greatest weight of a class that breaks one rule: such mutations are all taken, of the others as many
// as their weight says.
var heaviest = func() int {
	most := 0
	for c := range classes {
		if c != ClassHavoc && c != ClassSplice {
			most = max(most, classTable[c].weight)
		}
	}
	return most
}()

// Sample yields some of a packet's Mutations: those of a few fields, chosen by chance, and of each class as many as its
// weight says. What a packet of thousands of fields costs is then about the same as what a small one does.
func (m *Mutator) Sample(packet []byte, from decode.Direction, random *rand.Rand) iter.Seq[*Mutation] {
	return func(yield func(*Mutation) bool) {
		m.enumerate(packet, from, nil, random)(func(x *Mutation) bool {
			if random.IntN(heaviest) >= classTable[x.Class].weight {
				return true
			}
			return yield(x)
		})
	}
}

// passed leaves a field out of a sample; true when it did. What is before the field and in it is left out with
// it.
func (r *mutating) passed(ev *decode.Event) bool {
	if r.random == nil || r.random.IntN(len(r.trace.Raw)+len(r.trace.Records)/4+1) < sampleFields {
		return false
	}
	end := ev.Bit + ev.Width
	for r.gap < len(r.gaps) && r.gaps[r.gap].Bit < end {
		r.gap++
	}
	r.cut = max(r.cut, (end+7)/8)
	if ev.Leaf >= 0 {
		r.length = ev.Bit
	}
	return true
}
