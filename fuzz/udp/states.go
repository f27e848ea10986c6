package udp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A server's states are tried by enumeration: in each state of the dialogue each case that clients send, in a session of
// its own. What `before` lines forbid must not be answered as it is where it is allowed, nor as the dialogue's own steps
// are; and no packet but the dialogue's own may bring the server into a later state, which shows when it then answers
// what only that state answers.

// Times of a cell: how long an answer is waited for.
const (
	leastListening = 50 * time.Millisecond
	mostListening  = 250 * time.Millisecond
)

// stateTrial fills a StateTable.
type stateTrial struct {
	t      *Target
	d      *dialogue.Dialogue
	only   string // the one cell to try, with what it is compared with; "" for all
	table  *fuzz.StateTable
	cases  []uint64
	found  []fuzz.Finding
	noise  []map[uint64]bool   // what the server sends by itself in each state
	single [][]map[uint64]bool // answers by state and case
	stands bool                // the session at hand is in the last state
	before func() error        // notes that the server did not live through the cell before
}

// States tries the states of the server that is talked with, within the stop time. only is the one cell to try, as
// `Start: Shoot`, or "". What it found when the time was over comes with ErrStopTime; the rest is not tried.
func (t *Target) States(ctx context.Context, only string) (*fuzz.StateTable, []fuzz.Finding, error) {
	t.ctx = ctx
	d := t.talk.Dialogue
	s := &stateTrial{t: t, d: d, only: only, cases: d.ClientCases(), table: &fuzz.StateTable{States: d.AllStates()}}
	for _, tag := range s.cases {
		s.table.Cases = append(s.table.Cases, d.CaseName(tag))
	}
	for i := range s.table.States {
		row, single := make([]fuzz.StateCell, len(s.cases)), make([]map[uint64]bool, len(s.cases))
		for c, tag := range s.cases {
			row[c] = fuzz.StateCell{Word: fuzz.CellNotTried, Allowed: d.Allowed(i, tag)}
		}
		s.table.Cells, s.single, s.noise = append(s.table.Cells, row), append(s.single, single), append(s.noise, nil)
	}
	if only != "" && !s.has(only) {
		return nil, nil, fmt.Errorf("%.100q is no state and case of the dialogue: want such as %q", only, s.name(0, 0))
	}
	err := s.all()
	t.dead = true // whoever sends next begins anew
	for _, row := range s.table.Cells {
		for i := range row {
			if row[i].Word == fuzz.CellNotTried {
				s.table.Untried++
			}
		}
	}
	return s.table, s.found, err
}

// listen is how long an answer is waited for by now: on a machine that is busy a session takes long to start, and so does
// an answer. Before the first session nobody knows.
func (s *stateTrial) listen() time.Duration { return s.t.talk.listening(leastListening) }

// has reports whether there is a cell of a name.
func (s *stateTrial) has(name string) bool {
	for i := range s.table.States {
		for c := range s.cases {
			if s.name(i, c) == name {
				return true
			}
		}
	}
	return false
}

func (s *stateTrial) name(state, c int) string {
	return s.table.States[state] + ": " + s.table.Cases[c]
}

// all goes from the last state to the first: what a case earns is known before it is tried where it may not come.
func (s *stateTrial) all() error {
	joined := len(s.d.States()) - 1
	order := []int{joined}
	for i := range s.table.States {
		if i != joined {
			order = append(order, i)
		}
	}
	for _, state := range order {
		if err := s.row(state); err != nil {
			return err
		}
	}
	for _, state := range order[1:] {
		for c, tag := range s.cases {
			if s.d.Limits(state) && !s.d.Leads(state, tag) && (s.only == "" || s.only == s.name(state, c)) {
				if err := s.twice(state, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// row tries each case once in a state.
func (s *stateTrial) row(state int) error {
	noise, _, err := s.try(state, nil, -1)
	if err != nil {
		return err
	}
	s.noise[state] = noise
	for c, tag := range s.cases {
		if state != len(s.d.States())-1 && s.only != "" && s.only != s.name(state, c) && !s.d.Allowed(state, tag) {
			continue
		}
		answers, packet, err := s.try(state, []uint64{tag}, c)
		if errors.Is(err, errFatal) {
			continue
		}
		if err != nil {
			return err
		}
		cell := &s.table.Cells[state][c]
		s.single[state][c] = answers
		if cell.Word != fuzz.CellKicked {
			cell.Word = fuzz.CellSilent
		}
		for k := range answers {
			if cell.Answers = append(cell.Answers, s.d.CaseName(k)); cell.Word == fuzz.CellSilent {
				cell.Word = fuzz.CellAnswered
			}
		}
		slices.Sort(cell.Answers)
		if cell.Allowed {
			continue
		}
		for k := range answers {
			if s.earns(c, k) || s.d.Earned()[k] {
				s.accepted(state, c, packet, s.d.CaseName(k))
				break
			}
		}
	}
	return nil
}

// earns reports whether a case is answered with another where it may come.
func (s *stateTrial) earns(c int, answer uint64) bool {
	return s.single[len(s.d.States())-1][c][answer]
}

// add adds a finding, once for each cell.
func (s *stateTrial) add(f fuzz.Finding) {
	if !slices.ContainsFunc(s.found, func(o fuzz.Finding) bool { return o.State == f.State }) {
		f.Spoken = s.t.talk.session.Spoken()
		s.found = append(s.found, f)
	}
}

// accepted notes that a case was accepted in a state.
func (s *stateTrial) accepted(state, c int, packet []byte, got string) {
	s.add(fuzz.StateFinding(oracle.FoundWrongState, s.table.States[state], s.table.Cases[c], packet, "no answer that only a later state earns", got, ""))
}

// twice sends a case two times, and then what only a later state answers.
func (s *stateTrial) twice(state, c int) error {
	tags := []uint64{s.cases[c], s.cases[c]}
	var witnesses []int
	for w, tag := range s.cases {
		if w != c && !s.d.Allowed(state, tag) && !s.d.Leads(0, tag) && s.table.Cells[state][w].Word != fuzz.CellDied {
			witnesses = append(witnesses, w)
			tags = append(tags, tag)
		}
	}
	answers, packet, err := s.try(state, tags, c)
	if errors.Is(err, errFatal) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, w := range witnesses {
		for k := range answers {
			if s.earns(w, k) && !s.single[state][w][k] && !s.single[state][c][k] {
				if alone, _, err := s.try(state, append(tags[:2:2], s.cases[w]), c); err != nil && !errors.Is(err, errFatal) {
					return err
				} else if !alone[k] { // another witness opened it
					continue
				}
				s.accepted(state, c, packet, fmt.Sprintf("a session that it opened: then %s is answered %s", s.table.Cases[w], s.d.CaseName(k)))
				return nil
			}
		}
	}
	return nil
}

// errFatal is the error of a cell that the server did not live through, which is in the table by then.
var errFatal = errors.New("the server did not live through it")

// try comes to a state in a session of its own, sends packets of some cases, and gives what the server answered, without
// what it sends in that state by itself, and the first packet. c is the cell that it is about, -1 for none.
func (s *stateTrial) try(state int, tags []uint64, c int) (map[uint64]bool, []byte, error) {
	t := s.t
	if err := s.reach(state); err != nil {
		return nil, nil, err
	}
	session := t.talk.session
	if session.Resent() {
		if err := session.Settle(s.listen()); err != nil && !errors.Is(err, errEnded) {
			return nil, nil, err
		}
	}
	session.Came()
	answers, first := map[uint64]bool{}, []byte(nil)
	lost := false
	s.before, s.stands = nil, state == len(s.d.States())-1
	for i, tag := range tags {
		packet, err := session.Packet(tag)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			first = bytes.Clone(packet)
		}
		if err := session.Say(packet); err != nil {
			return nil, nil, err
		}
		if i == 0 && len(tags) > 1 {
			if err := session.Listen(s.listen() / 4); err != nil && !errors.Is(err, errEnded) {
				return nil, nil, err
			}
		}
	}
	s.before = func() error { return s.fatal(state, c, first) }
	err := session.Listen(s.listen())
	for _, k := range session.Came() {
		if !s.noise[state][k] {
			answers[k] = true
		}
	}
	if err == nil && c >= 0 && state == len(s.d.States())-1 && len(tags) == 1 {
		var yes bool
		yes, err = session.Look(t.ctx, t.o.Patience)
		lost = err == nil && !yes
	}
	if err != nil && !errors.Is(err, errEnded) && (c < 0 || !t.endsAnyway()) {
		return nil, nil, err
	}
	if c < 0 {
		s.before = nil
		return answers, first, nil
	}
	if errors.Is(err, errEnded) || t.ended() { // one that hangs shows when the next cell is come to
		return nil, nil, s.fatal(state, c, first)
	}
	if lost {
		s.table.Cells[state][c].Word = fuzz.CellKicked
	}
	return answers, first, nil
}

// fatal notes that the server did not live through a cell, and starts it anew where that is ours to do.
func (s *stateTrial) fatal(state, c int, packet []byte) error {
	s.table.Cells[state][c].Word = fuzz.CellDied
	report, kind := "the server does not answer any more", oracle.FoundCrash
	if s.t.o.Server != nil && s.t.ends(comesBack) {
		report, _ = s.t.o.Server.Ended()
	} else if s.t.o.Server != nil {
		kind, report = oracle.FoundHang, "the server runs, and lets nobody in any more"
	}
	s.add(fuzz.StateFinding(kind, s.table.States[state], s.table.Cases[c], packet, "a server that lives on", "the end of the server", report))
	if s.t.o.Server == nil {
		s.t.gone = true
		return ErrGone
	}
	s.t.told = true
	if err := s.t.restart(); err != nil {
		return err
	}
	s.t.talk.refused = 0
	return errFatal
}

// reach comes to a state as another client.
func (s *stateTrial) reach(state int) error {
	t, last := s.t, len(s.d.States())-1
	if s.stands { // so that a server with few places has room
		if _, err := t.talk.session.End(); err != nil && !errors.Is(err, errEnded) {
			return err
		}
		s.stands = false
	}
	var refused *dialogue.Refused
	for by := time.Now().Add(revival); ; {
		err := t.joinUpTo(true, min(state, last))
		switch {
		case err == nil && state > last:
			if _, err := t.talk.session.End(); err != nil {
				return err
			}
			return t.talk.session.Listen(s.listen())
		case err == nil:
			return nil
		case errors.As(err, &refused) && time.Now().Before(by):
		case (refused != nil || errors.Is(err, errEnded)) && s.before != nil:
			before := s.before
			s.before = nil
			if err := before(); !errors.Is(err, errFatal) {
				return err
			}
			by = time.Now().Add(revival)
		default:
			return err
		}
	}
}
