package fuzz

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Which packets a finding takes. Most take one. A reader that keeps something from packet to packet may answer one wrongly
// because of others long before it; what it had is a History, and the fewest of that which still show the mistake, on a
// target that was started anew, belong to the finding.

// Bounds of what is tried for that.
const (
	maxSequences  = 300              // sequences for one finding
	maxConfirming = 60 * time.Second // for all findings of an audit that has no end of its own
	keptUnseen    = 64               // packets that are kept of what did not show a finding again
)

// needs finds what has to be sent before the packet of z.f, the fewest that it finds, and reports whether it shows the
// mistake again at all.
func (z *minimiser) needs(f *Finding) bool {
	if len(f.Before) > 0 { // the target knows
		return z.shows(f.Before, f.Packet)
	}
	if z.shows(nil, f.Packet) {
		return true
	}
	if len(f.sent) == 0 || !z.shows(f.sent, f.Packet) {
		return false
	}
	whole := append(f.sent[:len(f.sent):len(f.sent)], Base{f.Packet, f.From})
	_, least, _ := ShortenSequence(whole, maxSequences, func(try []Base) (bool, error) { // its error is in z.failed
		shows := z.shows(try[:len(try)-1], f.Packet)
		if z.skipped {
			return false, ErrLate
		}
		return shows, z.failed
	})
	z.undone = Shortened(least)
	return true
}

// unseen notes that a finding did not show itself again, or was not tried to the end.
func (z *minimiser) unseen(f *Finding) {
	if len(f.Before) > 0 { // what the target knows is not less known
		return
	}
	if f.Undone = NotAgain; z.skipped || z.failed != nil {
		f.Undone = NotTried
		return
	}
	if f.Kind <= FoundHang || f.Kind == FoundLeak {
		return // the target has said it
	}
	f.Report = "it was not seen again with a new target"
	if n := len(f.sent); n > 0 {
		f.Report += fmt.Sprintf(", alone or behind the %d packets before it", n)
	}
}

// untried notes that nobody tried a finding again. A target that dies, hangs or is stopped for its memory has said it itself.
func (f *Finding) untried() {
	if len(f.sent) > 0 && f.Kind > FoundHang && f.Kind != FoundLeak {
		f.Undone = NotTried
	}
}

// confirm finds out which packets each finding takes, on new targets. A target that dies, hangs or is stopped for its memory
// has said it itself. hurried says that maxConfirming left something undone.
func (a *Audit) confirm(ctx context.Context, found []Finding) (hurried bool, err error) {
	z := newMinimiser(ctx, &Campaign{Decoder: a.Decoder, Seed: a.Seed, Own: a.Own, NewTarget: a.NewTarget}, NewMutator(a.Decoder))
	defer z.close()
	end, long := ctx.Deadline()
	if !long {
		end = time.Now().Add(maxConfirming)
	}
	for i := range found {
		f := &found[i]
		switch {
		case ctx.Err() != nil:
			f.untried()
		case f.unplaced() && !a.Own:
			z.begin(f, end)
			*f = *z.places(f)
			if z.failed != nil && !errors.Is(z.failed, ErrOver) {
				return hurried, z.failed
			}
		case f.Kind == FoundRejectedValid && !a.Own:
			least, err := z.minimiseBy(f, end)
			if *f = *least; err != nil {
				return hurried, err
			}
		case len(f.sent) > 0 && f.Kind > FoundHang && f.Kind != FoundLeak:
			z.begin(f, end)
			if z.needs(f) {
				f.Before, f.Undone = z.least.Before, z.undone
			} else {
				z.unseen(f)
			}
			if z.failed != nil {
				return hurried, z.failed
			}
		}
		if z.begin(f, end); ctx.Err() == nil {
			z.ends(f)
		}
		f.sent = nil
		hurried = hurried || z.skipped && !long && !time.Now().Before(end)
	}
	return hurried, ctx.Err()
}
