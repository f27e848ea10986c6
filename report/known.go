package report

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report/rejects"
)

// Known are mistakes of a reader that its owner accepts: findings as they were saved. They are counted and listed
// apart, and make nothing fail.
//
// Another mistake is never taken for one of them, however like it is, with one exception. The line at which a reader
// dies moves when its source is edited above. So a crash is also known by its function alone, but each known crash
// stands for one crash of a run: where more lines of the function are dead than are known, the others are new. A
// finding whose cause nobody found out stands for its own packets.
type Known struct {
	list []SavedFinding
	by   []string       // the Key of the run's finding that each stands for; "" for none yet
	of   map[string]int // the reverse: an index of list

	untested []untestedName
	untried  []bool // those of untested that were not tested this time, either
}

// untestedName is what a row of what was not tested is known by.
type untestedName struct{ rule, kind, part string }

// Key is the same for findings that are one mistake: fuzz.Finding.Key.
func (s *SavedFinding) Key() string {
	if s.Cause != "" {
		return s.Kind + "\x00" + s.Cause
	}
	return s.ruleKey()
}

// ruleKey is what findings had in common before they had causes.
func (s *SavedFinding) ruleKey() string { return s.Kind + "\x00\x00" + s.Rule + "\x00" + s.Reject }

// accepts reports whether a finding is the mistake that f, which is accepted, is.
func (s *SavedFinding) accepts(o *SavedFinding) bool {
	switch {
	case s.Cause != "":
		return s.Key() == o.Key()
	case s.ruleKey() != o.ruleKey():
		return false
	}
	return s.ruled() || s.samePackets(o)
}

// ruled reports whether a finding's cause or its rule says what is wrong. The rule of a valid packet that is refused is
// only what was changed to make it, or the packet as a whole, and so it may be of what a reader dies of; what was not
// tried to the end may become another mistake's.
func (s *SavedFinding) ruled() bool {
	if s.Cause != "" {
		return true
	}
	switch s.Kind {
	case oracle.FoundRejectedValid.String(), oracle.FoundCrash.String(), oracle.FoundHang.String(), oracle.FoundLeak.String(), oracle.FoundLockedOut.String():
		return false
	}
	return s.Undone == ""
}

// samePackets reports whether two findings have the same packets, which are not left out.
func (s *SavedFinding) samePackets(o *SavedFinding) bool {
	return !s.Secret && !s.LeftOut && s.Packet == o.Packet && s.From == o.From && slices.Equal(s.Before, o.Before) &&
		!slices.ContainsFunc(s.Before, func(p SavedPacket) bool { return p.Secret })
}

// Add adds a mistake that is accepted. Nothing of what it is found with counts: its target, its packet.
func (k *Known) Add(f *SavedFinding) {
	if !slices.ContainsFunc(k.list, func(o SavedFinding) bool { return o.Key() == f.Key() && o.accepts(f) }) {
		k.list, k.by = append(k.list, *f), append(k.by, "")
	}
}

// Has reports whether a finding is one of them, and notes that it was seen. One without a cause is known by its rule
// where that says what is wrong, as of what was saved before findings had causes, and else by its own packets alone.
func (k *Known) Has(f *fuzz.Finding) bool {
	if k == nil {
		return false
	}
	return k.exact(f) || k.moved(f)
}

// exact is Has of a finding that is in no other line of the reader's source.
func (k *Known) exact(f *fuzz.Finding) bool {
	saved := savedFinding(f, nil, rejects.NewRules(nil))
	for i := range k.list {
		if k.list[i].accepts(&saved) {
			k.by[i] = saved.Key()
			return true
		}
	}
	return false
}

// moved is Has of a crash whose function is known, with another line: that one of the same rule if there is one.
func (k *Known) moved(f *fuzz.Finding) bool {
	saved := savedFinding(f, nil, rejects.NewRules(nil))
	if _, ok := k.of[saved.Key()]; ok {
		return true
	}
	identity, line := fuzz.CutLine(saved.Cause)
	best := -1
	for i := range k.list {
		known := &k.list[i]
		cause, _ := fuzz.CutLine(known.Cause)
		if line == 0 || k.by[i] != "" || known.Kind != saved.Kind || cause != identity {
			continue
		}
		if best < 0 || known.ruleKey() == saved.ruleKey() && k.list[best].ruleKey() != saved.ruleKey() {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	k.by[best] = saved.Key()
	if k.of == nil {
		k.of = map[string]int{}
	}
	k.of[saved.Key()] = best
	return true
}

// Split parts findings into those that are new and those that are known. It knows them all, so what Has said of them
// before, one after the other, does not count: a crash whose line is known is known, whichever came first.
func (k *Known) Split(found []*fuzz.Finding) (fresh, known []*fuzz.Finding) {
	if k != nil {
		clear(k.by)
		clear(k.of)
		for _, f := range found {
			k.exact(f)
		}
	}
	for _, f := range found {
		if k.Has(f) {
			known = append(known, f)
		} else {
			fresh = append(fresh, f)
		}
	}
	return fresh, known
}

// AddUntested adds a row of what was not tested that is accepted. That nothing at all was tested cannot be.
func (k *Known) AddUntested(u *SavedUntested) {
	if name := (untestedName{u.Rule, u.Kind, u.Part}); u.Kind+u.Part != "" && !slices.Contains(k.untested, name) {
		k.untested, k.untried = append(k.untested, name), append(k.untried, false)
	}
}

// Mark marks the rows that are accepted, puts them last, and says how many are not; those that were not reached count.
func (k *Known) Mark(list []fuzz.Untested) (left int) {
	if k != nil {
		for i, saved := range savedUntested(list, rejects.NewRules(nil)) {
			if n := slices.Index(k.untested, untestedName{saved.Rule, saved.Kind, saved.Part}); n >= 0 {
				list[i].Known, k.untried[n] = true, true
			}
		}
		slices.SortStableFunc(list, func(a, b fuzz.Untested) int {
			switch {
			case a.Known == b.Known:
				return 0
			case b.Known:
				return -1
			}
			return 1
		})
	}
	for i := range list {
		if !list[i].Known {
			left++
		}
	}
	return left
}

// Gone names the mistakes that were not seen, and what was accepted as untested and was tested.
func (k *Known) Gone() (names []string) {
	if k == nil {
		return nil
	}
	for i := range k.list {
		if k.by[i] == "" {
			names = append(names, k.list[i].Name())
		}
	}
	for i, u := range k.untested {
		if !k.untried[i] {
			names = append(names, "untested: "+u.rule+", "+cmp.Or(u.kind, u.part))
		}
	}
	return names
}

// Name is a mistake in a line, without the packet that showed it.
func (s *SavedFinding) Name() string {
	switch {
	case s.Cause != "":
		return s.Kind + ": " + s.Cause
	case s.Reject != "":
		return s.Kind + ": " + s.Rule + ", " + s.Reject
	}
	return s.Kind + ": " + s.Rule
}

// appendKnown appends what is known of an audit's or a campaign's mistakes: a line each.
func appendKnown(b []byte, s *style, known []*fuzz.Finding, gone []string) []byte {
	if len(known) > 0 {
		b = s.note.Append(b, syntax.Count(len(known), "known mistake"))
		b = append(b, '\n')
	}
	for _, f := range known {
		saved := savedFinding(f, nil, rejects.NewRules(nil))
		b = append(append(append(b, "  "...), syntax.EscapeText(saved.Name())...), ", "+times(f.Count)+"\n"...)
	}
	if len(gone) > 0 {
		b = s.note.Append(b, syntax.Count(len(gone), "known mistake")+" not seen")
		b = append(b, '\n')
	}
	for _, name := range gone {
		b = append(append(append(b, "  "...), syntax.EscapeText(name)...), '\n')
	}
	return b
}
