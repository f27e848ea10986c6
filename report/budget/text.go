package budget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/words"
)

// TextOptions say how AppendText shows a budget.
type TextOptions struct {
	Colour bool
	All    bool // every field, case and suggestion with all that is known of it, as wide as they are
	// Columns and Rows are the terminal's, in cells and lines; 0 is no limit, as for a file. At least 40 cells and 24 lines
	// are used; below 70 columns are left out.
	Columns, Rows int
	Files         bool // several captures, so a broken budget says which
}

// What a terminal of leastRows shows of each list: with titles, sums and a prompt they fill it. Of further rows half go to
// the fields and a quarter to each of the others.
const (
	leastColumns     = 40
	leastRows        = 24
	shortCases       = 3
	shortFields      = 4
	shortSuggestions = 4
)

type screen struct {
	b     []byte
	o     TextOptions
	wide  int // cells of a line
	more  int // rows of lists beyond those of a small terminal
	bold  [2]string
	alarm [2]string
}

// AppendText appends the budget for a terminal: what broke a limit, the cases, the fields that take the most, what a tighter
// declaration saves, and what other encodings would take.
func (b *Budget) AppendText(to []byte, o TextOptions) []byte {
	s := &screen{b: to, o: o, wide: math.MaxInt32, more: math.MaxInt32, bold: paint(o.Colour, color.Bold), alarm: paint(o.Colour, color.FgRed, color.Bold)}
	if o.Columns > 0 && !o.All {
		s.wide = max(o.Columns, leastColumns)
	}
	if o.Rows > 0 && !o.All {
		s.more = max(o.Rows-leastRows, 0)
	}
	b.heading(s)
	for _, line := range b.gaps {
		s.line(s.alarm, "incomplete: "+syntax.EscapeText(line))
	}
	if b.all.packets == 0 {
		return s.b
	}
	for _, broken := range b.Broken() {
		s.line(s.alarm, broken.text(o.Files))
	}
	b.caseTable(s)
	b.classLine(s)
	b.fieldTable(s)
	list := b.Suggestions()
	b.suggestionTable(s, list)
	b.costTable(s, list)
	return s.b
}

func paint(colour bool, attrs ...color.Attribute) [2]string {
	if !colour {
		return [2]string{}
	}
	c := color.New(attrs...)
	c.EnableColor()
	on, off, _ := strings.Cut(c.Sprint("\x00"), "\x00")
	return [2]string{on, off}
}

func (s *screen) line(p [2]string, text string) {
	s.b = append(append(append(append(s.b, p[0]...), text...), p[1]...), '\n')
}

func (s *screen) printf(format string, args ...any) {
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	s.b = append(append(s.b, line...), '\n')
}

// title is a table's head line.
func (s *screen) title(format string, args ...any) { s.line(s.bold, fmt.Sprintf(format, args...)) }

func (b *Budget) heading(s *screen) {
	t := b.Total()
	text := b.shape.plan.Schema.Name + ": " + words.Count(t.Packets, "packet") + ", " + words.Grouped(t.Bytes) + " bytes"
	if t.Packets > 0 {
		text += fmt.Sprintf(", %s bytes a packet", decimal(float64(t.Bytes)/float64(t.Packets)))
	}
	if d := b.Duration().Seconds(); d > 0 {
		text += fmt.Sprintf(", %s in %s", rate(8*float64(t.Bytes)/d), seconds(d))
	}
	for len(text) > s.wide { // it goes on below
		end := strings.LastIndex(text[:s.wide], ", ")
		if end < 0 {
			break
		}
		s.line(s.bold, text[:end+1])
		text = "    " + text[end+2:]
	}
	s.line(s.bold, text)
}

// text is a broken limit in one line.
func (o *Broken) text(files bool) string {
	unit, what := "bits", syntax.EscapeText(o.Path)
	if o.Path == "" {
		unit, what = "bytes", "a packet"
	}
	if o.Case != "" && o.Path == "" {
		what = "a " + syntax.EscapeText(o.Case)
	}
	where := "packet " + strconv.FormatInt(o.N, 10)
	if files {
		where += " of " + syntax.EscapeText(o.File)
	}
	if o.Secret {
		return fmt.Sprintf("over budget: %s: %s has ‹secret› %s, at most %s are allowed; %s times", where, what, unit, words.Grouped(o.Limit), words.Grouped(o.Times))
	}
	text := fmt.Sprintf("over budget: %s: %s has %s %s, at most %s are allowed", where, what, words.Grouped(o.First), unit, words.Grouped(o.Limit))
	if o.Times > 1 {
		text += fmt.Sprintf("; %s times, worst %s", words.Grouped(o.Times), words.Grouped(o.Worst))
	}
	return text
}

// column is how wide a column is that begins with a title of so many cells and has so wide rows, where all else in the
// line takes taken cells.
func (s *screen) column(title, rows, taken int) int { return min(max(title, rows), s.wide-taken) }

// widest is the most cells that a text of a list takes.
func widest[T any](list []T, text func(*T) string) int {
	most := 0
	for i := range list {
		most = max(most, utf8.RuneCountInString(text(&list[i])))
	}
	return most
}

func escapedPath(f *Field) string { return syntax.EscapeText(reject.NameOf(f.Path)) }

func (b *Budget) caseTable(s *screen) {
	cases := b.Cases()
	slices.SortStableFunc(cases, func(x, y Case) int { return cmp.Compare(y.Bytes, x.Bytes) })
	if len(cases) == 0 {
		cases = []Case{b.Total()}
		cases[0].Name = "packet"
	}
	shown := cases[:min(shortCases+s.more/4, len(cases))]
	head := of("CASE", len(shown), len(cases))
	n := numeric{{"packets", 11, 4}, {"bytes", 13, 2}, {"share", 6, 0}, {"p50", 7, 1}, {"p99", 6, 3}, {"max B", 6, 0}}.fit(s.wide - 12)
	width := s.column(20, widest(shown, func(c *Case) string { return syntax.EscapeText(c.Name) }), n.cells())
	s.title("%-*s%s", width, words.Fit(head, width), n.heads())
	for _, c := range shown {
		s.printf("%-*s%s", width, words.Fit(syntax.EscapeText(c.Name), width),
			n.row(words.Grouped(c.Packets), words.Grouped(c.Bytes), share(c.Bytes, b.all.bytes), decimals(c.P50), decimals(c.P99), decimals(c.Max)))
	}
}

func of(what string, shown, all int) string {
	if shown == all {
		return what
	}
	return fmt.Sprintf("%s (%d of %d)", what, shown, all)
}

func (b *Budget) fieldTable(s *screen) {
	fields := b.Fields()
	total := 8 * b.all.bytes
	slices.SortStableFunc(fields, func(x, y Field) int { return cmp.Compare(y.Bits, x.Bits) })
	shown := fields[:min(shortFields+s.more/2, len(fields))]
	head := of("FIELD", len(shown), len(fields))
	long := widest(shown, escapedPath)
	if !s.o.All {
		seen := min(17, s.wide/4) // at least
		n := numeric{{"width", 5, 3}, {"share", 6, 0}, {"p99/pk", 6, 2}, {"entropy", 7, 1}}.fit(s.wide - 16 - seen)
		taken := n.cells() + len("  ")
		path := s.column(33, long, taken+seen)
		s.title("%-*s%s  seen", path, words.Fit(head, path), n.heads())
		for _, f := range shown {
			s.printf("%-*s%s  %s", path, words.FitPath(escapedPath(&f), path), n.row(width(&f), share(f.Bits, total), decimals(f.P99), entropy(&f)),
				words.Fit(seenShort(&f), s.wide-path-taken))
		}
		return
	}
	long = max(long, len("FIELD"))
	s.title("%-*s %-8s %5s %13s %6s %6s %6s %6s %7s %9s  %s", long, head, "class", "width", "bits", "share", "p50/pk", "p99/pk", "max/pk", "entropy", "distinct", "seen")
	for _, f := range shown {
		distinct := ""
		if f.Known {
			distinct = strconv.FormatFloat(f.Distinct.Value, 'f', 0, 64)
			if f.Distinct.Error > 0 {
				distinct = "~" + distinct
			}
		}
		s.printf("%-*s %-8s %5s %13s %6s %6d %6d %6d %7s %9s  %s", long, escapedPath(&f), f.Class, width(&f), words.Grouped(f.Bits), share(f.Bits, total), f.P50, f.P99, f.Max, entropy(&f), distinct, seen(&f))
	}
}

// classLine says what all bits are for.
func (b *Budget) classLine(s *screen) {
	row := "bits are"
	for i, c := range b.Classes() {
		if i > 0 {
			row += ","
		}
		row += " " + string(c.Class) + " " + share(c.Bits, 8*b.all.bytes)
	}
	s.printf("%s", words.Fit(row, s.wide))
}

func width(f *Field) string {
	if f.Width == 0 {
		return "-"
	}
	return strconv.Itoa(f.Width)
}

func entropy(f *Field) string {
	if !f.Known {
		return "-"
	}
	return strconv.FormatFloat(f.Entropy, 'f', 1, 64)
}

// seen is the range of values, or what the bits are where they have none to show.
func seen(f *Field) string {
	switch {
	case f.Secret:
		return "‹secret›"
	case !f.Known:
		return string(f.Class)
	case f.Least == f.Most:
		return f.Least
	}
	return f.Least + ".." + f.Most
}

// seenShort is seen with four digits of a float.
func seenShort(f *Field) string {
	short := func(text string) string {
		if v, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".e") {
			return strconv.FormatFloat(v, 'g', 4, 64)
		}
		return text
	}
	g := *f
	g.Least, g.Most = short(f.Least), short(f.Most)
	return seen(&g)
}

func (b *Budget) suggestionTable(s *screen, list []Suggestion) {
	if len(list) == 0 {
		return
	}
	packets := float64(b.all.packets)
	shown := list[:min(shortSuggestions+s.more/4, len(list))]
	texts := make([]string, len(shown))
	for i, x := range shown {
		shown[i].Was = syntax.EscapeText(x.Was)
		texts[i] = syntax.EscapeText(x.Declaration())
		if x.Advice {
			texts[i] += " ?"
		}
	}
	// Of a terminal's 80 cells the numbers have 22; the type that was has 20 of the rest, or as large a part.
	t := tighter{numbers: numeric{{"saves/pk", 9, 0}, {"per second", 11, 1}}.fit(s.wide - 36)}
	if taken := t.numbers.cells() + 2; s.wide-taken >= 44 {
		t.was = s.column(20, widest(shown, func(x *Suggestion) string { return x.Was }), taken+(s.wide-taken)/14*9)
		taken += t.was
		t.wide = s.column(36, widest(texts, func(x *string) string { return *x }), taken)
	} else {
		t.wide = s.wide - t.numbers.cells()
	}
	s.title("%s%s", t.names(words.Fit(of("TIGHTER", len(shown), len(list)), t.wide), "was"), t.numbers.heads())
	for i, x := range shown {
		why := ""
		if s.o.All {
			why = "  " + x.Why
		}
		saved := float64(x.Saved)
		s.printf("%s%s%s", t.names(words.FitPath(texts[i], t.wide), x.Was), t.numbers.row(decimal(saved/packets)+" b", rate(b.perSecond(saved))), why)
	}
	if saved := float64(Saved(list)); saved > 0 { // of all but advice
		part := strconv.FormatFloat(100*saved/float64(8*b.all.bytes), 'f', 1, 64) + "% of all bits"
		s.printf("%s%s", t.names("all together", part), t.numbers.row(decimal(saved/packets)+" b", rate(b.perSecond(saved))))
	}
}

// Declaration is the suggestion as pks: the field's name with its new type, or an enum's head.
func (x *Suggestion) Declaration() string {
	if strings.HasPrefix(x.Field, "enum ") || strings.HasPrefix(x.Field, "flags ") {
		return x.Field + " : " + x.Text
	}
	return x.Field + " " + x.Text
}

// Saved is the bits that all suggestions but advice save together, before alignment and the last byte.
func Saved(list []Suggestion) uint64 {
	n := uint64(0)
	for _, s := range list {
		if !s.Advice {
			n += s.Saved
		}
	}
	return n
}

func (b *Budget) costTable(s *screen, list []Suggestion) {
	costs := b.Costs()
	saved := Saved(list)
	if saved > 0 {
		costs = append(costs, Cost{"tightened", float64(b.all.bytes) - float64(saved)/8})
	}
	s.title("THE SAME PACKETS AS (bytes a packet)")
	row, perRow := "", max(min((s.wide+3)/27, 3), 1)
	for i, c := range costs {
		cell := fmt.Sprintf("%-15s %8s", c.Encoding, decimal(c.Bytes/float64(b.all.packets)))
		if row += cell; i%perRow == perRow-1 || i == len(costs)-1 {
			s.printf("%s", row)
			row = ""
			continue
		}
		row += "   "
	}
}

func share(n, of uint64) string {
	if of == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64) + "%"
}

// decimal has one digit behind the point, none from a thousand on.
func decimal(f float64) string {
	if f >= 1000 && f < 1<<63 {
		return words.Grouped(uint64(f + 0.5))
	}
	return strconv.FormatFloat(f, 'f', 1, 64)
}

func seconds(d float64) string {
	if d < 1 {
		return decimal(1000*d) + " ms"
	}
	return decimal(d) + " s"
}

// rate is bits per second.
func rate(bits float64) string {
	if bits == 0 {
		return "-"
	}
	for _, unit := range []string{"bit/s", "kbit/s", "Mbit/s"} {
		if bits < 1000 {
			return strconv.FormatFloat(bits, 'f', 1, 64) + " " + unit
		}
		bits /= 1000
	}
	return strconv.FormatFloat(bits, 'f', 1, 64) + " Gbit/s"
}
