package browse

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v3"

	"github.com/pktscope/pktscope/decode/filter"
)

// prompt is a line that is being typed: a filter, or a packet's number.
type prompt struct {
	line
	label   string
	filter  bool
	before  string // the filter that Esc brings back, and the packet at the cursor
	n       int64
	found   []filter.Word // what completes it
	chosen  int           // of found, that Tab has put there; -1 for none
	begin   int           // where the word is
	wrong   string        // why it is no filter
	changed time.Time
	applied string
}

// pause is how long after the last key a filter is applied that is being typed.
const pause = 150 * time.Millisecond

func (a *app) askFilter() {
	a.prompt = &prompt{label: "filter: ", filter: true, before: a.text(), n: a.n, chosen: -1, applied: a.text()}
	a.prompt.set(a.text())
}

func (a *app) askNumber() { a.prompt = &prompt{label: "go to packet: ", chosen: -1} }

// typed takes a key of the prompt.
func (a *app) typed(ev *tcell.EventKey) {
	p := a.prompt
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		a.prompt = nil
		if p.filter && a.text() != p.before {
			a.filterBy(p.before)
			a.goTo = p.n
		}
		return
	case tcell.KeyEnter:
		a.entered(p)
		return
	case tcell.KeyTab, tcell.KeyBacktab:
		p.cycle(ev.Key() == tcell.KeyBacktab)
		p.judge(a)
		return
	case tcell.KeyLeft:
		p.move(-1)
	case tcell.KeyRight:
		p.move(1)
	case tcell.KeyHome, tcell.KeyCtrlA:
		p.at = 0
	case tcell.KeyEnd, tcell.KeyCtrlE:
		p.at = len(p.text)
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if p.at > 0 {
			p.cut(p.at-1, p.at)
		}
	case tcell.KeyDelete:
		if p.at < len(p.text) {
			p.cut(p.at, p.at+1)
		}
	case tcell.KeyCtrlU:
		p.cut(0, p.at)
	case tcell.KeyCtrlW:
		p.cut(p.previous(), p.at)
	case tcell.KeyRune:
		if ev.Modifiers()&(tcell.ModCtrl|tcell.ModAlt) == 0 {
			p.insert(ev.Str())
		}
	}
	p.chosen = -1
	p.judge(a)
}

// judge says what is wrong with a filter, and finds what completes its word.
func (p *prompt) judge(a *app) {
	if !p.filter {
		return
	}
	p.changed = time.Now()
	p.wrong = ""
	if text := string(p.text); strings.TrimSpace(text) != "" {
		if _, err := filter.CompileAny(a.plans, text); err != nil {
			p.wrong = misfit(err)
		}
	}
	if p.chosen < 0 {
		p.complete(a.words)
	}
}

// cycle puts the next word there that completes what was typed.
func (p *prompt) cycle(backward bool) {
	if len(p.found) == 0 {
		return
	}
	step := 1
	if backward {
		step = len(p.found) - 1
		if p.chosen < 0 {
			p.chosen = 0
		}
	}
	p.chosen = (p.chosen + step) % len(p.found)
	p.cut(p.begin, p.at)
	p.insert(p.found[p.chosen].Text)
}

// complete finds what completes the text before the cursor. Where nothing of a path is typed yet, none is offered.
func (p *prompt) complete(words *filter.Completer) {
	typed := string(p.text[:p.at])
	at, found := words.Complete(typed)
	if at == len(typed) && len(found) > 0 && !found[0].Value {
		found = nil
	}
	p.begin, p.found = utf8.RuneCountInString(typed[:at]), found
}

// due applies a filter that is being typed, once it is one and nothing was typed for a while.
func (a *app) due() {
	p := a.prompt
	if p == nil || !p.filter || p.wrong != "" || time.Since(p.changed) < pause {
		return
	}
	if text := string(p.text); text != p.applied {
		p.applied = text
		a.filterBy(text)
	}
}

func (a *app) entered(p *prompt) {
	text := strings.TrimSpace(string(p.text))
	if !p.filter {
		a.prompt = nil
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			a.complain("want the number of a packet, got %q", text)
			return
		}
		a.follow = false
		a.goTo = n
		return
	}
	if p.wrong != "" {
		return // it is on the screen
	}
	a.prompt, a.peered = nil, false
	if text != a.text() {
		a.filterBy(text)
	}
}
