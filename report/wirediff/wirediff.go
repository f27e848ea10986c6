// Package wirediff says what a change of a schema does to the wire.
//
//	old, new ─compare plans─► changes, and what they cannot break ─┐
//	   └────draw packets of both─► what the other reads of them ────┴─► Report
//
// Two questions are asked of each case of the packet: does the new reader read what old writers write, and does an old
// reader read what new ones write. To read is to accept the packet, with every field of its writer at the same bits, of
// the same name or one that is new, and of the same value. A side is Same where the plans prove it; it Breaks where a
// packet shows it, which is kept; what neither shows is Undecided. So no claim rests on text: a field that is renamed
// changes nothing, and two that change places break both sides.
//
// Schemas may come from a stranger. Work is linear in both plans, and in the packets that are drawn.
package wirediff

import (
	"iter"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// Verdict is what one side does with the other's packets.
type Verdict uint8

// The verdicts, from the best to the worst.
const (
	Same      Verdict = iota // the plans prove that it reads them all
	Undecided                // the plans differ, and no packet was found that shows it
	Breaks                   // a packet shows that it refuses or misreads some
)

var verdictWords = [...]string{Same: "read", Undecided: "undecided", Breaks: "break"}

// String is the word of a verdict: "read", "undecided", "break".
func (v Verdict) String() string { return verdictWords[v] }

// Side is one reader and the packets of the other's writers.
type Side struct {
	Verdict Verdict
	Packet  []byte           // that shows that it breaks, the shortest found
	Secret  bool             // the Packet, and Why, may have an @secret field: neither is shown
	From    decode.Direction // who sends it
	Bit     int              // the first that is read otherwise
	Why     string           // what the reader does with it
	Drawn   int              // packets that were tried
	Proved  bool             // by the plans: then a packet that shows it breaks is a mistake of this package
}

// Change is one difference of the plans.
type Change struct {
	Case     string // the case that it is in; "" in every packet
	Text     string // what changed
	Old, New Line   // where it is declared
	// Moves: what is after it in its block is at other bits. Changes there are found by name.
	Moves  bool
	breaks [2]bool
}

// Line is a line of a schema: Number is 0 where the other schema has no such line.
type Line struct {
	Number int
	Text   string
}

// Case is what holds for the packets of one case, or of one message.
type Case struct {
	Name    string // "" of all packets, where they have no cases or all changes are outside of them
	Old     Side   // old packets, in the new reader
	New     Side   // new packets, in the old reader
	Changes []Change
}

// Report is what a change of a schema does to the wire.
type Report struct {
	Cases []Case // those that changed
	Same  Unchanged
	Notes []string // what changed beside the wire
}

// Unchanged is how much of both schemas has the same wire.
type Unchanged struct {
	Cases    int // of packets or of messages
	Messages int // all of a message; of packets without cases, Packets
	Packets  bool
}

// Worst are the worst verdicts of all cases.
func (r *Report) Worst() (old, new Verdict) {
	for i := range r.Cases {
		old, new = max(old, r.Cases[i].Old.Verdict), max(new, r.Cases[i].New.Verdict)
	}
	return old, new
}

// Options say which packets are drawn of each schema, as `corpus gen` draws them: the first at the ends of its ranges.
type Options struct {
	Seed  uint64
	Count int64
}

// draw makes valid packets of a schema.
func (o Options) draw(d *decode.Decoder) iter.Seq[fuzz.Packet] {
	return func(yield func(fuzz.Packet) bool) {
		for packet, err := range fuzz.NewGenerator(d).Packets(o.Seed, o.Count, func(fuzz.Missed) {}) {
			if err != nil || !yield(packet) {
				return
			}
		}
	}
}

// Compare compares two schemas: their packets, and their messages by name.
func Compare(old, new *decode.Decoder, o Options) *Report {
	r := &Report{}
	r.notes(old, new)
	r.add("", old, new, o)
	for _, section := range old.Sections() {
		name := section.Schema().Message.Name
		if after, err := new.Section(name); err == nil {
			r.add(name, section, after, o)
		} else {
			r.Notes = append(r.Notes, "message "+name+" is gone")
		}
	}
	for _, section := range new.Sections() {
		if name := section.Schema().Message.Name; !has(old, name) {
			r.Notes = append(r.Notes, "message "+name+" is new")
		}
	}
	return r
}

func has(d *decode.Decoder, message string) bool {
	_, err := d.Section(message)
	return err == nil
}

// add compares two plans, of packets or of the message of a name.
func (r *Report) add(message string, old, new *decode.Decoder, o Options) {
	c := newComparer(old.Plan(), new.Plan())
	c.packets()
	c.changes = slices.DeleteFunc(c.changes, func(one Change) bool {
		harmless := one.Case == "" && !one.breaks[oldPackets] && !one.breaks[newPackets]
		if harmless {
			r.Notes = append(r.Notes, one.Text)
		}
		return harmless
	})
	rows := c.rows(message)
	judge(rows, c.moved, old, new, o)
	same := slices.DeleteFunc(slices.Clone(rows), func(row *row) bool { return !row.same() })
	switch {
	case len(same) == 0:
	case len(same) == len(rows) && message != "":
		r.Same.Messages++
	case len(c.cases) == 0:
		r.Same.Packets = true
	default:
		r.Same.Cases += len(same)
	}
	for _, row := range rows {
		if row.same() {
			continue
		}
		row.Old.Secret = old.Plan().HasSecret() || new.Plan().HasSecret()
		row.New.Secret = row.Old.Secret
		r.Cases = append(r.Cases, row.Case)
	}
}

// row is a case with the tags that it has.
type row struct {
	Case
	lo, hi uint64 // keys; see plan.Operand.Key
	label  string // as changes have it
}

// same reports whether nothing changed, and both sides are read.
func (r *row) same() bool {
	return len(r.Changes) == 0 && r.Old.Verdict == Same && r.New.Verdict == Same
}

// rows are the cases of both plans. Where one has none, or their tags differ, there is one of all packets.
func (c *comparer) rows(message string) []*row {
	prefix := ""
	if message != "" {
		prefix = "message " + message
	}
	var rows []*row
	for _, part := range c.cases {
		name := part.name
		if prefix != "" {
			name = prefix + ": " + name
		}
		rows = append(rows, &row{Case: Case{Name: name}, lo: part.lo, hi: part.hi, label: part.name})
	}
	outside := slices.ContainsFunc(c.changes, func(one Change) bool { return one.Case == "" })
	if len(rows) == 0 || outside {
		rows = append([]*row{{Case: Case{Name: prefix}, lo: 1, hi: 0}}, rows...)
	}
	byLabel := map[string][]Change{}
	for _, change := range c.changes {
		byLabel[change.Case] = append(byLabel[change.Case], change)
	}
	for _, one := range rows {
		one.Changes = byLabel[one.label]
		about := one.Changes
		switch {
		case one.label != "":
			about = slices.Concat(about, byLabel[""])
		case len(c.cases) == 0:
			about = c.changes
		}
		one.Old.Proved = !slices.ContainsFunc(about, func(change Change) bool { return change.breaks[oldPackets] })
		one.New.Proved = !slices.ContainsFunc(about, func(change Change) bool { return change.breaks[newPackets] })
	}
	return rows
}

// The sides of breaks: whose packets they are.
const (
	oldPackets = iota
	newPackets
)

// key is the key of a packet's case in its plan's first switch.
func key(t *decode.Trace) (uint64, bool) {
	if !t.HasTag || t.Plan.CaseSwitch == nil {
		return 0, false
	}
	return t.Plan.Operands[t.Plan.CaseSwitch.Tag].Key(t.Tag), true
}
