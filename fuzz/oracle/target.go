package oracle

import (
	"errors"

	"github.com/pktscope/pktscope/decode"
)

// Target is a reader under attack. It is for one goroutine.
type Target interface {
	// Send gives the reader one packet and waits for its answer. The error says that the target itself is of no use any
	// more, or never was: there is nothing to conclude about the packet.
	Send(packet []byte, from decode.Direction) (Reply, error)
	// Close ends it, with all that it started.
	Close() error
}

// ErrOver is what the error of a Send is (errors.Is) when there is nothing more to be had of a target and nothing wrong
// with that: its time is over, or it died, which was a reply, and nobody starts it again. What was found by then is a
// result.
var ErrOver = errors.New("the target's part is over")

// Reply is what a target did with a packet. All but the Outcome is what some targets say and others do not.
type Reply struct {
	Outcome Outcome
	Why     *Reason // of a refusal, where the target says it; valid until the next packet
	Bits    int     // that an accepted packet took, -1 when it does not say
	Report  string  // of a crash: what the target printed, one or more lines, as it came
	// Fields are the values that a target found in a packet that it did not refuse, one JSON object, as it came; nil
	// when it does not say. They are compared with what the schema says: see CompareFields. Nothing writes over them.
	Fields []byte
	// Culprit, of a crash, a hang or a leak, are the packets that it takes, in order, where it is not the one that was
	// sent: one before it, of which the target died late, or several.
	Culprit [][]byte
	Undone  Undone // of the culprits: NotShortened, NotTried or NotLocated
	// Unlocated says that any of the culprits may be the one that does it, and not the last.
	Unlocated bool
	// Kicked says that the target has survived, and does not know any more who sent it the packet.
	Kicked bool
	// Earlier is how many packets the target had before the culprits that are kept, where all that it had may be to
	// blame.
	Earlier int
	// Spoken is, of a server that is no more after a dialogue, that of the session; else nil.
	Spoken *Spoken
}

// Batcher is a Target that does better with many packets at a time: what is on the way to another process costs most in
// waiting for each answer.
type Batcher interface {
	Target
	// SendBatch is Send for each packet, in order. It calls each once for every packet, in order, which reports whether
	// to go on; a target that has asked for more than that answers them as well. Where the target is a Checker, Check is
	// about that packet inside it. The error is Send's: each has been called for the packets before it.
	SendBatch(packets [][]byte, from []decode.Direction, each func(i int, r Reply) (more bool)) error
}

// Stateful is a Target that packets bring from state to state: a server that a dialogue is spoken with.
type Stateful interface {
	Target
	// States are the names of the states that a session can be brought to.
	States() []string
	// Openers are valid packets, one of each case that a client may send.
	Openers() [][]byte
	// SendSequence begins a session, brings it to a state, an index into States, and sends packets, each after the answers
	// to those before it. passed names what was seen: each state with a client's case, each state with a server's case, and
	// each two cases of the server that came one after the other. A reply that is no answer has the packets that it takes as
	// its Culprit, and the state in Spoken.
	SendSequence(state int, packets [][]byte) (passed []string, r Reply, err error)
}

// Checker is a Target that knows more about its answer to the last packet than a Reply holds, such as the work it took.
type Checker interface {
	// Check compares with the trace of an accepted or refused packet and names what is wrong: a wrong value, work or
	// memory out of proportion.
	Check(t *decode.Trace) []Mismatch
}

// Builtin is pktscope's own decoder as a target, in this process.
type Builtin struct {
	decoder *decode.Decoder
	trace   decode.Trace
	why     Reason
	path    []byte
}

// NewBuiltin makes the target that is pktscope's own decoder.
func NewBuiltin(d *decode.Decoder) *Builtin { return &Builtin{decoder: d} }

// Send decodes a packet.
func (b *Builtin) Send(packet []byte, from decode.Direction) (Reply, error) {
	if b.decoder.Decode(packet, from, &b.trace) == nil {
		return Reply{Outcome: Accepted, Bits: b.trace.Bits}, nil
	}
	r := b.trace.Reject()
	if b.path = r.AppendPath(b.path[:0]); string(b.path) != b.why.Path {
		b.why.Path = string(b.path)
	}
	b.why.Kind, b.why.Bit, b.why.Width = r.Kind, r.Bit, r.Width
	return Reply{Outcome: Refused, Why: &b.why, Bits: -1}, nil
}

// Decoder is the one that it runs.
func (b *Builtin) Decoder() *decode.Decoder { return b.decoder }

// Close has nothing to end.
func (b *Builtin) Close() error { return nil }

// Forgets is true: a decoder begins each packet anew.
func (b *Builtin) Forgets() bool { return true }
