package fuzz

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// verdict reports whether a finding is about the answer to the packet as a whole, and not about what was read of it, or
// at what cost.
func (f *Finding) verdict() bool {
	switch f.Kind {
	case oracle.FoundWrongValue, oracle.FoundWrongBits, oracle.FoundNotCanonical, oracle.FoundSlow, oracle.FoundDifference:
		return false
	}
	return true
}

// Finding is one mistake of a reader, with a packet that shows it.
type Finding struct {
	Kind    oracle.FindingKind
	Rule    string      // stable name of what the packet breaks, or of the field that was read wrongly
	Reject  reject.Kind // what the packet deserves; None when it is valid
	Path    string      // of the field in this packet
	Bit     int
	Width   int
	Changed string // path of the field that was set to make the packet; "" for none
	Done    string // how the packet was made: "max+1"
	Want    string
	Got     string
	// Cause is the mistake in a sentence about the reader, as far as it is known; "" where it is not. It is the same
	// for findings that one mistake has, whatever rules their packets break.
	Cause string
	// Places are the declarations that the Cause is about where it is about many, sorted; nil of others.
	Places []string
	Report string  // of a crash
	Stack  []Frame // of a crash whose report has one: the reader's calls, the innermost first
	Packet []byte
	From   decode.Direction
	Before []decode.Packet // packets that have to be sent first, for a reader that keeps something; nil for most. See Undone
	Undone oracle.Undone
	// Earlier is how many packets the target had that are not kept, where Before is the last that it had.
	Earlier int
	Count   int // packets that showed it
	// State is, of a finding in a state of a dialogue, where the packet was sent: `Start: Shoot`. "" of others.
	State string
	// Seal says that what is wrong is of the seal, and Rule is one of it: its packets say nothing to another session, and
	// are made anew with its keys.
	Seal bool
	// Spoken is the dialogue in which the packet was sent; nil without one.
	Spoken *Spoken
	node   plan.NodeID
	// judged is the Cause of a malformed packet that was accepted, as the packet alone tells it; "" of others.
	judged string
	sent   []decode.Packet // what the target had before, as long as it is not known what it takes of that
}

// Key is the same for findings that are one mistake: by kind and cause, or where that is not known by rule and reject.
func (f *Finding) Key() string {
	if f.Cause != "" {
		return fmt.Sprintf("%v %v", f.Kind, f.Cause)
	}
	return fmt.Sprintf("%v %v %v", f.Kind, f.Rule, f.Reject)
}

// Identity is the Key without the line of the reader's source that a crash has in it: the same from version to version
// of a reader, and the same for crashes at several lines of one function.
func (f *Finding) Identity() string {
	if cause, line := CutLine(f.Cause); line > 0 {
		return fmt.Sprintf("%v %v", f.Kind, cause)
	}
	return f.Key()
}

// Causes of findings that have a stack begin so; the place follows.
const (
	diesIn   = "the reader dies in "
	noFreeIn = "the reader does not free what it allocates in "
)

// CutLine cuts the line of the reader's source out of the cause of a crash; 0 where there is none.
func CutLine(cause string) (rest string, line int) {
	if !strings.HasPrefix(cause, diesIn) && !strings.HasPrefix(cause, noFreeIn) {
		return cause, 0
	}
	at, caller := cause, ""
	if n := strings.LastIndex(cause, calledBy); n >= 0 {
		at, caller = cause[:n], cause[n:]
	}
	if at, line = numberAtEnd(at); line == 0 {
		return cause, 0
	}
	return at + caller, line
}

// reported takes the report of a target that died, with the stack in it.
func (f *Finding) reported(r oracle.Reply) {
	f.Report = r.Report
	if r.Outcome != oracle.Crashed && r.Outcome != oracle.Exhausted {
		return
	}
	stack := parseStack(r.Report)
	f.Stack = stack.Frames
	switch place := stack.Place(); {
	case place == "":
	case r.Outcome == oracle.Exhausted:
		f.Cause = noFreeIn + place
	default:
		f.Cause = diesIn + place
	}
}

// varied reports whether what was done to the packet tells little of the mistake: nothing is wrong with the packet. So
// others that were made in the same way may show other mistakes.
func (f *Finding) varied() bool {
	return f.Kind == oracle.FoundRejectedValid || f.unplaced() && f.Reject == reject.None
}

// InState reports whether a finding's packets were sent from a state of a dialogue on that Spoken names: they are as few
// as the target could make them.
func (f *Finding) InState() bool { return f.Spoken != nil && f.Spoken.State != "" }

// What is the finding in the protocol's words: "body.players[0].health, bits 144..150: want 0..100 in 7 bits, got 119;
// the reader accepted".
func (f *Finding) What() string {
	at := f.Path
	if at == "" {
		at = "packet"
	}
	if f.Width > 0 && f.Bit != decode.Hidden {
		at = fmt.Sprintf("%s, bits %d..%d", at, f.Bit, f.Bit+f.Width-1)
	}
	return fmt.Sprintf("%s: want %s, got %s", at, f.Want, f.Got)
}
