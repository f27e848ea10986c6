package browse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gdamore/tcell/v3"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

// app is what is on the screen. One goroutine has it; others send it functions.
type app struct {
	*Options
	screen  tcell.Screen
	capture *capture
	plans   []*plan.Plan
	words   *filter.Completer // of a filter that is typed
	ctx     context.Context
	todo    chan func()
	crash   chan any
	resized <-chan bool // the terminal has a new size
	quit    bool

	// The list.
	n      int64 // the packet at the cursor; 0 before there is one
	top    int64 // the first one shown
	aside  int   // cells that the list is moved to the left
	follow bool
	clock  int // of report.TimeForms
	rows   map[int64]*row
	search *search // nil: all packets
	quest  *quest  // nil: none
	goTo   int64   // where the cursor goes once it was indexed
	unpeer string  // the filter before a peer was followed; valid iff peered
	peered bool

	// The packet.
	pane    pane
	packet  *packet
	asked   int64  // the packet that the loader was asked for
	want    string // path of the field at the tree's cursor
	at      int    // that field
	first   int    // the first line of the tree
	folded  map[string]bool
	bit     int // at the cursor of the ruler
	mark    int64
	other   *packet // the marked one that packets are compared with in the tree; nil without
	loading bool
	load    chan request

	// What is over it.
	prompt  *prompt
	overlay *overlay
	say     string // until the next key
	bad     bool   // it is an error
}

type pane int

const (
	inList pane = iota
	inTree
	inBits
	panes
)

// overlay is lines over all panes.
type overlay struct {
	title string
	lines []string
	first int
}

// number is a number in decimal.
func number(n int64) string { return strconv.FormatInt(n, 10) }

// set is the packets that are listed.
func (a *app) set() *set {
	if a.search != nil {
		return &a.search.found
	}
	return &a.capture.index.all
}

// safely runs f on a goroutine. A panic in it becomes one of the app's, which restores the terminal first.
func (a *app) safely(f func()) {
	go func() {
		defer func() {
			if r := recover(); r != nil {
				a.crash <- r
			}
		}()
		f()
	}()
}

// later has the app's goroutine do something.
func (a *app) later(f func()) {
	select {
	case a.todo <- f:
	case <-a.ctx.Done():
	}
}

// tell says something until the next key.
func (a *app) tell(format string, args ...any) { a.say, a.bad = fmt.Sprintf(format, args...), false }

func (a *app) complain(format string, args ...any) { a.say, a.bad = fmt.Sprintf(format, args...), true }

// request is what the loader is asked for: rows of the list, and a packet, 0 for none.
type request struct {
	rows   []int64
	packet int64
}

// loader loads what was asked for last.
func (a *app) loader() {
	for {
		select {
		case r := <-a.load:
			a.serve(r)
		case <-a.ctx.Done():
			return
		}
	}
}

func (a *app) serve(r request) {
	var packet *packet
	rows := make([]*row, 0, len(r.rows))
	var err error
	if r.packet > 0 {
		_, err = a.capture.packet(a.ctx, r.packet, func(p *scan.Packet) { packet = newPacket(p) })
	}
	if rest := a.capture.rows(a.ctx, r.rows, func(one *row) { rows = append(rows, one) }); err == nil {
		err = rest
	}
	a.later(func() {
		a.loading = false
		if len(a.rows) > mostRows {
			clear(a.rows)
		}
		for _, one := range rows {
			a.rows[one.n] = one
		}
		for _, n := range r.rows {
			if a.rows[n] == nil {
				a.rows[n] = &row{n: n, text: "cannot be read again"}
			}
		}
		if err != nil && a.ctx.Err() == nil {
			a.complain("%s: %s", a.Name, err)
		}
		if packet != nil && packet.n == a.n {
			a.show(packet)
		}
	})
}

// mostRows is how many rows are kept that are not on the screen.
const mostRows = 4096

// fetch asks for what is to be shown and is not here.
func (a *app) fetch(visible []int64) {
	if a.loading {
		return
	}
	var r request
	for _, n := range visible {
		if a.rows[n] == nil {
			r.rows = append(r.rows, n)
		}
	}
	slices.Sort(r.rows)
	if a.n > 0 && a.asked != a.n {
		r.packet, a.asked = a.n, a.n
	}
	if len(r.rows) > 0 || r.packet > 0 {
		a.loading = true
		a.load <- r
	}
}

// show puts a packet into the tree; the cursor stays at the path where it was.
func (a *app) show(p *packet) {
	a.packet = p
	a.at = 0
	for i := range p.fields {
		if p.fields[i].path == a.want && a.want != "" {
			a.at = i
			break
		}
	}
	if refused := len(p.fields) - 1; a.want == "" && refused >= 0 && p.fields[refused].kind == "refused" {
		a.at = refused
	}
	a.bit = max(a.field().bit, 0)
	if a.pane == inBits && len(p.fields) == 0 {
		a.pane = inTree
	}
}

// field is the one at the tree's cursor.
func (a *app) field() *field {
	if a.packet == nil || a.at >= len(a.packet.fields) {
		return &field{bit: -1, width: -1}
	}
	return &a.packet.fields[a.at]
}

// choose puts the tree's cursor at a field.
func (a *app) choose(i int) {
	a.at = i
	f := a.field()
	a.want = f.path
	for up := range a.packet.fields[:i] { // what holds it is open
		if g := &a.packet.fields[up]; g.group(up) && g.end > i {
			delete(a.folded, g.path)
		}
	}
}

// open lists the fields that no closed group hides.
func (a *app) open() (list []int) {
	if a.packet == nil {
		return nil
	}
	for i := 0; i < len(a.packet.fields); {
		list = append(list, i)
		if f := &a.packet.fields[i]; f.group(i) && a.folded[f.path] {
			i = f.end
		} else {
			i++
		}
	}
	return list
}

// moveTo puts the list's cursor at a packet.
func (a *app) moveTo(n int64) {
	if n > 0 && n != a.n {
		a.n = n
	}
}

// moveBy moves the list's cursor by so many packets.
func (a *app) moveBy(by int64) {
	s := a.set()
	if s.size() == 0 {
		return
	}
	a.follow = false
	a.moveTo(s.at(min(max(s.rank(a.n)+by, 0), s.size()-1)))
}

// covered reports whether it is known if packet n is in the list.
func (a *app) covered(n int64) bool {
	if a.search != nil {
		return a.search.done.Load() || a.search.found.upTo(math.MaxInt64-1) >= n
	}
	p := a.capture.index.progress()
	return p.done || p.records >= n
}

// settle keeps the cursor on a packet of the list, and the list around it: called before each drawing. It gives the
// packets that are shown in so many lines.
func (a *app) settle(lines int) (visible []int64) {
	s := a.set()
	size := s.size()
	if a.goTo > 0 {
		if a.covered(a.goTo) {
			n := s.from(a.goTo)
			a.moveTo(cmp.Or(n, s.upTo(a.goTo)))
			a.goTo = 0
			if at := s.rank(a.n); at < s.rank(a.top) || at >= s.rank(a.top)+int64(lines) {
				a.top = s.at(max(at-int64(lines)/2, 0)) // with what is around it
			}
		}
	}
	if size == 0 || lines <= 0 {
		if a.search != nil && size == 0 {
			a.top = 0
		}
		return nil
	}
	switch {
	case a.follow:
		a.moveTo(s.at(size - 1))
	case a.n == 0:
		a.moveTo(s.at(0))
	case !s.has(a.n) && a.covered(a.n):
		a.moveTo(cmp.Or(s.from(a.n), s.upTo(a.n)))
	}
	at := min(s.rank(a.n), size-1)
	top := s.rank(a.top)
	top = min(max(top, at-int64(lines)+1), at)
	top = max(min(top, size-int64(lines)), 0)
	for i := top; i < size && i < top+int64(lines); i++ {
		visible = append(visible, s.at(i))
	}
	a.top = visible[0]
	return visible
}

// filterBy lists the packets for which a text is true, all of them for "". It reports whether the text is a filter.
func (a *app) filterBy(text string) bool {
	var programs []*filter.Program
	if strings.TrimSpace(text) != "" {
		var err error
		if programs, err = filter.CompileAny(a.plans, text); err != nil {
			a.complain("%s", misfit(err))
			return false
		}
	}
	a.stopSearch()
	a.search = nil
	if programs != nil {
		s := &search{text: text, programs: programs}
		ctx, cancel := context.WithCancel(a.ctx)
		s.cancel, a.search = cancel, s
		a.safely(func() {
			s.run(a.capture, ctx)
			a.later(func() {})
		})
	}
	a.say = ""
	return true
}

func (a *app) stopSearch() {
	if a.search != nil {
		a.search.cancel()
	}
}

// text is the filter of the list.
func (a *app) text() string {
	if a.search == nil {
		return ""
	}
	return a.search.text
}

// misfit is why a text is no filter, in a line that may be shown.
func misfit(err error) string {
	if m, ok := err.(filter.Misfit); ok {
		which, _ := m.Nearest()
		d := &m[which].Diagnostic
		if d.Fix == "" {
			return syntax.EscapeText(d.Message)
		}
		return syntax.EscapeText(d.Message + "; " + d.Fix)
	}
	return syntax.EscapeText(err.Error())
}

// seek begins a quest for the next packet that was refused, or the one before.
func (a *app) seek(backward bool) {
	if a.n == 0 {
		return
	}
	a.stopQuest()
	q := &quest{from: a.n, backward: backward}
	if a.search != nil {
		q.programs = a.search.programs
	}
	ctx, cancel := context.WithCancel(a.ctx)
	q.cancel, a.quest = cancel, q
	a.follow = false
	a.safely(func() {
		n, err := q.run(a.capture, ctx)
		a.later(func() {
			if a.quest != q {
				return
			}
			a.quest = nil
			switch {
			case err != nil && n == 0:
				a.complain("%s", err)
			case n == 0 && backward:
				a.tell("no packet before this one was refused")
			case n == 0:
				a.tell("no packet after this one was refused")
			default:
				a.goTo, a.want = n, ""
			}
		})
	})
}

func (a *app) stopQuest() {
	if a.quest != nil {
		a.quest.cancel()
		a.quest = nil
	}
}

// followPeer lists the packets of the peer at the cursor, or again what was listed before.
func (a *app) followPeer() {
	if a.peered {
		a.peered = false
		a.filterBy(a.unpeer)
		return
	}
	r := a.rows[a.n]
	if r == nil || !r.peer().IsValid() {
		a.complain("the packet has no address")
		return
	}
	before := a.text()
	if a.filterBy(filter.Follow(r.peer(), before)) {
		a.peered, a.unpeer = true, before
	}
}

// diff shows how the packet at the cursor differs from the marked one.
func (a *app) diff() {
	if a.mark == 0 || a.mark == a.n {
		a.complain("mark another packet first, with m")
		return
	}
	marked, n := a.mark, a.n
	a.tell("comparing …")
	a.safely(func() {
		text, other, err := a.capture.compare(a.ctx, marked, n)
		a.later(func() {
			if a.say = ""; err != nil {
				a.complain("%s", err)
				return
			}
			if a.mark == marked {
				a.other = other
			}
			a.overlay = &overlay{title: fmt.Sprintf("packet %d against %d", n, marked), lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
		})
	})
}

// busy reports whether something goes on in the background that the screen tells of.
func (a *app) busy() bool {
	p := a.capture.index.progress()
	return !p.done || a.quest != nil || a.search != nil && !a.search.done.Load() || a.goTo > 0
}

// tick is how often the screen is drawn while something goes on.
const tick = 100 * time.Millisecond
