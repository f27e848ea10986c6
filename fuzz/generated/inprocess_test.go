package generated_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// inProcess is a golden package as a target of audit and fuzz in this process: its reader is used again and again, and
// what it has accepted is compared with the interpreter's trace value by value, and written back.
type inProcess struct {
	reader
	values  *comparison
	why     oracle.Reason
	path    []byte
	data    []byte // of the last packet
	from    decode.Direction
	said    oracle.Outcome
	written []byte
}

// goldenPlan is the plan of a golden package; made once.
var goldenPlans = struct {
	sync.Mutex
	plans map[string]*plan.Plan
}{plans: map[string]*plan.Plan{}}

func goldenPlan(tb testing.TB, name string) *plan.Plan {
	tb.Helper()
	g := &goldenPlans
	g.Lock()
	defer g.Unlock()
	if g.plans[name] == nil {
		g.plans[name] = compile(tb, name, generatedSource(tb, name))
	}
	return g.plans[name]
}

// holderOf lays a plan over a golden package.
func holderOf(tb testing.TB, name string, p *plan.Plan) *holder {
	tb.Helper()
	h, err := newHolder(p, reflect.TypeOf(goldenReaders[name]().packet).Elem())
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return h
}

// newInProcess makes the target that is a golden package.
func newInProcess(name string, h *holder) *inProcess {
	t := &inProcess{reader: goldenReaders[name]()}
	t.values = newComparison(h, t.packet)
	return t
}

// Send decodes with the generated code.
func (i *inProcess) Send(data []byte, from decode.Direction) (oracle.Reply, error) {
	no, path, bits := i.read(data, from, i.path[:0])
	i.path, i.data, i.from = path, data, from
	if i.said = oracle.Accepted; no.Kind == reject.None {
		return oracle.Reply{Outcome: oracle.Accepted, Bits: bits}, nil
	}
	if i.said = oracle.Refused; string(path) != i.why.Path {
		i.why.Path = string(path)
	}
	i.why.Kind, i.why.Bit, i.why.Width = no.Kind, no.Bit, no.Width
	return oracle.Reply{Outcome: oracle.Refused, Why: &i.why, Bits: -1}, nil
}

// Check compares the values, and what is written of them.
func (i *inProcess) Check(trace *decode.Trace) []oracle.Mismatch {
	if i.said != oracle.Accepted || trace.Rejected() {
		return nil
	}
	if path, what := i.values.compare(trace); what != "" {
		return []oracle.Mismatch{{Kind: oracle.FoundWrongValue, Path: path, What: what}}
	}
	out, err := i.write(i.written[:0], i.from)
	i.written = out[:0]
	if err == nil {
		err = oracle.Rewritten(trace, out)
	}
	if err != nil {
		return []oracle.Mismatch{{Kind: oracle.FoundNotCanonical, What: err.Error()}}
	}
	return nil
}

// Close does nothing.
func (i *inProcess) Close() error { return nil }

// hold asks interpreter, reference and generated code about one packet.
func (i *inProcess) hold(o *oracle.Oracle, d *decode.Decoder, trace *decode.Trace, data []byte, from decode.Direction) error {
	want, err := o.Decode(data, from)
	if err != nil {
		return err
	}
	reply, _ := i.Send(data, from) // never an error
	switch got := reply.Outcome; {
	case want.Kind == reject.None && got != oracle.Accepted:
		return fmt.Errorf("want accept, got %v", *reply.Why)
	case want.Kind == reject.None:
	case got == oracle.Accepted:
		return fmt.Errorf("want %v, got accept", want)
	case !reply.Why.Is(want):
		return fmt.Errorf("want %v, got %v", want, *reply.Why)
	default:
		return nil
	}
	if err := d.Decode(data, from, trace); err != nil {
		return err
	}
	if reply.Bits != trace.Bits {
		return fmt.Errorf("want %d bits, got %d", trace.Bits, reply.Bits)
	}
	for _, w := range i.Check(trace) {
		return fmt.Errorf("%v at %q: %s", w.Kind, w.Path, w.What)
	}
	return nil
}
