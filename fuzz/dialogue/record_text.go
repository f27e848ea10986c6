package dialogue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// The recorder's dialogue: which cases are its steps, which are kept up, which are answers, which are attacked.

// AppendText appends the dialogue. The error says that there is nothing to make one of.
func (r *Recorder) AppendText(b []byte, name string) ([]byte, error) {
	r.remember()
	order, steady := r.steps()
	if len(order) == 0 {
		return b, fmt.Errorf("no flow has a packet of a client that %s accepts", r.decoder.Plan().Schema.Name)
	}
	var params, automatic []string
	whole := map[string]bool{}            // paths that are set in all packets
	early := map[string]map[uint64]bool{} // cases that came before the answer that such a path is a copy of
	declare := func(x rule) {
		if x.param != "" && !slices.Contains(params, x.param) {
			params = append(params, x.param)
		}
	}
	for _, path := range r.paths(order[0], false) {
		if x := r.ruleOf(path, r.occurrences(path, 0, false), true); !strings.HasPrefix(x.note, "?") {
			whole[path], early[path] = true, map[uint64]bool{}
			for _, o := range r.occurrences(path, 0, false) {
				if len(o.last) == 0 && (strings.HasPrefix(x.text, "last ") || strings.HasPrefix(x.text, "first ")) {
					early[path][o.tag] = true
				}
			}
			declare(x)
			automatic = append(automatic, fmt.Sprintf("    %s = %s // %s\n", path, x.text, x.note))
		}
	}
	fields := func(tag uint64, only string, copies map[string]string) string {
		var lines []string
		for _, path := range r.paths(tag, true) {
			if whole[path] && !early[path][tag] {
				continue
			}
			all := r.occurrences(path, tag, true)
			if of := r.count(tag); len(all) < of {
				if only == "" {
					lines = append(lines, fmt.Sprintf("    // %s is in %d of %d packets\n", r.short(tag, path), len(all), of))
				}
				continue
			}
			if name, ok := copies[path]; ok {
				lines = append(lines, fmt.Sprintf("    %s = %s // of what it answers, %d of %d\n", r.short(tag, path), name, min(len(all), maxAnswering), min(len(all), maxAnswering)))
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
	for _, tag := range steady {
		answers := r.reactionOf(tag)
		for _, to := range answers.to {
			fmt.Fprintf(&body, "on %s { %s } send %s%s\n", r.name(to), r.taken(to, answers.copies), r.name(tag), fields(tag, "", answers.names()))
		}
	}
	for i, tag := range order {
		fmt.Fprintf(&body, "send %s%s every 200ms within 2s\n", r.name(tag), fields(tag, "", nil))
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
			fmt.Fprintf(&body, "keep %s%s every %s\n", r.name(tag), fields(tag, "", nil), every)
			continue
		}
		attack = append(attack, r.name(tag)+fields(tag, "last ", nil))
	}
	body.WriteString("alive any\n")
	if names := r.before(order[len(order)-1]); len(names) > 0 {
		fmt.Fprintf(&body, "// before Joined only %s\n//     is what came before it; that a server accepts nothing else then is not known\n", strings.Join(names, ", "))
	}
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

// before are the clients' cases that came before the answer to the last step, in all flows.
func (r *Recorder) before(last uint64) (names []string) {
	answer, _, _ := r.answer(last)
	for _, flow := range r.order {
		answered := func(p recorded) bool { return !p.client && p.tag == answer }
		for i := range max(slices.IndexFunc(r.flows[flow], answered), 0) { // none of a flow without it
			p := &r.flows[flow][i]
			if p.client && r.tree.from(p.tag) != decode.Server && !slices.Contains(names, r.name(p.tag)) {
				names = append(names, r.name(p.tag))
			}
		}
	}
	return names
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
	var longest flowID
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

// answer is the server's case that comes next after a client's, most often.
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
