package generated

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// values compares what a generated Packet holds with a trace. What the packet has not, which are arms that were not
// taken and optionals that are not there, holds what earlier packets left, and is not looked at.
type values struct {
	plan *plan.Plan
	have map[string]bool
	want []byte
}

// maxWrong is how many wrong values of one packet are told.
const maxWrong = 8

// compare finds the values that are not the trace's; lines are the program's.
func (v *values) compare(t *decode.Trace, lines string) []oracle.Mismatch {
	if v.have == nil {
		v.have = map[string]bool{}
	}
	clear(v.have)
	for line := range strings.Lines(lines) {
		v.have[strings.TrimSuffix(line, "\n")] = true
	}
	var wrong []oracle.Mismatch
	for ev := range t.Walk() {
		n := &v.plan.Nodes[ev.Node]
		if ev.Kind == decode.Close || ev.Kind == decode.Item || n.Kind == plan.NodeItem || ev.Kind == decode.Open && n.Kind != plan.NodeArray || ev.Kind == decode.Leaf && v.plan.Info[ev.Leaf].Writes() == plan.Sealed {
			continue
		}
		v.want = AppendPath(v.want[:0], t, ev)
		at := len(v.want)
		if v.value(ev); v.have[string(v.want)] || len(wrong) == maxWrong {
			continue
		}
		want := string(v.want[at:])
		if other := v.quantized(ev, at); other != "" {
			if v.have[other] {
				continue
			}
			want = other[at:]
		}
		path := string(t.AppendEventPath(nil, ev))
		if n.Secret {
			wrong = append(wrong, oracle.Mismatch{Kind: oracle.FoundWrongValue, Path: path, What: "another value than the schema says, which is a secret"})
			continue
		}
		got := "nothing"
		for line := range strings.Lines(lines) {
			if rest, ok := strings.CutPrefix(line, string(v.want[:at])); ok && rest[0] == want[0] { // a value, or a length
				got = strings.TrimSuffix(rest, "\n")
				break
			}
		}
		wrong = append(wrong, oracle.Mismatch{Kind: oracle.FoundWrongValue, Path: path, What: clip(got) + " where the schema says " + clip(want)})
	}
	return wrong
}

// AppendPath appends an event's path with the arms of switches, body<Snapshot>.players[2].health: what tells the fields
// of a generated Packet apart, in which all arms are beside each other.
func AppendPath(b []byte, t *decode.Trace, ev *decode.Event) []byte {
	rule, numbers := t.Plan.AppendRule(nil, ev.Node), t.AppendEventPath(nil, ev)
	for {
		i := bytes.Index(rule, []byte("[]"))
		if i < 0 {
			return append(b, rule...)
		}
		open, end := bytes.IndexByte(numbers, '['), bytes.IndexByte(numbers, ']')
		b = append(append(append(b, rule[:i]...), numbers[open:end]...), ']')
		rule, numbers = rule[i+2:], numbers[end+1:]
	}
}

// value appends what follows the path.
func (v *values) value(ev *decode.Event) {
	switch ev.Kind {
	case decode.Open:
		v.want = strconv.AppendInt(append(v.want, "#="...), int64(ev.Count), 10)
		return
	case decode.Blob:
		data := ev.Data
		if text, ok := v.plan.Nodes[ev.Node].Value.Type.(*schema.TextType); ok && text.Kind == schema.TextChar {
			data = bytes.TrimRight(data, "\x00")
		}
		v.want = hex.AppendEncode(append(v.want, '='), data)
		return
	}
	info := &v.plan.Info[ev.Leaf]
	v.want = append(v.want, '=')
	switch value := info.Value(ev.Raw, ev.CodeWidth); {
	case info.Kind == plan.LeafFloat:
		v.want = strconv.AppendUint(append(v.want, 'f'), ev.Raw, 16)
	case info.IsSigned():
		v.want = strconv.AppendInt(v.want, int64(value), 10)
	default:
		v.want = strconv.AppendUint(v.want, value, 10)
	}
}

// quantized is the line of a quantized float whose value is kept, and not its code; "" for others.
func (v *values) quantized(ev *decode.Event, at int) string {
	if ev.Kind != decode.Leaf || v.plan.Info[ev.Leaf].Kind != plan.LeafQuantized {
		return ""
	}
	float := math.Float32bits(v.plan.Info[ev.Leaf].Quant.Value(uint32(ev.Raw)))
	return string(strconv.AppendUint(append(append([]byte(nil), v.want[:at]...), "=f"...), uint64(float), 16))
}

func clip(s string) string {
	const most = 80
	s = strings.TrimPrefix(strings.TrimPrefix(s, "#"), "=")
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
