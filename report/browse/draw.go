package browse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v3"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
)

// The least size of a screen.
const (
	leastWidth  = 60
	leastHeight = 16
)

// frame is how a screen is shared out, in lines.
type frame struct {
	width, height    int
	list, tree, bits int // lines of the panes; bits are two for a row
	treeAt, bitsAt   int // where they begin, below their heads
}

func frameOf(width, height int) frame {
	f := frame{width: width, height: height, bits: max(height/12, 1) * 2}
	rest := height - 4 - f.bits // the title, two heads, and the last line
	f.list = rest * 9 / 20
	f.tree = rest - f.list
	f.treeAt = 1 + f.list + 1
	f.bitsAt = f.treeAt + f.tree + 1
	return f
}

// style is how something looks; what a colour says, a word or an attribute says too.
func (a *app) hue(colour int) tcell.Style {
	if !a.Colour {
		return tcell.StyleDefault
	}
	return tcell.StyleDefault.Foreground(tcell.PaletteColor(colour))
}

const (
	red    = 1
	green  = 2
	yellow = 3
	cyan   = 6
)

// put draws a text from x up to end, and returns where it ends. What does not fit ends in "…".
func (a *app) put(x, y, end int, text string, style tcell.Style) int {
	for text != "" && x < end {
		rest, width := a.screen.Put(x, y, text, style)
		if len(rest) >= len(text) {
			break // no cell takes it
		}
		if x+width > end || x+width == end && rest != "" {
			a.screen.Put(x, y, "…", style)
			if x+1 < end {
				a.screen.Put(x+1, y, " ", style)
			}
			return end
		}
		text, x = rest, x+max(width, 1)
	}
	return x
}

// bar fills a line with a style.
func (a *app) bar(y, width int, style tcell.Style) { a.screen.FillArea(0, y, width, 1, ' ', style) }

// draw draws all.
func (a *app) draw() {
	s := a.screen
	width, height := s.Size()
	s.Clear()
	s.HideCursor()
	if width < leastWidth || height < leastHeight {
		a.put(0, 0, width, fmt.Sprintf("want %dx%d cells, got %dx%d; q quits", leastWidth, leastHeight, width, height), tcell.StyleDefault)
		s.Show()
		return
	}
	f := frameOf(width, height)
	visible := a.settle(f.list)
	fetch := visible
	if len(visible) > 0 { // times can be those since it
		if before := a.set().upTo(visible[0] - 1); before > 0 {
			fetch = append([]int64{before}, visible...)
		}
	}
	a.fetch(fetch)
	a.drawTitle(&f)
	a.drawList(&f, visible)
	a.drawTree(&f)
	a.drawBits(&f)
	if a.overlay != nil {
		a.drawOverlay(&f)
	}
	a.drawLast(&f)
	s.Show()
}

// paneLines is how many lines the pane at hand has.
func (a *app) paneLines() int {
	f := frameOf(a.screen.Size())
	return max([panes]int{f.list, f.tree, f.bits / 2}[a.pane]-1, 1)
}

func (a *app) drawTitle(f *frame) {
	style := tcell.StyleDefault.Reverse(true)
	a.bar(0, f.width, style)
	set := a.set()
	text := fmt.Sprintf("%d of %s", min(set.rank(a.n)+1, set.size()), syntax.AppendCount(nil, set.size(), "packet"))
	var states []string
	p := a.capture.index.progress()
	switch {
	case !p.done && a.Live && a.follow:
		states = append(states, "live")
	case !p.done && a.Live:
		states = append(states, "live, paused")
	case !p.done:
		states = append(states, "reading"+a.percent(p.end))
	}
	if p.err != nil {
		states = append(states, "ends early")
	}
	if a.mark > 0 {
		states = append(states, "marked "+number(a.mark))
	}
	right := strings.Join(append([]string{text}, states...), ", ")
	room := f.width - len(right) - 1
	a.put(room, 0, f.width, right, style)
	x := a.put(0, 0, room-1, " "+syntax.EscapeText(a.Name), style)
	if a.search != nil {
		a.put(x, 0, room-1, "  "+syntax.EscapeText(a.search.text), style.Bold(true))
	}
}

// percent is how much of the store comes before a byte.
func (a *app) percent(at int64) string {
	size, ended, _, _ := a.capture.store.state()
	if !ended || size == 0 {
		return ""
	}
	return fmt.Sprintf(" %d%%", at*100/size)
}

func (a *app) drawList(f *frame, visible []int64) {
	if len(visible) == 0 {
		a.put(1, 1, f.width, a.nothing(), tcell.StyleDefault)
		return
	}
	var before *row
	if top := a.set().upTo(visible[0] - 1); top > 0 {
		before = a.rows[top]
	}
	for i, n := range visible {
		y := 1 + i
		r := a.rows[n]
		style := tcell.StyleDefault
		if r != nil {
			style = a.rowStyle(r)
		}
		if n == a.n {
			style = a.cursor(style, inList)
			a.bar(y, f.width, style)
		}
		sign := " "
		if n == a.mark {
			sign = "*"
		}
		x := a.put(0, y, f.width, fmt.Sprintf("%s%6d ", sign, n), style)
		if r != nil {
			x = a.put(x, y, f.width, a.time(r, before, i == 0 && visible[0] == a.set().at(0))+" ", style)
			a.put(x, y, f.width, aside(r.text, a.aside), style)
		}
		before = r
	}
}

// nothing is why no packet is shown.
func (a *app) nothing() string {
	p := a.capture.index.progress()
	switch {
	case a.search != nil && !a.search.done.Load():
		return "searching …"
	case a.search != nil:
		return "no packet matches; Esc brings all back"
	case !p.done && p.strange == 0:
		return "waiting for packets …"
	case p.err != nil:
		return syntax.EscapeText(p.err.Error())
	case p.strange > 0 && a.capture.options.Decoders.Ports():
		return fmt.Sprintf("%s, none on a port of %s: name the protocol with -p", syntax.AppendCount(nil, p.strange, "datagram"), syntax.EscapeText(a.capture.options.Decoders.String()))
	}
	return "no UDP datagram"
}

// rowStyle is that of a packet: refused ones are red and bold.
func (a *app) rowStyle(r *row) tcell.Style {
	switch {
	case r.verdict == decode.Refused:
		return a.hue(red).Bold(true)
	case r.verdict != decode.Accepted || r.noted:
		return a.hue(yellow)
	}
	return tcell.StyleDefault
}

// cursor is a style at the cursor of a pane: reversed where keys go, underlined elsewhere.
func (a *app) cursor(style tcell.Style, p pane) tcell.Style {
	if a.pane == p {
		return style.Reverse(true)
	}
	return style.Bold(true).Underline(true)
}

// aside is a text without its first characters.
func aside(text string, n int) string {
	for ; n > 0 && text != ""; n-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}

// timeHelp says what times are. Those since the one before are of the list, which tells more where it is filtered.
func (a *app) timeHelp() string {
	if form := report.TimeForms[a.clock]; form.Word != "d" {
		return form.Help
	}
	return "since the packet above"
}

// time is a packet's time in the form at hand; before is the one above, nil where it is not here.
func (a *app) time(r, before *row, first bool) string {
	e := decode.Envelope{Time: r.time, Timed: r.timed, First: a.capture.index.progress().first, Before: r.time}
	if before != nil {
		e.Before = before.time
	} else if !first {
		e.Time, e.Timed = 0, false // unknown for a moment
	}
	return string(report.AppendLineTime(nil, report.TimeForms[a.clock].Word, &e))
}

// head draws the line above a pane.
func (a *app) head(y, width int, p pane, text string) {
	style := a.hue(cyan)
	if a.pane == p {
		style = style.Bold(true)
	}
	sign := "── "
	if a.pane == p {
		sign = "━━ "
	}
	x := a.put(0, y, width, sign, style)
	x = a.put(x, y, width-1, text+" ", style)
	for ; x < width; x++ {
		a.screen.Put(x, y, sign[:len("─")], style)
	}
}

func (a *app) drawTree(f *frame) {
	if a.packet == nil {
		a.head(f.treeAt-1, f.width, inTree, "fields")
		return
	}
	text := fmt.Sprintf("fields of packet %d", a.packet.n)
	if a.packet.n != a.n {
		text += " …"
	}
	if a.other != nil && a.other.n != a.packet.n {
		text += " (≠ other than in packet " + number(a.other.n) + ")"
	}
	a.head(f.treeAt-1, f.width, inTree, text)
	list := a.open()
	cursor := 0
	for i, at := range list {
		if at <= a.at {
			cursor = i
		}
	}
	a.first = min(max(a.first, cursor-f.tree+1), cursor)
	a.first = max(min(a.first, len(list)-f.tree), 0)
	for i := range min(f.tree, len(list)-a.first) {
		at := list[a.first+i]
		a.drawField(f.treeAt+i, f.width, at, i+a.first == cursor)
	}
}

func (a *app) drawField(y, width, at int, chosen bool) {
	fl := &a.packet.fields[at]
	style := tcell.StyleDefault
	switch {
	case fl.kind == "refused":
		style = a.hue(red).Bold(true)
	case fl.kind == "note" || fl.kind == "message" && fl.words:
		style = a.hue(yellow)
	case fl.hidden || fl.kind == "padding" || fl.kind == "not-read":
		style = style.Dim(true)
	}
	if chosen {
		style = a.cursor(style, inTree)
		a.bar(y, width, style)
	}
	if fl.words {
		a.put(1+2*fl.depth, y, width, fl.value, style)
		return
	}
	a.put(0, y, width, place(fl), style)
	const nameAt = 14
	if a.packet.differs(a.other, at) {
		a.put(nameAt-1, y, width, "≠", a.hue(yellow).Bold(true))
	}
	sign := "  "
	if fl.group(at) {
		if sign = "- "; a.folded[fl.path] {
			sign = "+ "
		}
	}
	x := a.put(nameAt+2*fl.depth, y, width, sign+fl.name, style)
	if fl.value != "" {
		a.put(max(x+2, 40), y, width, fl.value, style)
	}
}

// place is the first bit and the width of a field, as in decode -V.
func place(f *field) string {
	shown := func(n int) string {
		if n < 0 {
			return "?"
		}
		return number(int64(n))
	}
	switch {
	case f.kind == "let":
		return fmt.Sprintf("%12s", "=")
	case f.kind == "" && f.bit < 0, f.kind == "message":
		return ""
	}
	return fmt.Sprintf("%6s+%-5s", shown(f.bit), shown(f.width))
}

// drawOverlay draws lines over the panes.
func (a *app) drawOverlay(f *frame) {
	o := a.overlay
	a.screen.FillArea(0, 1, f.width, f.height-2, ' ', tcell.StyleDefault)
	more := ""
	if len(o.lines) > f.height-4 {
		more = fmt.Sprintf(", line %d of %d", o.first+1, len(o.lines))
	}
	a.head(1, f.width, a.pane, o.title+more)
	for i := range min(f.height-4, len(o.lines)-o.first) {
		line := o.lines[o.first+i]
		style := tcell.StyleDefault
		switch {
		case strings.HasPrefix(line, "-"):
			style = a.hue(red)
		case strings.HasPrefix(line, "+"):
			style = a.hue(green)
		}
		a.put(1, 2+i, f.width, line, style)
	}
}

// drawLast draws the last line: what is typed, what was said, what goes on, or which keys there are.
func (a *app) drawLast(f *frame) {
	y := f.height - 1
	if a.prompt != nil {
		a.drawPrompt(f, y)
		return
	}
	style := tcell.StyleDefault.Dim(true)
	text := "? keys  / filter  r R reject  p peer  m mark d diff  t time  Tab panes  q quit"
	switch q, s := a.quest, a.search; {
	case a.overlay != nil:
		text = "Esc closes  up down PgUp PgDn"
	case q != nil:
		style, text = tcell.StyleDefault, fmt.Sprintf("looking for a reject: packet %d …  Esc stops", q.seen.Load())
	case a.say != "":
		style, text = tcell.StyleDefault, a.say
		if a.bad {
			style = a.hue(red).Bold(true)
		}
	case a.goTo > 0:
		style, text = tcell.StyleDefault, fmt.Sprintf("going to packet %d …", a.goTo)
	case s != nil && s.stopped.Load():
		style, text = a.hue(yellow), fmt.Sprintf("the search was stopped at packet %d: later ones are not listed; Esc brings all back", s.seen.Load())
	case s != nil && !s.done.Load() && !a.Live:
		style, text = tcell.StyleDefault, fmt.Sprintf("filtering: packet %d …  Esc stops", s.seen.Load())
	default:
		if p := a.capture.index.progress(); p.err != nil {
			style, text = a.hue(yellow), syntax.EscapeText(p.err.Error())
		}
	}
	a.put(0, y, f.width, text, style)
}

// mostWords is how many words are offered at a time.
const mostWords = 6

func (a *app) drawPrompt(f *frame, y int) {
	p := a.prompt
	box := tcell.StyleDefault.Reverse(true)
	x := a.put(0, y, f.width, p.label, tcell.StyleDefault.Bold(true))
	room := f.width - x - 1
	from := max(p.at-room+1, 0) // the cursor stays on the screen
	a.put(x, y, f.width, string(p.text[from:]), tcell.StyleDefault)
	a.screen.ShowCursor(x+p.at-from, y)
	if p.wrong != "" {
		y--
		a.bar(y, f.width, tcell.StyleDefault)
		a.put(0, y, f.width, p.wrong, a.hue(red).Bold(true))
	}
	first := max(min(p.chosen-mostWords/2, len(p.found)-mostWords), 0)
	words := p.found[first:min(first+mostWords, len(p.found))]
	for i := len(words) - 1; i >= 0; i-- {
		y--
		style := box
		if first+i == p.chosen {
			style = box.Bold(true).Underline(true)
		}
		text := " " + words[i].Text + "  " + words[i].Type
		if words[i].Doc != "" {
			text += "  // " + strings.Join(strings.Fields(words[i].Doc), " ")
		}
		a.bar(y, f.width, style)
		a.put(0, y, f.width, syntax.EscapeText(text), style)
	}
	if more := len(p.found) - len(words); more > 0 {
		y--
		a.bar(y, f.width, box)
		a.put(0, y, f.width, fmt.Sprintf(" %d more; Tab goes through them", more), box)
	}
}
