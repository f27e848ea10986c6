package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template, the style and the script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// To add a section: 1. a view struct with what it says, all text through plain; 2. its part of a template;
// 3. an entry in contents; 4. a case in the golden test.

//go:embed page.html
var pageTemplate string

//go:embed protocol.html
var protocolTemplate string

//go:embed differences.html
var differencesTemplate string

//go:embed inferred.html
var inferredTemplate string

//go:embed compare.html
var compareTemplate string

//go:embed time.html
var timeTemplate string

//go:embed tests.html
var testsTemplate string

//go:embed page.css
var pageStyle string

//go:embed time.css
var timeStyle string

//go:embed packets.css
var packetsStyle string

//go:embed state.js
var stateScript string

//go:embed controls.js
var controlsScript string

//go:embed data.js
var dataScript string

//go:embed bars.js
var barsScript string

//go:embed icicle.js
var icicleScript string

//go:embed links.js
var linksScript string

//go:embed list.js
var listScript string

//go:embed ruler.js
var rulerScript string

//go:embed time.js
var timeScript string

// beginScript shows what the address asks for, once all parts are there.
const beginScript = `
addEventListener('hashchange', follow);
if (location.hash) follow();
`

var (
	style  = strings.TrimSpace(pageStyle) + "\n" + strings.TrimSpace(timeStyle) + "\n" + strings.TrimSpace(packetsStyle)
	script = "'use strict';\n(() => {\n" + stateScript + controlsScript + dataScript + linksScript + rulerScript + barsScript + listScript + timeScript + icicleScript + beginScript + "})();"
)

// parsed are the templates, parsed for the first page: no other command waits for them.
var parsed = sync.OnceValue(func() *template.Template {
	t := template.New("page")
	for _, text := range []string{pageTemplate, protocolTemplate, differencesTemplate, inferredTemplate, compareTemplate, timeTemplate, testsTemplate} {
		template.Must(t.Parse(text))
	}
	return t
})

// protocolView is all about one protocol.
type protocolView struct {
	ID      string
	Several bool
	Summary *summaryView
	Time    *timeView
	Compare *compareView
	Traffic *trafficView
	Rejects *rejectsView
	Bits    *bitsView
	Peers   *peersView
}

// packetsView says what the list of packets has and what not.
type packetsView struct {
	Lines []string
	Any   bool
	Saved bool // there were none to choose from
	// Protocol is what -p has to be for the packets, "" for none.
	Protocol string
}

// view is the whole page.
type view struct {
	Title, Tool   string
	Policy        string
	Style         template.CSS
	Script        template.JS
	Data          template.JS
	Sources       []Source
	MoreSources   string
	Remarks       []string
	Protocols     []protocolView
	Packets       packetsView
	Listing       bool // there is a list of packets, or a word on why there is none
	Diff          *diffView
	Inferred      *inferredView
	Tests         []testView
	FindingsCount string
	FindingsTone  string
	Contents      []link
}

type link struct{ To, Text string }

// maxSources is how many inputs are named; a merge may have thousands.
const maxSources = 40

// maxProtocols and maxTests are how many protocols, and audits and campaigns, a page has parts for: a file of saved
// results has up to 4,096 of them.
const (
	maxProtocols = 32
	maxTests     = 64
)

// remark says that there are so many more of something than the page shows.
func (v *view) remark(n int, what string) {
	if n > 0 {
		v.Remarks = append(v.Remarks, fmt.Sprintf("Not shown, because the page would be too large: %s.", table.Count(n, "more "+what)))
	}
}

// Write writes the report as one HTML file. The error is the writer's.
func Write(w io.Writer, r *Report) error {
	v := newView(r)
	var b bytes.Buffer // a template writes in small pieces
	if err := parsed().ExecuteTemplate(&b, "page", v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func newView(r *Report) *view {
	v := &view{
		Title: plain(r.Title), Tool: plain(r.Tool), Style: template.CSS(style), Script: template.JS(script),
		Policy: "default-src 'none'; style-src " + hashOf(style) + "; script-src " + hashOf(script) +
			"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	}
	for _, s := range r.Sources[:min(len(r.Sources), maxSources)] {
		v.Sources = append(v.Sources, Source{plain(s.Name), plain(s.Kind)})
	}
	v.MoreSources = more(len(r.Sources)-len(v.Sources), "file")
	for _, s := range r.Remarks[:min(len(r.Remarks), maxSources)] {
		v.Remarks = append(v.Remarks, plain(s))
	}
	v.remark(len(r.Remarks)-len(v.Remarks), "remark")
	data := &packetData{}
	protocols := r.protocols()
	if n := len(protocols) - maxProtocols; n > 0 {
		protocols = protocols[:maxProtocols]
		v.remark(n, "protocol")
	}
	before := (&Report{Results: r.Against}).protocols()
	for i, p := range protocols {
		one := protocolView{ID: fmt.Sprint(i), Several: len(protocols) > 1}
		old := like(p, before)
		if p.stats != nil {
			var was *stats.Summary
			if old != nil {
				was = old.stats
			}
			one.Time, one.Traffic, one.Peers = newTime(one.ID, p.stats, was, r.AgainstName), newTraffic(p.stats), newPeers(p.stats)
		}
		if p.stats != nil || p.rejects != nil {
			one.Rejects = newRejects(one.ID, p)
		}
		if p.budget != nil {
			one.Bits = newBits(p.budget)
		}
		one.Summary = newSummary(p, one.Rejects, one.Bits)
		if old != nil {
			one.Compare = newCompare(r.AgainstName, old, p)
		} else if r.Against != nil {
			v.Remarks = append(v.Remarks, fmt.Sprintf("%s has nothing of %s to compare with.", plain(r.AgainstName), plain(p.name)))
		}
		if p.stats != nil {
			one.Summary.Health = newHealth(one.ID, p.stats, one.Time)
		}
		v.Protocols = append(v.Protocols, one)
		v.Listing = v.Listing || p.stats != nil || p.rejects != nil || p.packets != nil
		if p.packets != nil {
			v.Packets.Any = v.Packets.Any || p.packets.seen > 0
			v.Packets.say(data.add(p.packets, p.name), p, len(protocols) > 1)
		}
	}
	if data.bare > 0 {
		v.Packets.Lines = append(v.Packets.Lines, fmt.Sprintf("%s are listed without their fields, which would make this file larger than %d MB; pktscope explain shows them.",
			table.Count(data.bare, "packet"), MaxData>>20))
	}
	if data.cut > 0 {
		v.Packets.Lines = append(v.Packets.Lines, fmt.Sprintf("Of %s only the first %s fields and %s bytes are here.", table.Count(data.cut, "long packet"), table.Grouped(maxPieces), table.Grouped(maxPayload)))
	}
	v.Packets.Saved, v.Packets.Protocol = !v.Packets.Any, plain(r.Protocol)
	v.Data = template.JS(data.json()) // `<`, `>` and `&` are escapes in it
	v.Diff, v.Inferred = newDiff(r.Differences), newInferred(r.Inferred)
	tests, left := r.tests()
	v.Tests = tests
	v.remark(left, "audit")
	switch n := r.findingsCount(); {
	case len(v.Tests) == 0 && r.WantsTests:
		v.FindingsCount, v.FindingsTone = "Results of audits or fuzzing were asked for, and this report has none.", "note"
	case len(v.Tests) == 0:
	case n == 0 && r.untestedCount() > 0:
		v.FindingsCount, v.FindingsTone = "Audits and fuzzing found nothing, and left "+table.Grouped(r.untestedCount())+" untested.", "bad"
	case n == 0:
		v.FindingsCount, v.FindingsTone = "Audits and fuzzing found nothing.", "good"
	default:
		v.FindingsCount, v.FindingsTone = "Audits and fuzzing found "+table.Count(n, "mistake")+".", "bad"
	}
	v.contents()
	return v
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// say tells what of a protocol's packets is in the list.
func (pv *packetsView) say(l listed, p *protocol, several bool) {
	name := ""
	if several {
		name = plain(p.name) + ": "
	}
	if l.Seen == 0 {
		return
	}
	if uint64(l.Packets) == l.Seen {
		pv.Lines = append(pv.Lines, fmt.Sprintf("%sAll %s are listed.", name, table.Count(l.Seen, "packet")))
		return
	}
	refused := uint64(0)
	if p.stats != nil {
		refused = p.stats.Total.Rejected.Packets
	}
	line := fmt.Sprintf("%s%s of %s are listed", name, table.Grouped(l.Packets), table.Count(l.Seen, "packet"))
	if uint64(l.Refused) == refused {
		line += ", among them all that were refused"
	} else {
		line += fmt.Sprintf(", among them %s of %s that were refused", table.Grouped(l.Refused), table.Grouped(refused))
	}
	var parts []string
	for i, t := range l.Thinned {
		if i == 6 {
			parts = append(parts, fmt.Sprintf("and so on for %s", table.Count(len(l.Thinned)-6, "more kind")))
			break
		}
		parts = append(parts, fmt.Sprintf("every %s of %s (%s of %s)", ordinal(t.Stride), t.What, table.Grouped(t.Kept), table.Grouped(t.Seen)))
	}
	pv.Lines = append(pv.Lines, line+". Left out evenly over the capture, the most frequent first: "+strings.Join(parts, ", ")+".")
}

func ordinal(n uint64) string {
	if n == 2 {
		return "2nd"
	}
	return table.Grouped(n) + "th"
}

// contents are the links to the sections.
func (v *view) contents() {
	add := func(to, text string) { v.Contents = append(v.Contents, link{to, text}) }
	add("overview", "Overview")
	for i := range v.Protocols {
		p := &v.Protocols[i]
		name := ""
		if p.Several {
			name = " of " + p.Summary.Name
		}
		if p.Time != nil {
			add("time-"+p.ID, "Time"+name)
		}
		if p.Compare != nil {
			add("compare-"+p.ID, "Against before"+name)
		}
		if p.Traffic != nil {
			add("traffic-"+p.ID, "Traffic"+name)
		}
		if p.Rejects != nil {
			add("rejects-"+p.ID, "Refused"+name)
		}
		if p.Bits != nil {
			add("bits-"+p.ID, "Bits"+name)
		}
		if p.Peers != nil {
			add("peers-"+p.ID, "Peers"+name)
		}
	}
	if v.Inferred != nil {
		add("inferred", "Draft")
	}
	if v.Diff != nil {
		add("differences", "Differences")
	}
	if v.Listing {
		add("packets", "Packets")
	}
	if len(v.Tests) > 0 {
		add("tests", "Audits and fuzzing")
	}
}
