package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
)

// Where the bits go.

// maxFieldRows is how many fields the page lists; a schema has up to 65,536.
const maxFieldRows = 1000

// fieldRow is a field.
type fieldRow struct {
	Path, Type, Class, Width, Share, Info, Seen, P99 string
	Bar                                              template.HTML
	Bits                                             uint64
	Used                                             float64 // part of its bits that carries information
	Secret                                           bool
}

// adviceRow is a suggestion.
type adviceRow struct {
	Field, Was, Text, Why, Saves, Share, Rate string
	Saved                                     uint64
	Advice                                    bool
	Line                                      int
}

// costRow is the same packets in another encoding.
type costRow struct {
	Encoding, Bytes, Times string
	Bar                    template.HTML
}

// bitsView is where the bits go.
type bitsView struct {
	Packets   string
	Total     uint64 // bits
	Read      uint64 // bits, of which a share is
	TotalText string
	Bytes     string // a packet
	Classes   []costRow
	Fields    []fieldRow
	MoreField string
	Advice    []adviceRow
	SavedAll  string
	Costs     []costRow
	Icicle    *icicleNode
	Broken    []string
}

func newBits(b *budget.Budget) *bitsView {
	total := b.Total()
	v := &bitsView{Packets: table.Count(total.Packets, "packet"), Total: 8 * total.Bytes, Read: b.Read(), TotalText: bitsText(8 * total.Bytes)}
	if total.Bytes == 0 { // no packet, or none with a field
		return v
	}
	v.Bytes = fmt.Sprintf("%.1f bytes a packet", float64(total.Bytes)/float64(total.Packets))
	fields := b.Fields()
	slices.SortStableFunc(fields, func(x, y budget.Field) int { return cmp.Compare(y.Bits, x.Bits) })
	most := saved.Share(fields[0].Bits, v.Read)
	for i := range fields[:min(len(fields), maxFieldRows)] {
		v.Fields = append(v.Fields, v.field(&fields[i], most))
	}
	if n := len(fields) - len(v.Fields); n > 0 {
		v.MoreField = "and " + table.Count(n, "more field")
	}
	v.Icicle = newIcicle(b)
	for _, c := range b.Classes() {
		share := saved.Share(c.Bits, v.Read)
		v.Classes = append(v.Classes, costRow{Encoding: string(c.Class), Bytes: bitsText(c.Bits), Times: percent(share), Bar: shareBar(share, share)})
	}
	list := b.Suggestions()
	for i := range list {
		v.Advice = append(v.Advice, v.advice(b, &list[i], total.Packets))
	}
	if saves := budget.Saved(list); saves > 0 {
		v.SavedAll = fmt.Sprintf("%s, %s of payload, %.1f bits a packet", bitsText(saves), percent(saved.Share(saves, v.Read)), float64(saves)/float64(total.Packets))
	}
	costs := b.Costs()
	worst := 1.0
	for _, c := range costs {
		worst = max(worst, c.Bytes)
	}
	for _, c := range costs {
		v.Costs = append(v.Costs, costRow{
			Encoding: c.Encoding, Bytes: fmt.Sprintf("%.1f", c.Bytes/float64(total.Packets)), Times: fmt.Sprintf("%.2f ×", c.Bytes/max(float64(total.Bytes), 1)),
			Bar: shareBar(c.Bytes/worst, c.Bytes/worst),
		})
	}
	for _, x := range b.Broken() {
		what := fmt.Sprintf("%s: limit %s, broken by %s, worst %s; first in packet %d of %s", plain(cmp.Or(x.Path, "--max-packet")),
			table.Count(x.Limit, "bit"), table.Count(x.Times, "packet"), worstText(&x), x.N, plain(x.File))
		if x.Path == "" {
			what = fmt.Sprintf("largest packet: limit %s, broken by %s of %s, worst %s; first in packet %d of %s", table.Count(x.Limit, "byte"),
				table.Count(x.Times, "packet"), plain(x.Case), table.Count(x.Worst, "byte"), x.N, plain(x.File))
		}
		v.Broken = append(v.Broken, what)
	}
	return v
}

func (bv *bitsView) field(f *budget.Field, most float64) fieldRow {
	share := saved.Share(f.Bits, bv.Read)
	r := fieldRow{
		Path: plain(f.Path), Type: plain(f.Type), Class: string(f.Class), Share: percent(share), Bits: f.Bits,
		P99: table.Grouped(f.P99), Used: 1, Secret: f.Secret,
	}
	if f.Width > 0 {
		r.Width = fmt.Sprint(f.Width)
	} else {
		r.Width = "varies"
	}
	switch {
	case f.Secret:
		r.Seen = "secret"
	case f.Known:
		r.Used = min(f.Entropy*float64(f.Times)/float64(max(f.Bits, 1)), 1)
		r.Info = fmt.Sprintf("%.1f", f.Entropy)
		if r.Seen = plain(f.Least); f.Most != f.Least {
			r.Seen += " … " + plain(f.Most)
		}
	}
	r.Bar = shareBar(share/most, share/most*r.Used)
	return r
}

func (bv *bitsView) advice(b *budget.Budget, x *budget.Suggestion, packets uint64) adviceRow {
	r := adviceRow{
		Field: plain(x.Field), Was: plain(x.Was), Text: plain(x.Text), Why: plain(x.Why),
		Saves: fmt.Sprintf("%.1f", float64(x.Saved)/float64(packets)), Share: percent(saved.Share(x.Saved, bv.Read)), Saved: x.Saved, Advice: x.Advice,
		Line: int(x.Pos.Line),
	}
	if s := b.Duration().Seconds(); s > 0 {
		r.Rate = bitRate(float64(x.Saved) / s)
	}
	return r
}

// worstText is the size of what broke a limit most, where that may be shown.
func worstText(x *budget.Broken) string {
	if x.Secret {
		return reject.Masked
	}
	return table.Grouped(x.Worst)
}
