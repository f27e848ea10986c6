package fuzz

import (
	"bytes"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What the minimizer tries is sent to a target: a new one, or the one that is kept.

// late reports whether no more is to be tried. It is asked before each trial.
func (m *Minimizer) late() bool {
	if m.pause != nil {
		m.end = m.end.Add(m.pause())
	}
	late := m.trials >= maxTrials || m.starts >= maxStarts || m.ctx.Err() != nil || time.Now().After(m.end)
	m.skipped = m.skipped || late
	return late
}

// stands ends the target that was kept, and reports whether a new one shows what was found with it. It is tried also
// where nothing else is tried any more, unless ctx has ended.
func (m *Minimizer) stands() bool {
	m.keeps = false
	m.drop()
	m.trials, m.starts = min(m.trials, maxTrials-1), min(m.starts, maxStarts-1)
	if late := time.Now().Add(confirming); late.After(m.end) {
		m.end = late
	}
	return m.shows(nil, m.least.Packet)
}

// confirming is the time that it has for that.
const confirming = time.Second

// open is a target for one packet, and what is to be called after it: a new one, or the one that is kept.
func (m *Minimizer) open() (t oracle.Target, done func(oracle.Reply), err error) {
	if t = m.used; t == nil {
		m.starts++
		if t, err = m.NewTarget(m.ctx); err != nil {
			return nil, nil, err
		}
		m.forgets = forgets(t)
	}
	if !m.keeps {
		return t, func(oracle.Reply) { _ = t.Close() }, nil // there is nothing more to hear from it
	}
	m.used = t
	return t, func(r oracle.Reply) {
		if !r.Outcome.Answered() || len(r.Culprit) > 0 {
			m.drop()
		}
	}, nil
}

// drop ends the target that was kept.
func (m *Minimizer) drop() {
	if m.used != nil {
		_ = m.used.Close() // there is nothing more to hear from it
		m.used = nil
	}
}

// shows tries a packet on a target, after others, and keeps it if it shows the same mistake.
func (m *Minimizer) shows(before []decode.Packet, packet []byte) bool {
	if m.failed != nil || m.late() {
		return false
	}
	m.trials++
	t, done, err := m.open()
	if err != nil {
		return m.fail(err)
	}
	var reply oracle.Reply
	defer func() { done(reply) }()
	for _, b := range before {
		if m.late() {
			return false
		}
		if _, err := t.Send(b.Data, b.From); err != nil {
			return m.fail(err)
		}
	}
	if reply, err = t.Send(packet, m.f.From); err != nil {
		return m.fail(err)
	}
	found := m.judge.Judge(&Mutation{Data: packet, Node: m.f.node}, m.f.From, t, reply)
	if m.f.Kind == oracle.FoundCrash && reply.Outcome.Answered() {
		if found, err = m.after.found(t); err != nil {
			return m.fail(err)
		}
	}
	i := slices.IndexFunc(found, func(g Finding) bool { return g.same(m.f) || m.loose && g.Kind == m.f.Kind })
	if i < 0 || reply.Outcome.Answered() && !bytes.Equal(found[i].Packet, packet) && m.f.Kind == oracle.FoundCrash {
		return false
	}
	if m.blame != nil && !m.flips(m.blame, packet, m.f.From) {
		return false // it is refused for another reason
	}
	g := found[i]
	g.Packet, g.Before, g.node = bytes.Clone(packet), before, m.f.node
	m.least = &g
	return true
}

// fail notes why a target is of no use; what ends with the time is no failure. It reports false.
func (m *Minimizer) fail(err error) bool {
	if m.ctx.Err() == nil {
		m.failed = err
	}
	m.skipped = true
	return false
}

// same reports whether two findings are one mistake. Where nothing is wrong with the packet, the rule is only that of
// the field that was changed last. A packet can break one rule in two ways that are two mistakes: see withMost.
func (f *Finding) same(o *Finding) bool {
	if o.judged != "" && f.judged != o.judged {
		return false
	}
	return f.Kind == o.Kind && f.Reject == o.Reject && (f.Rule == o.Rule || f.Reject == reject.None && f.Kind != oracle.FoundWrongValue)
}
