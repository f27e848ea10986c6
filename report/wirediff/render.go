package wirediff

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/cuts"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Form is how a Report is written, and the score of two schemas over a capture.
type Form struct {
	Word   string
	Append func(b []byte, r *Report, old, new string) []byte
	Score  func(b []byte, s *cuts.Score, n Names) []byte
}

// Forms are all of them. old and new are the schemas' names.
var Forms = []Form{{"text", AppendText, scoreText}, {"json", AppendJSON, scoreJSON}, {"markdown", AppendMarkdown, scoreMarkdown}}

// FailOn is what a change may not do.
type FailOn struct {
	Word  string
	Fails func(old, new Verdict) bool // of the worst verdicts
}

// FailOns are all of them. What is undecided fails as well: nothing says that it is read.
var FailOns = []FailOn{
	{"none", func(old, new Verdict) bool { return false }},
	{"wire (a side does not read all)", func(old, new Verdict) bool { return old != Same || new != Same }},
	{"old-readers (of new packets)", func(old, new Verdict) bool { return new != Same }},
	{"new-readers (of old packets)", func(old, new Verdict) bool { return old != Same }},
}

// summary is the report in one line.
func (r *Report) summary(old, new string) string {
	if len(r.Cases) == 0 {
		return fmt.Sprintf("%s and %s have the same wire", old, new)
	}
	a, b := r.Worst()
	text := map[[2]bool]string{
		{true, true}:   "all packets are read on both sides",
		{true, false}:  "the new reader reads old packets; old readers do not read all new ones",
		{false, true}:  "old readers read new packets; the new one does not read all old ones",
		{false, false}: "breaking: neither side reads all packets of the other",
	}[[2]bool{a == Same, b == Same}]
	if a == Undecided || b == Undecided {
		text += " (undecided: the plans differ, and no packet was found that shows it)"
	}
	return text
}

// bits are the first bits that move, of both sides.
func (c *Case) bits() string {
	var out []string
	for _, s := range []Side{c.Old, c.New} {
		if s.Verdict == Breaks {
			out = append(out, fmt.Sprint(s.Bit))
		}
	}
	if len(out) == 2 && out[0] == out[1] {
		out = out[:1]
	}
	if out == nil {
		return "-"
	}
	return strings.Join(out, ", ")
}

// text is what is unchanged, "" where all changed.
func (u Unchanged) text() string {
	var parts []string
	if u.Packets {
		parts = append(parts, "the packets themselves")
	}
	if u.Cases > 0 {
		parts = append(parts, syntax.Count(u.Cases, "other case"))
	}
	if u.Messages > 0 {
		parts = append(parts, syntax.Count(u.Messages, "message"))
	}
	return strings.Join(parts, ", ")
}

func (c *Case) name() string {
	if c.Name == "" {
		return "all packets"
	}
	return c.Name
}

// shows reports whether there is more to say than the verdicts.
func (c *Case) shows() bool {
	return len(c.Changes) > 0 || c.Old.Verdict == Breaks || c.New.Verdict == Breaks
}

// sides are the two with what they are called.
func (c *Case) sides() []struct {
	*Side
	packets, reader string
} {
	return []struct {
		*Side
		packets, reader string
	}{{&c.Old, "old packet", "the new reader"}, {&c.New, "new packet", "the old reader"}}
}

// why is what the reader does with the packet: where there are secrets up to what was wanted, which may be one.
func (s *Side) why() string {
	if text, _, cut := strings.Cut(s.Why, ": want "); cut && s.Secret {
		return text
	}
	return s.Why
}

// hex is the packet as people are shown it: of a large one the beginning.
func (s *Side) hex() string {
	if s.Secret {
		return reject.Masked
	}
	const most = 256 // bytes
	text := hex.EncodeToString(s.Packet[:min(len(s.Packet), most)])
	if len(s.Packet) > most {
		text += fmt.Sprintf("… (%d bytes)", len(s.Packet))
	}
	return text
}

// moves is said of a change that Moves.
const moves = "compared bit by bit up to here: what is after it moves, and is compared by name"

// place is where a line is: `old.pks:12`.
func (l Line) place(file string) string { return fmt.Sprintf("%s:%d", file, l.Number) }

// AppendText appends a report for people.
func AppendText(b []byte, r *Report, old, new string) []byte {
	say := func(format string, args ...any) {
		b = append(b, syntax.EscapeText(fmt.Sprintf(format, args...))...)
		b = append(b, '\n')
	}
	say("%s", r.summary(old, new))
	for _, note := range r.Notes {
		say("beside the wire: %s", note)
	}
	if len(r.Cases) == 0 {
		return b
	}
	wide := len("case")
	for i := range r.Cases {
		wide = max(wide, min(len(r.Cases[i].name()), 40))
	}
	say("")
	say("%-*s  %-11s  %-11s  first bit", wide, "case", "old packets", "new packets")
	for i := range r.Cases {
		c := &r.Cases[i]
		say("%-*s  %-11s  %-11s  %s", wide, c.name(), c.Old.Verdict, c.New.Verdict, c.bits())
	}
	if text := r.Same.text(); text != "" {
		say("the same as before: %s", text)
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		if !c.shows() {
			continue
		}
		say("")
		say("%s", c.name())
		for _, change := range c.Changes {
			say("  %s", change.Text)
			if change.Old.Number > 0 && change.Old.Text != change.New.Text {
				say("    - %s  %s", change.Old.place(old), change.Old.Text)
			}
			if change.New.Number > 0 {
				say("    + %s  %s", change.New.place(new), change.New.Text)
			}
			if change.Moves {
				say("    %s", moves)
			}
		}
		for _, s := range c.sides() {
			if s.Verdict == Breaks {
				say("  %s %s, from %s: %s %s", s.packets, s.hex(), s.From, s.reader, s.why())
			}
		}
	}
	return b
}

// AppendMarkdown appends a report for a pull request.
func AppendMarkdown(b []byte, r *Report, old, new string) []byte {
	say := func(format string, args ...any) { b = append(fmt.Appendf(b, format, args...), '\n') }
	say("### %s → %s\n\n%s", code(old), code(new), r.summary("the old schema", "the new one"))
	for _, note := range r.Notes {
		say("- beside the wire: %s", code(note))
	}
	if len(r.Cases) == 0 {
		return b
	}
	say("\n| case | old packets, new reader | new packets, old reader | first bit |\n| --- | --- | --- | --- |")
	for i := range r.Cases {
		c := &r.Cases[i]
		say("| %s | %s | %s | %s |", code(c.name()), c.Old.Verdict, c.New.Verdict, c.bits())
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		if !c.shows() {
			continue
		}
		say("\n**%s**\n", code(c.name()))
		for _, change := range c.Changes {
			say("- %s", code(change.Text))
			if change.Old.Number > 0 && change.Old.Text != change.New.Text {
				say("  - was %s %s", code(change.Old.place(old)), code(change.Old.Text))
			}
			if change.New.Number > 0 {
				say("  - is %s %s", code(change.New.place(new)), code(change.New.Text))
			}
			if change.Moves {
				say("  - %s", moves)
			}
		}
		for _, s := range c.sides() {
			if s.Verdict == Breaks {
				say("- %s %s, from %s: %s %s", s.packets, code(s.hex()), s.From, s.reader, code(s.why()))
			}
		}
	}
	return b
}

// code is a stranger's text as Markdown shows it, in a table as well: nothing of it is obeyed.
func code(text string) string {
	text = strings.NewReplacer("`", "'", "|", "¦").Replace(syntax.EscapeText(text))
	return "`" + text + "`"
}

// The objects of AppendJSON.
type (
	jsonReport struct {
		SchemaVersion int        `json:"schema_version"`
		Kind          string     `json:"kind"`
		Old           string     `json:"old"`
		New           string     `json:"new"`
		OldPackets    string     `json:"old_packets"`
		NewPackets    string     `json:"new_packets"`
		Cases         []jsonCase `json:"cases"`
		Same          int        `json:"same"`
		SameMessages  int        `json:"same_messages"`
		Notes         []string   `json:"notes"`
	}
	jsonCase struct {
		Case       string       `json:"case"`
		OldPackets jsonSide     `json:"old_packets"`
		NewPackets jsonSide     `json:"new_packets"`
		Changes    []jsonChange `json:"changes"`
	}
	jsonSide struct {
		Verdict string `json:"verdict"`
		Drawn   int    `json:"drawn"`
		Bit     *int   `json:"bit,omitempty"`
		Packet  string `json:"packet,omitempty"`
		From    string `json:"from,omitempty"`
		Why     string `json:"why,omitempty"`
	}
	jsonChange struct {
		Text  string    `json:"text"`
		Old   *jsonLine `json:"old,omitempty"`
		New   *jsonLine `json:"new,omitempty"`
		Moves bool      `json:"moves,omitempty"`
	}
	jsonLine struct {
		Line int    `json:"line"`
		Text string `json:"text"`
	}
)

// AppendJSON appends a report as one object on a line.
func AppendJSON(b []byte, r *Report, old, new string) []byte {
	worstOld, worstNew := r.Worst()
	out := jsonReport{1, "schema-diff", old, new, worstOld.String(), worstNew.String(), []jsonCase{}, r.Same.Cases, r.Same.Messages, append([]string{}, r.Notes...)}
	for i := range r.Cases {
		c := &r.Cases[i]
		one := jsonCase{c.Name, c.Old.json(), c.New.json(), []jsonChange{}}
		for _, change := range c.Changes {
			one.Changes = append(one.Changes, jsonChange{change.Text, change.Old.json(), change.New.json(), change.Moves})
		}
		out.Cases = append(out.Cases, one)
	}
	return appendObject(b, out)
}

// appendObject appends an object on a line of which a terminal obeys nothing.
func appendObject(b []byte, out any) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		panic("pktscope: internal error: a report is no JSON: " + err.Error())
	}
	return append(syntax.AppendEscapedJSON(b, bytes.TrimSpace(text.Bytes())), '\n')
}

func (s *Side) json() jsonSide {
	out := jsonSide{Verdict: s.Verdict.String(), Drawn: s.Drawn}
	if s.Verdict == Breaks {
		bit := s.Bit
		out.Bit, out.From, out.Why = &bit, s.From.String(), s.why()
		if !s.Secret {
			out.Packet = hex.EncodeToString(s.Packet)
		}
	}
	return out
}

func (l Line) json() *jsonLine {
	if l.Number == 0 {
		return nil
	}
	return &jsonLine{l.Number, l.Text}
}
