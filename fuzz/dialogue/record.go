package dialogue

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/pcap"
)

// The bounds of a Recorder: what is beyond them is not looked at.
const (
	maxRecorded = 4096 // packets
	maxHeld     = 32   // fields of a packet
	maxShift    = 16   // of `last CASE.field + k`
	leastCopies = 3    // distinct values that are a copy of a server's
	leastDrawn  = 32   // bits of a value that is drawn for each session: two that differ are no accident
	fewDrawn    = 8    // bits of such a value where manyFlows have one of their own each
	manyFlows   = 4
	recent      = 32 // packets of the server that an answer may be to
	leastAcked  = 8  // distinct values that an answer repeats
	clockSlack  = 50 * time.Millisecond
)

// Recorder writes a dialogue of captured sessions: what clients sent, and for each field whether it was constant, a copy
// of what the server sent, a counter or a clock. It is for one goroutine.
type Recorder struct {
	decoder *decode.Decoder
	tree    *tree
	trace   decode.Trace
	flows   map[flowID][]recorded
	order   []flowID
	capture int
	packets int
}

// flowID is a client in a capture: in another one its address and port may be another's.
type flowID struct {
	capture int
	client  netip.AddrPort
}

// recorded is a packet of a flow.
type recorded struct {
	at     int64
	client bool
	tag    uint64
	fields []heldField
	first  map[string]heldField // of the server's packets before, by `CASE.path`: of a client's
	last   map[string]heldField
}

type heldField struct {
	path   string
	value  string // decimal, or as a dialogue writes it
	number bool
	secret bool
	node   int
	size   int // of bytes, or bits of a number
	octets bool
}

// NewRecorder makes a Recorder of a protocol. The error says that it has no cases.
func NewRecorder(d *decode.Decoder) (*Recorder, error) {
	t := newTree(d.Plan())
	if len(t.tags) == 0 {
		return nil, fmt.Errorf("%s has no cases with names: a dialogue needs a switch on an enum", d.Plan().Schema.Name)
	}
	return &Recorder{decoder: d, tree: t, flows: map[flowID][]recorded{}}, nil
}

// Add adds a datagram, in the order of their times, in ns. What the protocol refuses is left out, and what neither the
// ports nor a packet before say the sender of.
func (r *Recorder) Add(src, dst netip.AddrPort, packet []byte, at int64) {
	from := decode.DirectionOf(r.decoder.Plan().Schema, src.Port(), dst.Port())
	if _, ok := r.flows[flowID{r.capture, dst}]; ok && from == decode.FromUnknown { // a server that answers from another port
		from = decode.Server
	} else if _, ok := r.flows[flowID{r.capture, src}]; ok && from == decode.FromUnknown {
		from = decode.Client
	}
	flow := flowID{r.capture, src}
	if from == decode.Server {
		flow.client = dst
	}
	if from == decode.FromUnknown || r.packets == maxRecorded || r.decoder.Decode(packet, from, &r.trace) != nil || !r.trace.HasTag || r.tree.tags[r.name(r.trace.Tag)] != r.trace.Tag {
		return
	}
	if _, ok := r.flows[flow]; !ok {
		r.order = append(r.order, flow)
	}
	r.packets++
	p := recorded{at: at, client: from == decode.Client, tag: r.trace.Tag}
	pl := r.decoder.Plan()
	for f := range r.trace.Fields() {
		if len(p.fields) == maxHeld {
			break
		}
		n := &pl.Nodes[f.Node()]
		if n.Leaf >= 0 && (pl.Info[n.Leaf].Writes() == plan.Sealed || pl.Info[n.Leaf].Let != nil) || r.isTag(n.Leaf) || n.Kind == plan.NodeItem {
			continue
		}
		h := heldField{path: f.Path(), secret: f.Secret(), node: f.Node(), size: f.Width()}
		switch v := f.Value().Reveal(); v.Form() {
		case decode.FormBytes:
			h.value, h.octets, h.size = strconv.Quote(hex.EncodeToString(v.Bytes())), true, len(v.Bytes())
		case decode.FormText:
			h.value, h.size = quoted(v.Bytes()), len(v.Bytes())
		case decode.FormBool:
			h.value = strconv.FormatBool(v.Bool())
		case decode.FormFloat:
			h.value = strconv.FormatFloat(v.Float(), 'f', -1, 64)
			if !strings.Contains(h.value, ".") {
				h.value += ".0"
			}
		default:
			h.value, h.number = string(v.AppendNumber(nil)), true
		}
		p.fields = append(p.fields, h)
	}
	r.flows[flow] = append(r.flows[flow], p)
}

// AddAll adds the datagrams of a capture, to its end.
func (r *Recorder) AddAll(datagrams *pcap.DatagramReader) error {
	r.capture++
	for r.packets < maxRecorded {
		d, err := datagrams.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.Add(d.Src, d.Dst, d.Payload, d.Time)
	}
	return nil
}

// isTag reports whether a leaf says the case, which a dialogue names.
func (r *Recorder) isTag(leaf int32) bool {
	at := r.tree.cases.TagRegister
	return leaf >= 0 && at >= 0 && slices.Contains(r.decoder.Plan().RegisterLeaves[at], leaf)
}

// quoted is a text as a dialogue writes it.
func quoted(text []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String() + `"`
}

func (r *Recorder) name(tag uint64) string { return decode.CaseOf(r.decoder.Plan(), tag).CaseName() }

// remember notes for each client's packet what the server had sent before.
func (r *Recorder) remember() {
	for _, flow := range r.order {
		first, last, shared := map[string]heldField{}, map[string]heldField{}, false
		for i := range r.flows[flow] {
			p := &r.flows[flow][i]
			if p.client {
				p.first, p.last, shared = first, last, true
				continue
			}
			if shared {
				first, last, shared = maps.Clone(first), maps.Clone(last), false
			}
			for _, f := range p.fields {
				k := r.name(p.tag) + "." + r.short(p.tag, f.path)
				if _, ok := first[k]; !ok {
					first[k] = f
				}
				last[k] = f
			}
		}
	}
}

// short is a path from what a case adds on, where it is in that.
func (r *Recorder) short(tag uint64, path string) string {
	if rest, ok := strings.CutPrefix(path, r.decoder.Plan().Nodes[r.tree.arm(tag)].Name+"."); ok {
		return rest
	}
	return path
}
