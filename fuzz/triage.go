package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Which packets a finding takes. Most take one. A reader that keeps something from packet to packet may answer one
// wrongly because of others long before it; what it had is a History, and the fewest of that which still show the
// mistake, on a target that was started anew, belong to the finding.

// Bounds of what is tried for that.
const (
	maxSequences    = 300              // sequences for one finding
	maxTriage       = 60 * time.Second // for all findings of an audit that has no end of its own
	keptUnconfirmed = 64               // packets that are kept of what did not show a finding again
)

// reproduce shows a finding again with new targets, and finds the fewest packets before it that it takes. It reports
// whether that went well.
func (m *Minimizer) reproduce(f *Finding) bool {
	if len(f.Before) > 0 { // the target knows
		return m.shows(f.Before, f.Packet)
	}
	if m.shows(nil, f.Packet) {
		return true
	}
	if len(f.sent) == 0 || !m.shows(f.sent, f.Packet) {
		return false
	}
	whole := append(f.sent[:len(f.sent):len(f.sent)], decode.Packet{Data: f.Packet, From: f.From})
	_, least, _ := ShortenSequence(whole, maxSequences, func(try []decode.Packet) (bool, error) { // its error is in m.failed
		shows := m.shows(try[:len(try)-1], f.Packet)
		if m.skipped {
			return false, ErrLate
		}
		return shows, m.failed
	})
	m.undone = oracle.Shortened(least)
	return true
}

// notReproduced notes that a finding was not shown again, or not tried to the end.
func (m *Minimizer) notReproduced(f *Finding) {
	if len(f.Before) > 0 { // what the target knows is not less known
		return
	}
	if f.Undone = oracle.NotAgain; m.skipped || m.failed != nil {
		if f.Undone = oracle.NotTried; f.varied() {
			f.Cause = m.hasCause(f.Packet, f.From) // it has a value that the reader is known to refuse
		}
		return
	}
	if f.lethal() {
		return // the target has said it
	}
	f.Report = "it was not seen again with a new target"
	if n := len(f.sent); n > 0 {
		f.Report += fmt.Sprintf(", alone or behind the %d packets before it", n)
	}
}

// keepSent keeps the last packets that a target had before one that it died of or hung at, where nobody knows which it
// takes.
func (f *Finding) keepSent() {
	if f.Kind <= oracle.FoundHang {
		for _, b := range f.sent[max(0, len(f.sent)-keptUnconfirmed):] {
			f.Before = append(f.Before, decode.Packet{Data: bytes.Clone(b.Data), From: b.From})
		}
	}
	f.sent = nil
}

// untried notes that nobody tried a finding again. A target that dies, hangs or is stopped for its memory has said it
// itself.
func (f *Finding) untried() {
	if f.wantsHistory() {
		f.Undone = oracle.NotTried
	}
}

// wantsHistory reports whether what the target had before a finding's packet may be a part of it. A target that dies,
// hangs or is stopped for its memory has said itself what it takes.
func (f *Finding) wantsHistory() bool { return len(f.sent) > 0 && !f.lethal() }

// triage finds out which packets a finding takes and what its cause is. Only a valid packet that is refused is made
// simple: nothing else tells the cause. Nothing is tried after end.
func (m *Minimizer) triage(ctx context.Context, f *Finding, end time.Time) (err error) {
	m.begin(ctx, f, end)
	switch {
	case (f.unplaced() || f.behindSum()) && !m.SelfTest:
		*f = *m.places(f)
		if err = m.failed; errors.Is(err, oracle.ErrOver) {
			err = nil
		}
	case f.Kind == oracle.FoundRejectedValid && !m.SelfTest:
		var least *Finding
		least, err = m.minimizeBy(ctx, f, end)
		*f = *least
	case f.wantsHistory():
		if m.reproduce(f) {
			f.Before, f.Undone = m.least.Before, m.undone
		} else {
			m.notReproduced(f)
		}
		err = m.failed
	}
	if err != nil {
		return err
	}
	skipped := m.skipped
	m.begin(ctx, f, end)
	m.ends(f)
	m.skipped = m.skipped || skipped
	return nil
}

// triage finds out what each finding takes, on new targets. hurried says that maxTriage left something undone.
func (a *Audit) triage(ctx context.Context, found []Finding) (hurried bool, err error) {
	m := &Minimizer{Decoder: a.Decoder, NewTarget: a.NewTarget, SelfTest: a.SelfTest, Seed: a.Seed}
	trying, done := outlast(ctx, lastOfAudit)
	defer done()
	end, long := ctx.Deadline()
	if !long {
		end = time.Now().Add(maxTriage)
	}
	for i := range found {
		f := &found[i]
		if ctx.Err() != nil {
			f.untried()
		} else if err := m.triage(trying, f, end); err != nil {
			return hurried, err
		}
		f.sent = nil
		hurried = hurried || m.skipped && !long && !time.Now().Before(end)
	}
	return hurried, ctx.Err()
}
