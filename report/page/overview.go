package page

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// The first screen: what it is about and what is the matter, in words.

// fact is a number with what it is of.
type fact struct{ Name, Value, Note string }

// attacker is the sender of whom the most was refused.
type attacker struct {
	Sender, Text string
	Filter       string   // what the list of packets is filtered by, "" without a list
	What         []string // kinds in words
	Places       string   // the fields that it hit most
}

// summaryView is the first screen about one protocol.
type summaryView struct {
	Name     string
	When     string
	Health   []tile
	Facts    []fact
	Verdict  string
	Tone     string // good, bad or note
	Attacker *attacker
	Takes    string // the field that takes the most
	Wastes   *adviceRow
	WasteAll string
}

func newSummary(p *protocol, rejects *rejectsView, bits *bitsView) *summaryView {
	v := &summaryView{Name: plain(p.name), Tone: "good"}
	if p.stats != nil {
		v.statistics(p, rejects)
	}
	if bits == nil || bits.Total == 0 {
		return v
	}
	f := &bits.Fields[0]
	v.Takes = fmt.Sprintf("%s of payload", f.Share)
	if f.Info != "" {
		v.Takes += fmt.Sprintf("; of the %s bits of a value %s carry information", f.Width, f.Info)
	}
	for i := range bits.Advice {
		if !bits.Advice[i].Advice {
			v.Wastes = &bits.Advice[i]
			break
		}
	}
	v.WasteAll = bits.SavedAll
	v.Facts = append(v.Facts, fact{"average size", bits.Bytes, ""})
	return v
}

func (sv *summaryView) statistics(p *protocol, rejects *rejectsView) {
	s := p.stats
	c, things := stats.ContextOf(s.Context), "packet"
	if s.Messages {
		things = "message"
	}
	refused := s.Total.Rejected.Packets + c.UnreadRejected
	n, accepted := s.Total.Packets()+c.Unread+c.UnreadRejected, s.Total.Accepted.Packets+c.Unread
	if !s.First.IsZero() {
		sv.When = fmt.Sprintf("%s to %s, %s", instant(s.First), instant(s.Last), seconds(s.Seconds))
	}
	rate := ""
	if s.Seconds > 0 {
		rate = perSecond(float64(n)/s.Seconds) + " a second"
	}
	peers := table.Grouped(s.Peers.N)
	if s.Peers.About {
		peers = "about " + peers
	}
	sv.Facts = []fact{
		{things + "s", table.Grouped(n), rate}, {"accepted", table.Grouped(accepted), percent(saved.Share(accepted, n))},
		{"refused", table.Grouped(refused), percent(saved.Share(refused, n))}, {"peers", peers, ""},
	}
	if cut := s.Total.Cut.Packets; cut > 0 {
		sv.Facts = append(sv.Facts, fact{"cut by the capture", table.Grouped(cut), "the capture says nothing of their end"})
	}
	over := ""
	if bits := s.Total.Bits() - s.Total.PayloadBits(); bits > 0 || !s.Messages {
		over = "IP and UDP take " + bitsText(bits) + " more"
	}
	sv.Facts = append(sv.Facts, fact{"payload", bitsText(s.Total.PayloadBits()), over})
	sv.context(&c)
	for _, note := range s.Notes {
		sv.Facts = append(sv.Facts, fact{"note", plain(note.Kind), table.Count(note.Packets, things)})
	}
	switch {
	case n == 0:
		sv.Verdict, sv.Tone = "There is no "+things+" of this protocol.", "note"
	case refused == 0 && s.Total.Cut.Packets == n:
		sv.Verdict, sv.Tone = "The capture cut every packet, so nothing can be said of them.", "note"
	case refused == 0:
		sv.Verdict = "No " + things + " of the captures was refused."
	default:
		sv.Tone = "bad"
		sv.Verdict = fmt.Sprintf("%s of %s (%s) were refused", table.Grouped(refused), table.Count(n, things), percent(saved.Share(refused, n)))
		if refused == 1 {
			sv.Verdict = strings.Replace(sv.Verdict, " were ", " was ", 1)
		}
		sv.Verdict += sv.blame(p, rejects, refused)
	}
}

// context is facts about messages that were not whole, or came twice.
func (sv *summaryView) context(c *stats.Context) {
	if n := c.Incomplete(); n > 0 {
		note := fmt.Sprintf("%s lacked pieces, %s made room, %s were open at the end", table.Grouped(c.Missing), table.Grouped(c.Evicted), table.Grouped(c.End))
		sv.Facts = append(sv.Facts, fact{"incomplete", table.Grouped(n), note})
	}
	if c.Resent > 0 {
		sv.Facts = append(sv.Facts, fact{"resent", table.Grouped(c.Resent), "of " + table.Count(c.Pieces, "piece")})
	}
	if c.Conflicting > 0 {
		sv.Facts = append(sv.Facts, fact{"conflicting", table.Grouped(c.Conflicting), "pieces that disagreed with others"})
	}
	if n := c.Unopened(); n > 0 {
		note := fmt.Sprintf("%s without a key, %s with a wrong one, %s not authentic", table.Grouped(c.NoKey), table.Grouped(c.WrongKey), table.Grouped(c.AuthFailed))
		sv.Facts = append(sv.Facts, fact{"not opened", table.Grouped(n), note})
	}
}

// blame says who sent what was refused.
func (sv *summaryView) blame(p *protocol, rejects *rejectsView, refused uint64) string {
	if len(rejects.Senders) == 0 {
		return "; their senders are not among the peers that were kept."
	}
	w := &rejects.Senders[0]
	a := &attacker{Sender: w.Sender}
	if p.packets != nil {
		a.Filter = w.Sender
	}
	sv.Attacker = a
	a.Text = fmt.Sprintf("sent %s, of which %s were refused (%s)", table.Count(w.sent, "packet"), w.Rejected, w.Share)
	var kinds []string
	for k := range w.kinds {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(x, y string) int { return cmp.Or(cmp.Compare(w.kinds[y], w.kinds[x]), cmp.Compare(x, y)) })
	for _, k := range kinds {
		a.What = append(a.What, fmt.Sprintf("%s × %s: %s", table.Grouped(w.kinds[k]), plain(k), meaning(k)))
	}
	if p.rejects != nil {
		a.Places = placesOf(p.rejects, w.at)
	}
	others := len(rejects.Senders) - 1
	if rejects.MoreSenders != "" {
		others = -1
	}
	switch {
	case w.rejected == refused && 2*w.rejected > w.sent && refused > 2:
		return ", all of them from one sender that sends little else: it looks like an attack."
	case w.rejected == refused:
		return ", all of them from one sender."
	case others > 0:
		return fmt.Sprintf(", from %s.", table.Count(others+1, "sender"))
	}
	return ", from many senders."
}

// maxPlaces is how many fields the first screen names.
const maxPlaces = 5

// placesOf names the fields at which most packets of a sender were refused.
func placesOf(r *rejects.Result, sender netip.AddrPort) string {
	counts := map[string]uint64{}
	for i := range r.Rows {
		x := &r.Rows[i]
		for _, s := range x.Senders {
			if s.Sender == sender {
				counts[placeOf(x)] += s.Packets
			}
		}
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y)) })
	more := ""
	if n := len(names) - maxPlaces; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		names = names[:maxPlaces]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%s)", name, table.Grouped(counts[name]))
	}
	return strings.Join(names, ", ") + more
}
