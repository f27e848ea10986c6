package zoo

import (
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Animal is one mistake: a protocol, a reader that makes it, the same reader without it, and the packets that tell them
// apart.
type Animal struct {
	Name   string              // kebab-case, unique
	About  string              // what the mistake is and where it comes from
	Schema string              // the correct wire, as pks source
	Params map[string]*big.Int // for schema.Load; nil for the schema's own values

	// Flawed and Fixed make fresh readers, which differ in exactly one place.
	Flawed, Fixed func() Reader

	// Rule is the reject kind that the flawed reader misses; reject.None where no single packet is wrongly accepted.
	// Field is the path of the field that it is about, without the numbers of elements ("objects[].index"); "" is the
	// packet. A tool that named both has understood what it found; see Names.
	Rule  reject.Kind
	Field string
	// Oracle is the cheapest judge that sees the mistake; others may see it, too.
	Oracle Oracle
	// OnValid: the flawed reader answers wrong on packets that the schema accepts. Without it both twins answer alike
	// on all of them.
	OnValid bool

	// Seeds are packets that the schema accepts: what a tool may start from.
	Seeds [][]byte
	// Witness proves the mistake: given in order to a fresh flawed reader, the answer to the last one is wrong.
	Witness [][]byte
}

// Oracle is who sees a mistake.
type Oracle string

// The oracles.
const (
	Verdict    Oracle = "verdict"    // accepted what must be refused, or the reverse
	ByValue    Oracle = "value"      // accepted rightly, with a wrong value
	ByBits     Oracle = "bits"       // accepted rightly, with a wrong number of bits consumed
	Cost       Oracle = "cost"       // work out of proportion to the packet's size (FairCost)
	Allocation Oracle = "allocation" // memory out of proportion to the packet's size (FairMemory)
	Sequence   Oracle = "sequence"   // a wrong answer that a fresh reader would not have given
	Crash      Oracle = "crash"      // it panicked
	Hang       Oracle = "hang"       // it did not end
)

// Names reports whether a finding with this reject kind, at this path of a packet, names the animal's mistake: the
// rule, and the field or a part of it. A finding without a kind (of value, cost and the like) is judged by its path
// alone, and so is one of an animal that misses no rule.
func (a *Animal) Names(kind reject.Kind, path string) bool {
	if kind != reject.None && a.Rule != reject.None && kind != a.Rule {
		return false
	}
	path = oracle.PathRule(path)
	return path == a.Field || a.Field != "" && (strings.HasPrefix(path, a.Field+".") || strings.HasPrefix(path, a.Field+"["))
}

// habitat is a protocol with the reader that all its animals share.
type habitat struct {
	schema string
	params map[string]*big.Int
	order  order
	read   func(*wire) bool // reports acceptance
	seeds  func() [][]byte
}

// species is an animal as the files of this package list it.
type species struct {
	name    string
	about   string
	home    *habitat
	mistake mistake
	rule    reject.Kind
	field   string
	oracle  Oracle
	onValid bool
	witness func() [][]byte
}

// mistake names what a reader does wrong; a sound one does nothing wrong.
type mistake uint8

const (
	sound mistake = iota
	countTooWide
	enumUnchecked
	crcWithoutID
	crcNotCompared
	endCheckSkipped
	tailTakenForEmpty
	swappedThrough32
	flagsUnchecked
	trailingIgnored
	countUnchecked
	countSigned
	countTimesSize
	allocationFromCount
	quadraticWork
	stateKept
	sentinelPastEnd
	overflowForgotten
	relativeLastTierOnly
	indexRepeated
	quantisedUnchecked
	radicandUnchecked
	nanAccepted
	paddingIgnored
	noTerminatorRoom
	nulInside
	utf8Unchecked
	softwareUnchecked
	halfPairKept
	halfUnitDropped
	varintUnlimited
	varintOverlong
	windowPastPacket
	signedSpan
	minMaxSwapped
	maxRaised
	widthOffByOne
	lastWordOrder
	branchCrossed
	crcByteShort
	extraForgotten
	zeroFillSkipped
	paddingCountZero
	numberWraps
	pointerLoop
	repeatRefused
	windowCutShort
)

// Animals lists the zoo, in the order of its files. Each call makes a new list, which is the caller's.
func Animals() []Animal {
	var all []Animal
	for _, group := range [][]species{
		packetsAnimals, rtypeAnimals, gafferAnimals, countAnimals, workAnimals, floatAnimals, textAnimals, recordAnimals, widthAnimals, lookAnimals,
	} {
		for i := range group {
			all = append(all, group[i].animal())
		}
	}
	return all
}

func (s *species) animal() Animal {
	return Animal{
		Name: s.name, About: s.about,
		Schema: s.home.schema, Params: s.home.params,
		Flawed: func() Reader { return newReader(s.home, s.mistake) },
		Fixed:  func() Reader { return newReader(s.home, sound) },
		Rule:   s.rule, Field: s.field, Oracle: s.oracle, OnValid: s.onValid,
		Seeds: s.home.seeds(), Witness: s.witness(),
	}
}

// builtin is the source of a built-in protocol.
func builtin(name string) string {
	src, ok := protocols.Source(name)
	if !ok {
		panic("pktscope: internal error: zoo: no built-in protocol " + name)
	}
	return string(src)
}

// corpusSeeds are the seed packets of a built-in protocol.
func corpusSeeds(name string) func() [][]byte {
	return func() [][]byte {
		var all [][]byte
		for _, s := range corpus.Seeds(name) {
			all = append(all, s.Data)
		}
		return all
	}
}
