package browse

import (
	"math"

	"github.com/gdamore/tcell/v3"

	"github.com/pktscope/pktscope/report"
)

// key takes a key.
func (a *app) key(ev *tcell.EventKey) {
	if a.prompt != nil {
		a.typed(ev)
		return
	}
	a.say = ""
	if a.overlay != nil {
		a.overlayKey(ev)
		return
	}
	if do := actions[name(ev)]; do != nil {
		do(a)
	}
}

// name is a key as the table has it.
func name(ev *tcell.EventKey) string {
	if ev.Key() == tcell.KeyRune {
		if ev.Modifiers()&(tcell.ModCtrl|tcell.ModAlt) != 0 {
			return ""
		}
		return ev.Str()
	}
	return tcell.KeyNames[ev.Key()]
}

// actions are what keys do.
var actions map[string]func(*app)

func init() {
	actions = map[string]func(*app){
		"q": (*app).leave, "Ctrl-C": (*app).leave,
		"Esc": (*app).stop, "?": (*app).help, "F1": (*app).help,
		"Tab":     func(a *app) { a.pane = (a.pane + 1) % panes },
		"Backtab": func(a *app) { a.pane = (a.pane + panes - 1) % panes },
		"Enter":   func(a *app) { a.pane = min(a.pane+1, panes-1) },
		"Up":      func(a *app) { a.step(-1) }, "k": func(a *app) { a.step(-1) },
		"Down": func(a *app) { a.step(1) }, "j": func(a *app) { a.step(1) },
		"PgUp": func(a *app) { a.step(-a.paneLines()) }, "PgDn": func(a *app) { a.step(a.paneLines()) },
		"Home": func(a *app) { a.step(-far) }, "g": func(a *app) { a.step(-far) },
		"End": func(a *app) { a.step(far) }, "G": func(a *app) { a.step(far) },
		"Left": func(a *app) { a.sideways(-1) }, "h": func(a *app) { a.sideways(-1) },
		"Right": func(a *app) { a.sideways(1) }, "l": func(a *app) { a.sideways(1) },
		"/": (*app).askFilter, "Y": (*app).askFilter, ":": (*app).askNumber,
		"r": func(a *app) { a.seek(false) }, "R": func(a *app) { a.seek(true) },
		"p": (*app).followPeer, "d": (*app).diff,
		"m": func(a *app) {
			a.other = nil
			if a.mark == a.n {
				a.mark = 0
			} else {
				a.mark = a.n
			}
		},
		"t": func(a *app) {
			a.clock = (a.clock + 1) % len(report.TimeForms)
			a.tell("time: %s", a.timeHelp())
		},
		" ": (*app).pauses, "f": (*app).pauses,
		"Ctrl-L": func(a *app) { a.screen.Sync() },
		"Ctrl-Z": (*app).suspend,
	}
}

// far is more lines than there are.
const far = math.MaxInt / 2

func (a *app) leave() { a.quit = true }

// stop stops what goes on in the background, or brings all packets back.
func (a *app) stop() {
	switch {
	case a.quest != nil:
		a.stopQuest()
		a.tell("stopped")
	case a.search != nil && !a.search.done.Load():
		a.stopSearch()
	case a.search != nil:
		a.peered = false
		a.filterBy("")
	}
}

// pauses follows what comes, or leaves the list as it is.
func (a *app) pauses() {
	a.follow = !a.follow
	if !a.follow {
		a.tell("paused: packets are kept, and the list stands still; space goes on")
	}
}

// suspend stops the program until its shell continues it.
func (a *app) suspend() {
	if a.Suspend == nil {
		return
	}
	if err := a.screen.Suspend(); err != nil {
		return
	}
	a.Suspend()
	if err := a.screen.Resume(); err != nil {
		a.quit = true
		return
	}
	a.screen.Sync()
}

// step moves the cursor of the pane by so many lines.
func (a *app) step(by int) {
	switch a.pane {
	case inList:
		a.moveBy(int64(by))
	case inTree:
		list := a.open()
		for i, at := range list {
			if at >= a.at {
				a.choose(list[min(max(i+by, 0), len(list)-1)])
				a.bit = max(a.field().bit, 0)
				break
			}
		}
	case inBits:
		rows := a.rulerRows()
		for i, r := range rows {
			if a.bit < r.end {
				to := rows[min(max(i+by, 0), len(rows)-1)]
				a.moveBit(min(to.first+a.bit-r.first, to.end-1))
				break
			}
		}
	}
}

// sideways moves to the left or to the right: the list's text, what the tree has open, the ruler's cursor.
func (a *app) sideways(by int) {
	switch a.pane {
	case inList:
		a.aside = max(a.aside+8*by, 0)
	case inTree:
		if a.packet == nil || len(a.packet.fields) == 0 {
			return
		}
		f := a.field()
		switch {
		case by > 0:
			delete(a.folded, f.path)
		case f.group(a.at) && !a.folded[f.path]:
			a.folded[f.path] = true
		default:
			for i := a.at - 1; i >= 0; i-- { // to what holds it
				if g := &a.packet.fields[i]; g.group(i) && g.end > a.at {
					a.choose(i)
					a.bit = max(g.bit, 0)
					break
				}
			}
		}
	case inBits:
		rows := a.rulerRows()
		for i, r := range rows {
			if a.bit >= r.end && i < len(rows)-1 {
				continue
			}
			a.moveBit(a.bit + by*r.direction())
			break
		}
	}
}

// moveBit puts the ruler's cursor at a bit, and the tree's at its field.
func (a *app) moveBit(bit int) {
	if a.packet == nil {
		return
	}
	if i := a.packet.at(a.field().part, bit); i >= 0 {
		a.bit = bit
		a.choose(i)
	}
}

func (a *app) overlayKey(ev *tcell.EventKey) {
	o := a.overlay
	_, h := a.screen.Size()
	most := max(len(o.lines)-(h-4), 0)
	switch name(ev) {
	case "Esc", "q", "?", "Enter", "d", "F1":
		a.overlay = nil
		return
	case "Ctrl-C":
		a.leave()
	case "Ctrl-Z":
		a.suspend()
	case "Up", "k":
		o.first--
	case "Down", "j":
		o.first++
	case "PgUp":
		o.first -= h - 4
	case "PgDn", " ":
		o.first += h - 4
	case "Home", "g":
		o.first = 0
	case "End", "G":
		o.first = most
	}
	o.first = min(max(o.first, 0), most)
}
