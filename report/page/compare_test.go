package page

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report/results"
)

// Two runs beside each other: what was planned to be worse is told as worse.
func TestCompare(t *testing.T) {
	need.OneGoroutine(t)
	r := session{lostOf: 10, latency: 120}.make(t).report(t)
	before := planned(t).report(t)
	r.Against, r.AgainstName = before.Results, "old.json"
	v := newView(r)
	c := v.Protocols[0].Compare
	if c == nil || c.Before != "old.json" || len(c.Tables) == 0 {
		t.Fatalf("%+v", c)
	}
	find := func(name string) changeRow {
		at := slices.IndexFunc(c.Tables[0].Rows, func(r changeRow) bool { return r.Name == name })
		if at < 0 {
			t.Fatalf("no %q in %+v", name, c.Tables[0].Rows)
		}
		return c.Tables[0].Rows[at]
	}
	for _, want := range []changeRow{
		{Name: "lost from client", Before: "5.0 %", Now: "10.0 %", Change: "+100.0 %", Tone: "worse"},
		{Name: "lost from server", Before: "0 %", Now: "0 %", Change: "same"},
		{Name: "RTT from Input.n, p50", Before: "81 ms", Now: "121 ms", Change: "+49.6 %", Tone: "worse"},
		{Name: "silences", Before: "1", Now: "1", Change: "same"},
	} {
		got := find(want.Name)
		want.by, want.Change = got.by, strings.Replace(want.Change, "+49.6 %", got.Change, 1) // within a sketch's error
		if got != want {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
	lines := map[string]string{}
	for _, p := range v.Protocols[0].Time.Plots {
		for _, m := range p.Marks {
			lines[p.ID] += m.Name + " " + m.Sum + "|"
		}
		if n := strings.Count(string(p.Picture), " was\""); n != strings.Count(lines[p.ID], "before") {
			t.Errorf("%s: %d lines of before in the picture, the legend has %s", p.ID, n, lines[p.ID])
		}
	}
	for id, want := range map[string]string{
		"time-0-loss": "sent by client 10.0 %|sent by server 0 %|sent by client before 5.0 %|sent by server before 0 %|",
		"time-0-rtt":  "p99 |p50 |p99 before |p50 before |", "time-0-jitter": "p99 |p50 |p99 before |p50 before |",
		"time-0-bits": "payload 336 kbit|payload before 339 kbit|", "time-0-sizes": "largest |mean |largest before |mean before |",
	} {
		if lines[id] != want {
			t.Errorf("%s: %s, want %s", id, lines[id], want)
		}
	}
	if !strings.HasSuffix(lines["time-0-packets"], "|all before 2,289|") || len(v.Protocols[0].Time.Notes) != 1 {
		t.Errorf("%s %q", lines["time-0-packets"], v.Protocols[0].Time.Notes)
	}
	page := write(t, r)
	held(t, page)
	// What is saved of before draws the same.
	r.Against = savedAgain(t, before).Results
	if !bytes.Equal(write(t, r), page) {
		t.Error("with saved results the page is another")
	}
	// The other way round it is better, and the same with itself.
	before.Against, before.AgainstName = r.Results, "new.json"
	c = newView(before).Protocols[0].Compare
	if got := find("lost from client"); got.Tone != "better" || got.Change != "-50.0 %" {
		t.Errorf("%+v", got)
	}
	self := planned(t).report(t)
	self.Against = self.Results
	c = newView(self).Protocols[0].Compare
	for _, table := range c.Tables {
		for _, row := range table.Rows {
			if row.Change != "same" || row.Tone != "" {
				t.Errorf("with itself: %+v", row)
			}
		}
	}
	if len(c.Tables) != 1 {
		t.Errorf("with itself %d tables", len(c.Tables))
	}
}

// What only one of both has is not new and not gone: results of `stats` have no budget.
func TestCompareWithoutBudget(t *testing.T) {
	r := planned(t).report(t)
	before := savedAgain(t, planned(t).report(t)).Results
	if before.Budgets == nil {
		t.Fatal("no budget")
	}
	before.Budgets = nil
	for _, row := range []struct {
		now, before *results.Set
		want        string
	}{
		{r.Results, before, "old.json has no budget of fields to compare with."},
		{before, r.Results, "This run has no budget of fields to compare with those of old.json."},
	} {
		one := &Report{Tool: r.Tool, Sources: r.Sources, Results: row.now, Against: row.before, AgainstName: "old.json"}
		c := newView(one).Protocols[0].Compare
		if len(c.Notes) != 1 || c.Notes[0] != row.want || slices.ContainsFunc(c.Tables, func(t changeTable) bool { return strings.HasPrefix(t.Title, "Fields") }) {
			t.Errorf("%q, %d tables; want %q", c.Notes, len(c.Tables), row.want)
		}
		if page := write(t, one); !strings.Contains(string(page), row.want) {
			t.Error("the page does not say so")
		}
	}
}

// What a stranger saved is text, of any protocol; and what there is nothing of is said.
func TestCompareHostile(t *testing.T) {
	r := hostileReport(t)
	r.Against, r.AgainstName = hostileReport(t).Results, evil
	held(t, write(t, r))
	r = planned(t).report(t)
	r.Against, r.AgainstName = hostileReport(t).Results, evil
	page := write(t, r)
	held(t, page)
	if !strings.Contains(string(page), "has nothing of planned to compare with.") {
		t.Error("the page does not say that there is nothing to compare with")
	}
}

// The lines of both runs are in the plots, and the legends tell them apart under the pointer.
func TestCompareInChromium(t *testing.T) {
	b := newBrowser(t)
	r := session{lostOf: 10, latency: 120}.make(t).report(t)
	r.Against, r.AgainstName = savedAgain(t, planned(t).report(t)).Results, "old.json"
	page := write(t, r)
	held(t, page)
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1440, 900, false}, {"dark", 1440, 900, true}, {"narrow", 400, 800, false}} {
		b.size(look.width, look.height)
		b.dark(look.dark)
		b.open(page, "")
		b.wait("document.querySelector('.readout').textContent !== ''")
		b.shot("against-"+look.name, true)
		if b.is("document.documentElement.scrollWidth > innerWidth") {
			t.Errorf("%s: the page scrolls sideways", look.name)
		}
	}
	if n := b.is("[...document.querySelectorAll('path.was')].length === 10 && [...document.querySelectorAll('path.was')].every((n) => n.getBoundingClientRect().width > 0 && getComputedStyle(n).stroke !== 'none')"); !n {
		t.Error("a line of before cannot be seen")
	}
	b.size(1440, 900)
	b.hover("#time-0-rtt svg.bars", 0.2)
	b.holds("#time-0-rtt .legend", "p50 121 ms", "p50 before 81.3 ms")
	b.quiet()
}
