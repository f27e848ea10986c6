package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader that does not look at a flag reads each packet as if it were the other way: it accepts what breaks the rules of
// what the flag announces, and reads that for something else. All of that is one mistake. Often a reader looks at a flag in
// some cases of a switch: then it is one mistake at the others.

// Bounds of what is tried to find out whether the reader looks at a flag.
const (
	flagTries  = 6 // packets for each flag and case
	flagFewest = 3
	flagSent   = 2000
	flagMade   = 2e4 // packets that are looked at for another cause
)

// isFlag reports whether an event is of a bit that decides what follows, and that can be changed where it is.
func (m *Minimizer) isFlag(ev *decode.Event) bool {
	return ev.Kind == decode.Leaf && ev.Leaf >= 0 && ev.Width == 1 && m.tags[ev.Leaf] && !ev.Cut() && m.mutator.plan.LeafRuns(int32(ev.Leaf))
}

// flagged is a packet with a flag that is the other way.
func (m *Minimizer) flagged(packet []byte, flag *decode.Event, t *decode.Trace) []byte {
	other := m.mutator.withCode(slices.Clone(packet), flag, flag.Raw^1)
	sealsOf(t, m.mutator.seals).Repair(other, -1)
	return other
}

// caseBehind is the declaration of the first case after a record of a packet, "" of none.
func caseBehind(t *decode.Trace, record int) string {
	first := &t.Records[record]
	for ev := range t.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob || ev.Record < record {
			continue
		}
		if at := &t.Records[ev.Record]; at.Parent == first.Parent && at.Index != first.Index {
			break
		}
		for node := ev.Node; node != plan.NoNode; node = t.Plan.Nodes[node].Parent {
			if t.Plan.Nodes[node].Case != "" {
				return declarationOf(t.Plan, node)
			}
		}
	}
	return ""
}

// unusedFlag is the declaration of a flag that the reader does not look at, where a finding is of that: with the flag the
// other way the packet is valid, and what the reader says of it is right of that one.
func (m *Minimizer) unusedFlag(f *Finding) string {
	p := m.mutator.plan
	if p.HasSecret() || len(m.tags) == 0 {
		return ""
	}
	var was, other decode.Trace
	_ = m.mutator.decoder.Decode(f.Packet, f.From, &was)
	var flags []decode.Event
	for ev := range was.Walk() {
		if m.isFlag(ev) && len(flags) < sizesTried {
			flags = append(flags, *ev)
		}
	}
	for i := range flags {
		packet := m.flagged(f.Packet, &flags[i], &was)
		if m.mutator.decoder.Decode(packet, f.From, &other) != nil {
			continue
		}
		if m.flags == nil {
			flags := m.asksForFlags()
			if m.failed != nil || m.late() {
				return ""
			}
			m.flags = flags
		}
		name, in := declarationOf(p, flags[i].Node), caseBehind(&other, flags[i].Record)
		if t := m.flags[name][in]; t == nil || t.tried < flagFewest || t.accepted < t.tried || !m.readsAs(f, &other, &flags[i]) || m.acceptsBehind(name, f.judged) {
			continue
		}
		if in != "" {
			f.Places = []string{in}
		}
		return name
	}
	return ""
}

// acceptsBehind reports whether the reader accepts a packet of a cause in a case in which it looks at a flag: then the cause
// is a mistake of its own, whatever cases it shows in besides. It asks once.
func (m *Minimizer) acceptsBehind(flag, cause string) bool {
	if cause == "" {
		return false // a value that is read wrongly: what the reader says of it is right of another packet
	}
	key := flag + "\x00" + cause
	if accepts, known := m.behind[key]; known {
		return accepts
	}
	of, accepts := m.asks(flagTries), false
	defer of.close()
	var whole decode.Trace
	made, seen := 0, Dedup{}
	for data, from := range m.bases(askRandom+askBoundaries, &whole) {
		for ev := range whole.Walk() {
			if !m.isFlag(ev) || declarationOf(m.mutator.plan, ev.Node) != flag {
				continue
			}
			if t := m.flags[flag][caseBehind(&whole, ev.Record)]; t == nil || t.accepted == t.tried {
				continue
			}
			for mutation := range m.mutator.Enumerate(data, from, seen) {
				if made++; accepts || of.over || made > flagMade {
					break
				}
				if t, _ := m.judge.Truth(mutation.Data, from); !t.Rejected() {
					continue
				}
				if judged, _ := m.judge.unchecked(); judged == cause {
					accepts, _ = of.accepts(mutation.Data, from)
				}
			}
			break
		}
	}
	if m.behind == nil {
		m.behind = map[string]bool{}
	}
	m.behind[key] = accepts
	return accepts
}

// readsAs reports whether the reader takes a finding's packet for another one, whose trace is given: it accepts it, and all
// that it says of fields is right of that one, but for the flag.
func (m *Minimizer) readsAs(f *Finding, other *decode.Trace, flag *decode.Event) bool {
	of := m.asks(1)
	defer of.close()
	accepted, _ := of.accepts(f.Packet, f.From)
	return accepted && of.saysOf(other, flag)
}

// saysOf reports whether what the reader said last of fields is right of a packet, but for a flag; it is where it says
// nothing.
func (a *asking) saysOf(t *decode.Trace, flag *decode.Event) bool {
	if a.fields == nil {
		return true
	}
	return !slices.ContainsFunc(oracle.CompareFields(t, a.fields), func(w oracle.Mismatch) bool {
		at := shownAt(t, w.Path)
		return at.node != flag.Node
	})
}

// asksForFlags sets flags of packets that the reader accepts the other way, where that breaks a rule: what came of it by
// flag and case. What the reader accepts and does not read as the packet was counts as refused: it looks at the flag.
func (m *Minimizer) asksForFlags() map[string]asked {
	of, flags := m.asks(flagSent), map[string]asked{}
	defer of.close()
	var whole decode.Trace
	for data, from := range m.bases(askRandom+askBoundaries, &whole) {
		if of.over {
			return map[string]asked{}
		}
		if accepted, _ := of.accepts(data, from); !accepted {
			continue
		}
		for ev := range whole.Walk() {
			if !m.isFlag(ev) {
				continue
			}
			packet := m.flagged(data, ev, &whole)
			if m.mutator.decoder.Decode(packet, from, &m.probe.trace) == nil {
				continue
			}
			name, in := declarationOf(m.mutator.plan, ev.Node), caseBehind(&whole, ev.Record)
			if flags[name] == nil {
				flags[name] = asked{}
			}
			if t := flags[name][in]; t != nil && (t.tried == flagTries || t.accepted < t.tried) {
				continue
			}
			if accepted, known := of.accepts(packet, from); known {
				flags[name].note(in, accepted && of.saysOf(&whole, ev))
			}
		}
	}
	return flags
}
