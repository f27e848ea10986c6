package zoo

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// target is a reader as the fuzzer attacks it.
type target struct {
	reader Reader
	last   Answer
	size   int
}

// NewTarget makes a reader of the zoo a target of audit and fuzz. It answers everything it can: the verdict, and to the
// fuzzer's questions the values, the bits, the work and the memory.
func NewTarget(r Reader) oracle.Target { return &target{reader: r} }

func (t *target) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	t.last, t.size = t.reader.Read(packet), len(packet)
	r := oracle.Reply{Outcome: oracle.Refused, Bits: t.last.Bits}
	switch t.last.End {
	case Crashed:
		r.Outcome = oracle.Crashed
	case Hung:
		r.Outcome = oracle.Hung
	case Exhausted:
		r.Outcome = oracle.Exhausted
	default:
		if t.last.Accepted {
			r.Outcome = oracle.Accepted
		}
	}
	return r, nil
}

// Check compares what was read, and what it cost.
func (t *target) Check(trace *decode.Trace) []oracle.Mismatch {
	var wrong []oracle.Mismatch
	if t.last.Cost > FairCost(t.size) {
		wrong = append(wrong, oracle.Mismatch{Kind: oracle.FoundSlow, What: fmt.Sprintf("%d units of work for %d bytes", t.last.Cost, t.size)})
	}
	if t.last.Memory > FairMemory(t.size) {
		wrong = append(wrong, oracle.Mismatch{Kind: oracle.FoundLeak, What: fmt.Sprintf("%d bytes of memory for %d", t.last.Memory, t.size)})
	}
	if t.last.Accepted && !trace.Rejected() {
		if path, what := firstDifference(t.last.Values, Expected(trace)); what != "" {
			wrong = append(wrong, oracle.Mismatch{Kind: oracle.FoundWrongValue, Path: path, What: what})
		}
	}
	return wrong
}

// firstDifference is the field where two lists of values part, and how.
func firstDifference(got, want []Value) (path, what string) {
	for i := range want {
		if i == len(got) || got[i] != want[i] {
			return want[i].Path, Different(got, want)
		}
	}
	if len(got) > len(want) {
		return got[len(want)].Path, Different(got, want)
	}
	return "", ""
}

func (t *target) Close() error { return nil }
