package dialogue

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/netip"
	"slices"
	"sort"
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
	clockSlack  = 50 * time.Millisecond
)

// Recorder writes a dialogue of captured sessions: what clients sent, and for each field whether it was constant, a copy
// of what the server sent, a counter or a clock. It is for one goroutine.
type Recorder struct {
	decoder *decode.Decoder
	tree    *tree
	trace   decode.Trace
	flows   map[netip.AddrPort][]recorded // by the client
	order   []netip.AddrPort
	packets int
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
	return &Recorder{decoder: d, tree: t, flows: map[netip.AddrPort][]recorded{}}, nil
}

// Add adds a datagram, in the order of their times, in ns. What the protocol refuses is left out, and what neither the
// ports nor a packet before say the sender of.
func (r *Recorder) Add(src, dst netip.AddrPort, packet []byte, at int64) {
	from := decode.DirectionOf(r.decoder.Plan().Schema, src.Port(), dst.Port())
	if _, ok := r.flows[dst]; ok && from == decode.FromUnknown { // a server that answers from another port
		from = decode.Server
	} else if _, ok := r.flows[src]; ok && from == decode.FromUnknown {
		from = decode.Client
	}
	flow := src
	if from == decode.Server {
		flow = dst
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

// occurrence is a field in a packet that a client sent, with what was before it.
type occurrence struct {
	flow  int
	at    int64
	index int // packets of clients before it, in the flow
	field heldField
	first map[string]heldField // of the server's packets by `CASE.path`
	last  map[string]heldField
}

// rule is what holds for a field.
type rule struct {
	text  string // the value; "" where nothing holds
	note  string // how often it held
	param string // a line that declares it
}

// occurrences are those of a field, of one case or (has false) of all.
func (r *Recorder) occurrences(path string, tag uint64, has bool) (all []occurrence) {
	for n, flow := range r.order {
		index := 0
		for i := range r.flows[flow] {
			p := &r.flows[flow][i]
			if !p.client {
				continue
			}
			for _, f := range p.fields {
				if f.path == path && (!has || p.tag == tag) {
					all = append(all, occurrence{n, p.at, index, f, p.first, p.last})
				}
			}
			index++
		}
	}
	return all
}

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

// ruleOf finds what holds for a field in all its occurrences.
func (r *Recorder) ruleOf(path string, all []occurrence, counted bool) rule {
	same, perFlow, flows := true, true, map[int]string{}
	distinct := map[string]bool{}
	for _, o := range all {
		distinct[o.field.value] = true
		same = same && o.field.value == all[0].field.value
		if v, ok := flows[o.flow]; ok && v != o.field.value {
			perFlow = false
		}
		flows[o.flow] = o.field.value
	}
	first, held := &all[0].field, fmt.Sprintf("%d of %d", len(all), len(all))
	name := paramName(path)
	declared := fmt.Sprintf("param %s %s", name, typeOf(first))
	if first.secret {
		declared += " @secret"
	}
	switch {
	case first.secret && perFlow:
		return rule{name, "constant in each of " + strconv.Itoa(len(flows)) + " flows", declared}
	case first.secret:
		return rule{name, "? a secret that changes", declared}
	case same:
		return rule{first.value, "constant, " + held, ""}
	}
	if text := r.copied(all, len(distinct), len(flows)); text != "" {
		return rule{text, "copied, " + held, ""}
	}
	if text := counter(all, counted); text != "" {
		return rule{text, "counts, " + held, ""}
	}
	if text := clock(all); text != "" {
		return rule{text, "the time, " + held, ""}
	}
	if perFlow && len(flows) > 1 && (first.number && first.size >= leastDrawn || first.octets && 8*first.size >= leastDrawn) {
		return rule{"fresh(" + typeOf(first) + ")", "another in each of " + strconv.Itoa(len(flows)) + " flows", ""}
	}
	return rule{first.value, "? " + strconv.Itoa(len(distinct)) + " values, this one first", ""}
}

// typeOf is the type of a field's values.
func typeOf(f *heldField) string {
	switch {
	case f.octets:
		return fmt.Sprintf("bytes(%d)", max(f.size, 1))
	case !f.number:
		return fmt.Sprintf("string(%d)", max(f.size, 1))
	}
	for _, bits := range []int{8, 16, 32} {
		if f.size <= bits {
			return fmt.Sprintf("uint%d", bits)
		}
	}
	return "uint64"
}

// paramName is Token of body.token.
func paramName(path string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	return strings.ToUpper(name[:1]) + name[1:]
}

// copied is `last CASE.field + k`, where all occurrences behind the first answer are that.
func (r *Recorder) copied(all []occurrence, distinct, flows int) string {
	if distinct < leastCopies || flows < 2 {
		return ""
	}
	keys := map[string]bool{}
	for _, o := range all {
		for k := range o.last {
			keys[k] = true
		}
	}
	sorted := make([]string, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	for _, word := range []string{"last", "first"} {
		for _, k := range sorted {
			shift, ok, seen := int64(0), true, 0
			for _, o := range all {
				of := o.last
				if word == "first" {
					of = o.first
				}
				f, has := of[k]
				if !has {
					ok = ok && len(o.last) == 0 // before the first answer nothing can be a copy
					continue
				}
				d, fits := difference(&o.field, &f)
				if seen == 0 {
					shift = d
				}
				seen++
				if ok = ok && fits && d == shift && !f.secret; !ok {
					break
				}
			}
			switch {
			case !ok || seen < leastCopies:
			case shift == 0:
				return word + " " + k
			case shift > 0:
				return fmt.Sprintf("%s %s + %d", word, k, shift)
			default:
				return fmt.Sprintf("%s %s - %d", word, k, -shift)
			}
		}
	}
	return ""
}

// difference is by how much a number is more than another; others are to be the same.
func difference(a, b *heldField) (int64, bool) {
	if !a.number || !b.number {
		return 0, a.number == b.number && a.value == b.value
	}
	x, xok := new(big.Int).SetString(a.value, 10)
	y, yok := new(big.Int).SetString(b.value, 10)
	if !xok || !yok {
		return 0, false
	}
	d := x.Sub(x, y)
	return d.Int64(), d.IsInt64() && d.CmpAbs(big.NewInt(maxShift)) <= 0
}

// counter is next(T), where each flow's values rise by one from packet to packet.
func counter(all []occurrence, counted bool) string {
	if !all[0].field.number || all[0].field.size > 64 {
		return ""
	}
	mod := new(big.Int).Lsh(big.NewInt(1), uint(max(all[0].field.size, 1)))
	rises := 0
	for i := 1; i < len(all); i++ {
		a, b := &all[i-1], &all[i]
		if a.flow != b.flow {
			continue
		}
		x, xok := new(big.Int).SetString(a.field.value, 10)
		y, yok := new(big.Int).SetString(b.field.value, 10)
		step := int64(1)
		if counted {
			step = int64(b.index - a.index)
		}
		if !xok || !yok || x.Sub(y, x).Mod(x, mod).Cmp(big.NewInt(step)) != 0 {
			return ""
		}
		rises++
	}
	if rises < leastCopies-1 {
		return ""
	}
	return "next(" + typeOf(&all[0].field) + ")"
}

// clock is now(unit), where each value is the time of its packet.
func clock(all []occurrence) string {
	for _, u := range []struct {
		word string
		unit time.Duration
	}{{"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", 1}} {
		ok := true
		for _, o := range all {
			n, err := strconv.ParseInt(o.field.value, 10, 64)
			if err != nil || n > int64(1)<<62/int64(u.unit) {
				ok = false
				break
			}
			d := time.Duration(o.at - n*int64(u.unit)).Abs()
			ok = ok && d <= max(clockSlack, u.unit)
		}
		if ok {
			return "now(" + u.word + ")"
		}
	}
	return ""
}

// AppendText appends the dialogue. The error says that there is nothing to make one of.
func (r *Recorder) AppendText(b []byte, name string) ([]byte, error) {
	r.remember()
	order, steady := r.steps()
	if len(order) == 0 {
		return b, fmt.Errorf("no flow has a packet of a client that %s accepts", r.decoder.Plan().Schema.Name)
	}
	var params, automatic []string
	whole := map[string]bool{} // paths that are set in all packets
	declare := func(x rule) {
		if x.param != "" && !slices.Contains(params, x.param) {
			params = append(params, x.param)
		}
	}
	for _, path := range r.paths(order[0], false) {
		if x := r.ruleOf(path, r.occurrences(path, 0, false), true); !strings.HasPrefix(x.note, "?") {
			whole[path] = true
			declare(x)
			automatic = append(automatic, fmt.Sprintf("    %s = %s // %s\n", path, x.text, x.note))
		}
	}
	fields := func(tag uint64, only string) string {
		var lines []string
		for _, path := range r.paths(tag, true) {
			if whole[path] {
				continue
			}
			all := r.occurrences(path, tag, true)
			if of := r.count(tag); len(all) < of {
				if only == "" {
					lines = append(lines, fmt.Sprintf("    // %s is in %d of %d packets\n", r.short(tag, path), len(all), of))
				}
				continue
			}
			x := r.ruleOf(path, all, false)
			if only != "" && !strings.HasPrefix(x.text, only) {
				continue
			}
			declare(x)
			lines = append(lines, fmt.Sprintf("    %s = %s // %s\n", r.short(tag, path), x.text, x.note))
		}
		if len(lines) == 0 {
			return ""
		}
		return " {\n" + strings.Join(lines, "") + "}"
	}
	var body strings.Builder
	for i, tag := range order {
		fmt.Fprintf(&body, "send %s%s every 200ms within 2s\n", r.name(tag), fields(tag, ""))
		if answer, n, of := r.answer(tag); n > 0 {
			fmt.Fprintf(&body, "expect %s // came next, %d of %d\n", r.name(answer), n, of)
		}
		if i == len(order)-1 {
			body.WriteString("state Joined\n")
		}
	}
	attack := []string{}
	for _, tag := range steady {
		if every := r.every(tag); every > 0 {
			fmt.Fprintf(&body, "keep %s%s every %s\n", r.name(tag), fields(tag, ""), every)
			continue
		}
		attack = append(attack, r.name(tag)+fields(tag, "last "))
	}
	body.WriteString("alive any\n")
	if len(attack) > 0 {
		fmt.Fprintf(&body, "attack %s\n", strings.Join(attack, ", "))
	}
	b = fmt.Appendf(b, "dialogue %s // recorded of %d flows\n", name, len(r.order))
	for _, p := range params {
		b = append(append(b, p...), '\n')
	}
	if len(automatic) > 0 {
		b = fmt.Appendf(b, "automatic {\n%s}\n", strings.Join(automatic, ""))
	}
	identity := "keep"
	if len(r.order) > 1 {
		identity = "fresh"
	}
	b = fmt.Appendf(b, "identity %s\n", identity)
	return append(b, body.String()...), nil
}

// count is how many packets of a case clients sent.
func (r *Recorder) count(tag uint64) (n int) {
	for _, flow := range r.order {
		for i := range r.flows[flow] {
			if p := &r.flows[flow][i]; p.client && p.tag == tag {
				n++
			}
		}
	}
	return n
}

// paths are the fields of a case's packets in wire order: of all packets those that the case does not add.
func (r *Recorder) paths(tag uint64, of bool) (all []string) {
	for _, name := range r.order {
		for i := range r.flows[name] {
			p := &r.flows[name][i]
			if !p.client || p.tag != tag {
				continue
			}
			for _, f := range p.fields {
				if added := r.short(tag, f.path) != f.path || r.isArm(tag, f.path); (of || !added) && !slices.Contains(all, f.path) {
					all = append(all, f.path)
				}
			}
		}
	}
	return all
}

func (r *Recorder) isArm(tag uint64, path string) bool {
	return r.decoder.Plan().Nodes[r.tree.arm(tag)].Name == path
}

// steps are the clients' cases before the steady state, which is what they send in the last half of the longest flow,
// and those of the steady state.
func (r *Recorder) steps() (order, steady []uint64) {
	var longest netip.AddrPort
	for _, name := range r.order {
		if len(r.flows[name]) > len(r.flows[longest]) {
			longest = name
		}
	}
	var sent []uint64
	for _, p := range r.flows[longest] {
		if p.client {
			sent = append(sent, p.tag)
		}
	}
	if len(sent) == 0 {
		return nil, nil
	}
	for _, tag := range sent[len(sent)/2:] {
		if !slices.Contains(steady, tag) {
			steady = append(steady, tag)
		}
	}
	for _, tag := range sent {
		if slices.Contains(steady, tag) {
			break
		}
		if !slices.Contains(order, tag) {
			order = append(order, tag)
		}
	}
	if len(order) == 0 { // one kind of packet from the first on
		order = sent[:1]
	}
	return order, steady
}

// answer is the server's case that comes next behind a client's, most often.
func (r *Recorder) answer(tag uint64) (best uint64, n, of int) {
	counts := map[uint64]int{}
	for _, name := range r.order {
		waits := false
		for _, p := range r.flows[name] {
			switch {
			case p.client && p.tag == tag:
				of++
				waits = true
			case !p.client && waits:
				counts[p.tag]++
				waits = false
			}
		}
	}
	for t, c := range counts {
		if c > n || c == n && t < best {
			best, n = t, c
		}
	}
	return best, n, of
}

// every is the pause between a case's packets, where they come regularly; else 0.
func (r *Recorder) every(tag uint64) time.Duration {
	var pauses []time.Duration
	for _, name := range r.order {
		last := int64(-1)
		for _, p := range r.flows[name] {
			if !p.client || p.tag != tag {
				continue
			}
			if last >= 0 {
				pauses = append(pauses, time.Duration(p.at-last))
			}
			last = p.at
		}
	}
	if len(pauses) < leastCopies {
		return 0
	}
	slices.Sort(pauses)
	low, middle, high := pauses[len(pauses)/10], pauses[len(pauses)/2], pauses[len(pauses)*9/10]
	if middle < 100*time.Millisecond || middle > MaxStart || low < middle*3/4 || high > middle*5/4 {
		return 0
	}
	return middle.Round(10 * time.Millisecond)
}
