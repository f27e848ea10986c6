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
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
)

// TextOptions say how AppendText shows a budget.
type TextOptions struct {
	Colour bool
	All    bool // every field, case and suggestion with all that is known of it, as wide as they are
	// Columns and Rows are the terminal's, in cells and lines; 0 is no limit, as for a file. At least 40 cells and 24
	// lines are used; below 70 columns are left out.
	Columns, Rows int
	Files         bool // several captures, so a broken budget says which
}

// What a terminal of leastRows shows of each list: with titles, sums and a prompt they fill it. Of further rows half go
// to the fields and a quarter to each of the others.
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
	bold  table.Paint
	alarm table.Paint
}

// AppendText appends the budget for a terminal: what broke a limit, the cases, the fields that take the most, what a
// tighter declaration saves, and what other encodings would take.
func (b *Budget) AppendText(to []byte, o TextOptions) []byte {
	s := &screen{b: to, o: o, wide: math.MaxInt32, more: math.MaxInt32, bold: table.NewPaint(o.Colour, color.Bold), alarm: table.NewPaint(o.Colour, color.FgRed, color.Bold)}
	if o.Columns > 0 && !o.All {
		s.wide = max(o.Columns, leastColumns)
	}
	if o.Rows > 0 && !o.All {
		s.more = max(o.Rows-leastRows, 0)
	}
	b.heading(s)
	if list, missing, of := b.pieces.Missing(); missing > 0 {
		s.line(s.alarm, fmt.Sprintf("incomplete: %d of %s missing: %s", missing, syntax.Count(of, "piece"), strings.Join(list, ", ")))
	}
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

func (s *screen) line(p table.Paint, text string) {
	s.b = append(p.Append(s.b, text), '\n')
}

func (s *screen) printf(format string, args ...any) {
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	s.b = append(append(s.b, line...), '\n')
}

// title is a table's head line.
func (s *screen) title(format string, args ...any) { s.line(s.bold, fmt.Sprintf(format, args...)) }

func (b *Budget) heading(s *screen) {
	t := b.Total()
	text := b.shape.plan.Schema.Name + ": " + table.Count(t.Packets, "packet") + ", " + table.Grouped(t.Bytes) + " bytes"
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
func (b *Broken) text(files bool) string {
	unit, what := "bits", syntax.EscapeText(b.Path)
	if b.Path == "" {
		unit, what = "bytes", "a packet"
	}
	if b.Case != "" && b.Path == "" {
		what = "a " + syntax.EscapeText(b.Case)
	}
	where := "packet " + strconv.FormatInt(b.N, 10)
	if files {
		where += " of " + syntax.EscapeText(b.File)
	}
	if b.Secret {
		return fmt.Sprintf("over budget: %s: %s has ‹secret› %s, at most %s are allowed; %s times", where, what, unit, table.Grouped(b.Limit), table.Grouped(b.Times))
	}
	text := fmt.Sprintf("over budget: %s: %s has %s %s, at most %s are allowed", where, what, table.Grouped(b.First), unit, table.Grouped(b.Limit))
	if b.Times > 1 {
		text += fmt.Sprintf("; %s times, worst %s", table.Grouped(b.Times), table.Grouped(b.Worst))
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
	n := table.Numbers{
		{Head: "packets", Wide: 11, Loses: 4},
		{Head: "bytes", Wide: 13, Loses: 2},
		{Head: "of payload", Wide: 11},
		{Head: "p50", Wide: 7, Loses: 1},
		{Head: "p99", Wide: 6, Loses: 3},
		{Head: "max B", Wide: 6},
	}.Fit(s.wide - 12)
	width := s.column(20, widest(shown, func(c *Case) string { return syntax.EscapeText(c.Name) }), n.Cells())
	s.title("%-*s%s", width, table.Fit(head, width), n.Heads())
	for _, c := range shown {
		s.printf("%-*s%s", width, table.Fit(syntax.EscapeText(c.Name), width),
			n.Row(table.Grouped(c.Packets), table.Grouped(c.Bytes), percent(c.Share), decimals(c.P50), decimals(c.P99), decimals(c.Max)))
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
	slices.SortStableFunc(fields, func(x, y Field) int { return cmp.Compare(y.Bits, x.Bits) })
	shown := fields[:min(shortFields+s.more/2, len(fields))]
	head := of("FIELD", len(shown), len(fields))
	long := widest(shown, escapedPath)
	if !s.o.All {
		seen := min(17, s.wide/4) // at least
		n := table.Numbers{
			{Head: "width", Wide: 5, Loses: 3},
			{Head: "of payload", Wide: 11},
			{Head: "p99/pk", Wide: 6, Loses: 2},
			{Head: "entropy", Wide: 7, Loses: 1},
		}.Fit(s.wide - 16 - seen)
		taken := n.Cells() + len("  ")
		path := s.column(33, long, taken+seen)
		s.title("%-*s%s  seen", path, table.Fit(head, path), n.Heads())
		for _, f := range shown {
			s.printf("%-*s%s  %s", path, table.FitPath(escapedPath(&f), path), n.Row(width(&f), percent(saved.Share(f.Bits, b.Read())), decimals(f.P99), entropy(&f)),
				table.Fit(seenShort(&f), s.wide-path-taken))
		}
		return
	}
	long = max(long, len("FIELD"))
	s.title("%-*s %-8s %5s %13s %10s %6s %6s %6s %7s %9s  %s", long, head, "class", "width", "bits", "of payload", "p50/pk", "p99/pk", "max/pk", "entropy", "distinct", "seen")
	for _, f := range shown {
		distinct := ""
		if f.Known {
			distinct = strconv.FormatFloat(f.Distinct.Value, 'f', 0, 64)
			if f.Distinct.Error > 0 {
				distinct = "~" + distinct
			}
		}
		s.printf("%-*s %-8s %5s %13s %10s %6d %6d %6d %7s %9s  %s", long, escapedPath(&f), f.Class, width(&f), table.Grouped(f.Bits), percent(saved.Share(f.Bits, b.Read())), f.P50, f.P99, f.Max, entropy(&f), distinct, seen(&f))
	}
}

// classLine says what all bits are for.
func (b *Budget) classLine(s *screen) {
	row := "bits are"
	for i, c := range b.Classes() {
		if i > 0 {
			row += ","
		}
		row += " " + string(c.Class) + " " + percent(saved.Share(c.Bits, b.Read()))
	}
	s.printf("%s", table.Fit(row, s.wide))
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

// tighter is how the table of suggestions is laid out.
type tighter struct {
	wide, was int // cells of the suggestion, and of the type that was; 0 where that is left out
	numbers   table.Numbers
}

func (t *tighter) names(text, was string) string {
	if t.was == 0 {
		return fmt.Sprintf("%-*s", t.wide, text)
	}
	return fmt.Sprintf("%-*s %-*s", t.wide, text, t.was, table.Fit(was, t.was))
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
	t := tighter{numbers: table.Numbers{{Head: "saves/pk", Wide: 9}, {Head: "per second", Wide: 11, Loses: 1}}.Fit(s.wide - 36)}
	if taken := t.numbers.Cells() + 2; s.wide-taken >= 44 {
		t.was = s.column(20, widest(shown, func(x *Suggestion) string { return x.Was }), taken+(s.wide-taken)/14*9)
		taken += t.was
		t.wide = s.column(36, widest(texts, func(x *string) string { return *x }), taken)
	} else {
		t.wide = s.wide - t.numbers.Cells()
	}
	s.title("%s%s", t.names(table.Fit(of("TIGHTER", len(shown), len(list)), t.wide), "was"), t.numbers.Heads())
	for i, x := range shown {
		why := ""
		if s.o.All {
			why = "  " + x.Why
		}
		saves := float64(x.Saved)
		s.printf("%s%s%s", t.names(table.FitPath(texts[i], t.wide), x.Was), t.numbers.Row(decimal(saves/packets)+" b", rate(b.perSecond(saves))), why)
	}
	if saves := Saved(list); saves > 0 { // of all but advice
		part := percent(saved.Share(saves, b.Read())) + " of payload"
		s.printf("%s%s", t.names("all together", part), t.numbers.Row(decimal(float64(saves)/packets)+" b", rate(b.perSecond(float64(saves)))))
	}
}

// Declaration is the suggestion as pks: the field's name with its new type, or an enum's head.
func (s *Suggestion) Declaration() string {
	if strings.HasPrefix(s.Field, "enum ") || strings.HasPrefix(s.Field, "flags ") {
		return s.Field + " : " + s.Text
	}
	return s.Field + " " + s.Text
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

func decimals(n uint64) string { return strconv.FormatUint(n, 10) }

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "%" }

// decimal has one digit after the point, none from a thousand on.
func decimal(f float64) string {
	if f >= 1000 && f < 1<<63 {
		return table.Grouped(uint64(f + 0.5))
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
