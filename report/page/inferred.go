package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
)

// What a schema that was drafted from packets rests on: what `infer -T json` writes, as a part of a page.

// The most of it that a page has.
const (
	maxInferred     = 1000 // fields
	maxInferOutlier = 200
	maxInferBytes   = 8 << 20 // of JSON
	maxDraft        = 256 << 10
)

// Inferred is what `infer -T json` writes, and the draft itself. Its text may be hostile.
type Inferred struct {
	Source []byte // the draft; nil leaves it out

	Kind      string
	Packets   int64
	Refused   int64
	Order     string
	Undecided bool `json:"order_undecided"`
	Checksum  *struct {
		Algorithm, Type string
		Byte, Match, Of int64
	}
	End              string
	Constant, Opaque float64
	Bounded          bool
	Fields           []inferredField
	Outliers         []struct {
		Packet int64
		Reason string
	}
}

type inferredField struct {
	Name, Kind, Sure, Why string
	Bits, Packets, Bytes  int64
	Saved                 float64 `json:"bits_saved"`
	Entropy               float64
	Examples              []string
	Least, Most           uint64
	Kept                  bool
}

var errNotInferred = errors.New("page: want what infer -T json writes")

// ReadInferred reads what `infer -T json` wrote. The error is that it is something else.
func ReadInferred(text []byte) (*Inferred, error) {
	i := &Inferred{}
	if len(text) > maxInferBytes || json.Unmarshal(text, i) != nil || i.Kind != "infer" {
		return nil, errNotInferred
	}
	return i, nil
}

// inferredRow is a field and what it rests on.
type inferredRow struct {
	Name, Bits, Why, Sure, Saved, Seen, Examples, Packets string
	Kept                                                  bool
}

// unknownRow is bytes that were not understood.
type unknownRow struct{ Name, Bytes, Entropy, Looks string }

type inferOutlier struct{ Packet, Reason string }

// inferredView is what a draft rests on.
type inferredView struct {
	Verdict, Tone string
	Facts         []fact
	Rows          []inferredRow
	Unknown       []unknownRow
	Outliers      []inferOutlier
	More          []string
	Source        string
}

func newInferred(i *Inferred) *inferredView {
	if i == nil {
		return nil
	}
	v := &inferredView{Verdict: "The draft accepts all packets.", Tone: "good"}
	if i.Refused > 0 {
		v.Verdict, v.Tone = fmt.Sprintf("The draft refuses %s of %s.", table.Grouped(i.Refused), table.Count(i.Packets, "packet")), "bad"
	}
	add := func(name, value, note string) { v.Facts = append(v.Facts, fact{name, plain(value), plain(note)}) }
	add("packets", table.Grouped(i.Packets), "")
	if k := i.Checksum; k != nil {
		where := fmt.Sprintf("at byte %d", k.Byte)
		if k.Byte < 0 {
			where = fmt.Sprintf("%d bytes before the end", -k.Byte)
		}
		add("checksum", k.Type, fmt.Sprintf("%s, in %s of %s looked at", where, table.Grouped(k.Match), table.Count(k.Of, "packet")))
	} else {
		add("checksum", "none found", "")
	}
	note := ""
	if i.Undecided {
		note = "undecided: no order is better"
	}
	add("bit order", i.Order, note)
	if i.End != "" {
		add("end", i.End, "of all packets")
	}
	add("never changes", percent(i.Constant), "of the bits")
	add("not understood", percent(i.Opaque), "of the bits, or random")
	if i.Bounded {
		v.More = append(v.More, "The search ended at its bound of work: some of it was not tried.")
	}
	for k := range i.Fields[:min(len(i.Fields), maxInferred)] {
		v.add(&i.Fields[k])
	}
	if n := len(i.Fields) - maxInferred; n > 0 {
		v.More = append(v.More, more(n, "field")+".")
	}
	for _, o := range i.Outliers[:min(len(i.Outliers), maxInferOutlier)] {
		v.Outliers = append(v.Outliers, inferOutlier{table.Grouped(o.Packet), plain(o.Reason)})
	}
	if n := i.Refused - int64(len(v.Outliers)); n > 0 {
		v.More = append(v.More, more(int(n), "packet")+" that the draft refuses.")
	}
	if len(i.Source) <= maxDraft {
		var b strings.Builder
		for line := range strings.Lines(string(i.Source)) {
			b.WriteString(plain(strings.TrimRight(line, "\n")) + "\n")
		}
		v.Source = b.String()
	}
	return v
}

func (iv *inferredView) add(f *inferredField) {
	if f.Bytes > 0 || f.Entropy > 0 {
		row := unknownRow{plain(f.Name), table.Grouped(f.Bytes), fmt.Sprintf("%.1f", f.Entropy), "with a shape that was not found"}
		switch {
		case f.Entropy > 7.8 && f.Bytes > 4096:
			row.Looks = "encrypted, compressed or random"
		case f.Bytes < 256:
			row.Looks = "too few to say"
		}
		iv.Unknown = append(iv.Unknown, row)
		return
	}
	row := inferredRow{Name: plain(f.Name), Bits: table.Grouped(f.Bits), Why: plain(f.Why), Sure: plain(f.Sure), Packets: table.Grouped(f.Packets), Kept: f.Kept}
	if f.Kept {
		row.Why = "a person wrote it"
	}
	if f.Saved > 0 {
		row.Saved = table.Grouped(uint64(f.Saved))
	}
	row.Seen = fmt.Sprint(f.Least)
	if f.Most != f.Least {
		row.Seen = fmt.Sprintf("%d..%d", f.Least, f.Most)
	}
	for _, x := range f.Examples[:min(len(f.Examples), 8)] {
		if row.Examples != "" {
			row.Examples += ", "
		}
		row.Examples += plain(x)
	}
	iv.Rows = append(iv.Rows, row)
}
