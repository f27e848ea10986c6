package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

var update = flag.Bool("update", false, "write testdata anew")

// evil is what a stranger writes wherever there is room for text.
const evil = "<script>alert(1)</script></script><!--<img src=x onerror=alert(2)>\"'`{{.Policy}}&lt;\u202e=1+1\x1b[31m\x00\u2028"

const hostileSchema = `protocol hostile
order msb
enum Kind : uint8 { Say = 1, Count = 2 }
packet {
    kind Kind
    body switch kind {
        Say: { n uint8, reason bytes(n) @text }
        Count: { x uint8 in 0..9 @unit("<b>\u202e"), token bytes(4) @secret }
    }
}
expect timeout 1s
`

// hostileReport has a stranger's text wherever a report can.
func hostileReport(t testing.TB) *Report {
	t.Helper()
	m := newMaker(compile(t, strings.ReplaceAll(hostileSchema, `\u202e`, "\u202e")), 0)
	say := append([]byte{1, byte(len(evil))}, evil...)
	m.send(1, "10.0.0.2:5000", "10.0.0.1:4000", say)
	m.send(2, "10.0.0.2:5000", "10.0.0.1:4000", []byte{2, 5, 0xde, 0xad, 0xbe, 0xef})
	m.send(3, "10.0.0.66:6666", "10.0.0.1:4000", []byte{2, 99, 0xde, 0xad, 0xbe, 0xef})
	m.send(4, "10.0.0.66:6666", "10.0.0.1:4000", []byte{7})
	m.send(5, "10.0.0.66:6666", "10.0.0.1:4000", say[:9])
	r := m.report(t)
	for _, g := range r.Packets[0].groups {
		for i := range g.list {
			g.list[i].packet.File = evil
		}
	}
	for _, row := range r.Results.Rejects[0].Rows {
		row.Senders[0].File = evil
	}
	r.Results.Rejects[0].Files = append(r.Results.Rejects[0].Files, rejects.File{File: evil})
	place := &saved.Place{File: evil, Line: 1, Column: 2}
	finding := report.SavedFinding{
		Kind: evil, Rule: evil, Reject: evil, Path: evil, Changed: evil, Done: evil, Want: evil, Got: evil, Report: evil + "\n" + evil, From: evil,
		Bytes: 3, Packet: evil, Count: -1, Before: []report.SavedPacket{{From: evil, Packet: evil}}, Replay: evil, Place: place,
	}
	rule := report.SavedRule{Rule: evil, Kind: evil, Tried: 3, Right: 2, Classes: []string{evil}, Place: place}
	r.Title, r.Tool, r.Remarks, r.Sources = evil, evil, []string{evil}, []Source{{evil, evil}}
	states := &report.SavedStates{States: []string{evil}, Cases: []string{evil}, Cells: []report.SavedState{{State: evil, Case: evil, Word: evil, Answers: []string{evil}, Allowed: true}}}
	r.Results.Audits = []*report.SavedAudit{{
		States: states,
		Header: saved.Header{Protocol: evil, Target: evil}, Rules: []report.SavedRule{rule}, Findings: []report.SavedFinding{finding}, Unreached: []string{evil}, Packets: -1, Steps: 5, MaxSteps: 9,
	}}
	r.Results.Campaigns = []*report.SavedCampaign{{
		Header: saved.Header{Protocol: evil, Target: evil}, Seconds: 1e300, Rules: []report.SavedReach{{Rule: evil, Reached: -1, Of: 2}}, Findings: []report.SavedFinding{finding},
	}}
	finding.Rule += "2" // of a file alone
	r.Results.Findings = []*results.Finding{{SavedFinding: finding, Protocol: evil, Target: evil, Source: evil, Capture: evil}}
	r.Results.Rejects = append(r.Results.Rejects, &rejects.Result{Header: saved.Header{Protocol: evil}, Rejected: 3, Rows: []rejects.Row{{
		Rule: evil, Kind: evil, Packets: 3, First: rejects.Example{File: evil, Path: evil, Message: evil},
	}}})
	return r
}

// held checks what is true of every page: nothing in it but the elements and attributes of the templates, its own style
// and script under their hashes, no character that shows as something else.
func held(t *testing.T, page []byte) {
	t.Helper()
	for _, r := range string(page) {
		if r != '\n' && (!unicode.IsPrint(r) || unicode.IsMark(r)) {
			t.Fatalf("%U is in the page", r)
		}
	}
	policy := ""
	scripts := 0
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			if kind == html.CommentToken {
				t.Errorf("a comment: %s", z.Raw())
			}
			continue
		}
		token := z.Token()
		if !elements[token.Data] {
			t.Errorf("an element %s", token)
		}
		if token.Data == "script" {
			scripts++
		}
		for _, a := range token.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("an attribute %s of %s", a.Key, token.Data)
			}
			if a.Key == "content" && strings.HasPrefix(a.Val, "default-src") {
				policy = a.Val
			}
		}
	}
	if scripts != 2 {
		t.Errorf("%d scripts, want the data and ours", scripts)
	}
	for _, block := range [][]byte{styleBlock.FindSubmatch(page)[1], scriptBlock.FindSubmatch(page)[1]} {
		sum := sha256.Sum256(block)
		if want := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, "'sha256-"+want+"'") {
			t.Errorf("the policy %q has no hash %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

var elements = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`html head meta title style body a header h1 p div span button code nav ul li main section h2 h3 h4 dl dt dd strong
		figure figcaption svg g rect path details summary table caption thead tr th tbody td noscript canvas form label input select option pre article footer script`) {
		set[name] = true
	}
	return set
}()

func TestHostileText(t *testing.T) {
	page := write(t, hostileReport(t))
	held(t, page)
	shown := styleBlock.ReplaceAll(scriptBlock.ReplaceAll(page, []byte("<script>…</script>")), []byte("<style>…</style>"))
	const name = "testdata/hostile.html"
	// The hashes change with every line of style and script.
	shown = []byte(strings.NewReplacer(hashOf(style), "'sha256-…'", hashOf(script), "'sha256-…'", inAttribute(hashOf(style)), "'sha256-…'", inAttribute(hashOf(script)), "'sha256-…'").Replace(string(shown)))
	if *update {
		if err := os.WriteFile(name, shown, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(want, shown) {
		t.Errorf("%v: the page is not %s; go test -update writes it anew, then look at what changed", err, name)
	}
	for _, text := range []string{"alert(1)\\u003c/script", "x onerror", "\\\\u202e"} {
		if !bytes.Contains(page, []byte(text)) {
			t.Errorf("the page does not show %q", text)
		}
	}
}

// inAttribute is text as html/template writes it in an attribute.
func inAttribute(s string) string { return strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(s) }

func TestEmptyReports(t *testing.T) {
	for name, r := range map[string]*Report{
		"nothing":    {},
		"a set":      {Results: &results.Set{}},
		"no packets": newMaker(builtin(t, "rtype"), 0).report(t),
		"no audit":   {Results: &results.Set{Audits: []*report.SavedAudit{{}}, Campaigns: []*report.SavedCampaign{{}}}},
	} {
		page := write(t, r)
		held(t, page)
		if !bytes.Contains(page, []byte(`id="overview"`)) || len(readData(t, page).Packets) != 0 {
			t.Error(name)
		}
	}
}

// What was saved has no packets; the page says so, and has everything else.
func TestSavedResults(t *testing.T) {
	m := captured(t, "rtype", 0)
	counter := rejects.NewCounter(m.plan, "test")
	finder := counter.NewFinder()
	var batch rejects.Batch
	for _, k := range m.collector.packets() {
		p := k.packet
		p.Trace = &m.trace
		m.decoder.Read(&decode.Packet{Data: k.payload, Size: k.size, From: decode.Client}, &m.trace)
		finder.Add(&batch, &p)
	}
	r := m.report(t)
	r.Packets = nil
	counter.Take(&batch)
	if err := r.Results.AddRejects(counter.Result()); err != nil {
		t.Fatal(err)
	}
	page := write(t, r)
	held(t, page)
	for _, want := range []string{"There are no packets in this report: saved results have none.", "10.7.0.66:6666", "11 × out-of-range", "body&lt;JoinGame&gt;.ship_skin", "MissileState.y"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
}

// What an audit and a campaign both found is one mistake, as in the other forms; of another target it is another.
func TestMistakesAreCountedOnce(t *testing.T) {
	const finding = `"findings":[{"kind":"crash","rule":"count","reject":"past-end","from":"client","count":2}]}` + "\n"
	savedAgain := func(kind, target string) string {
		return `{"schema_version":1,"kind":"` + kind + `","protocol":"p","target":"` + target + `",` + finding
	}
	for _, row := range []struct{ saved, want string }{
		{savedAgain("audit", "t") + savedAgain("fuzz", "t"), "found 1 mistake."},
		{savedAgain("audit", "t") + savedAgain("fuzz", "other"), "found 2 mistakes."},
	} {
		set, err := results.Read(strings.NewReader(row.saved), "x", results.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if page := write(t, &Report{Results: set}); !bytes.Contains(page, []byte(row.want)) {
			t.Errorf("no %q of %s", row.want, row.saved)
		}
	}
}

// The page says in words who attacked with what, and which field wastes most.
func TestWordsOfTheFirstScreen(t *testing.T) {
	need.OneGoroutine(t)
	page := string(write(t, captured(t, "rtype", 0).report(t)))
	_, page, _ = strings.Cut(page, `id="overview"`)
	page, _, _ = strings.Cut(page, `<section`)
	for _, want := range []string{
		"34 of 1,800 packets (1.9 %) were refused, all of them from one sender that sends little else: it looks like an attack.",
		"10.7.0.66:6666", "sent 36 packets, of which 34 were refused", "11 × past-end: ends before a field that must be there",
		"MissileState.x", "int(0..4095)", "saves 26.4 bits a packet", "takes most is <code>timestamp</code>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

// A secret is nowhere: not in a field, not in the payload, not after the bit at which a packet was refused.
func TestSecretsAreMasked(t *testing.T) {
	p := builtin(t, "rtype")
	var join []byte
	for _, seed := range corpus.Seeds("rtype") {
		if len(seed.Data) == 51 && seed.Data[0] == 0 && seed.Data[1] == 0x10 {
			join = seed.Data
		}
	}
	if join == nil {
		t.Fatal("no JoinGame among the seeds")
	}
	for i := range 32 {
		join[12+i] = byte(0xa1 + i)
	}
	m := newMaker(p, 0)
	n := int64(0)
	for size := range len(join) + 1 {
		n++
		m.send(n, "10.0.0.2:5000", "10.0.0.1:4124", join[:size])
	}
	page := write(t, m.report(t))
	d := readData(t, page)
	if len(d.Packets) != len(join)+1 {
		t.Fatalf("%d packets", len(d.Packets))
	}
	for _, one := range d.Packets {
		payload := d.payload(t, one)
		for i := range 31 {
			if bytes.Contains(payload, join[12+i:12+i+2]) {
				t.Fatalf("packet %v: bytes %d of the secret are in its payload", one[1], i)
			}
			if text := hex.EncodeToString(join[12+i : 12+i+4]); strings.Contains(string(page), text) {
				t.Fatalf("%s of the secret is in the page", text)
			}
		}
	}
	if !bytes.Contains(page, []byte("‹secret 32 B›")) {
		t.Error("no mask")
	}
}

// Saved results are as long as a stranger makes them; the page is not.
func TestBoundsOfSavedResults(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of long names; TestDifferencesAreBounded has a bound")
	}
	need.OneGoroutine(t)
	long := strings.Repeat("<\u202e", 1<<14)
	var findings []report.SavedFinding
	var rules []report.SavedRule
	var unreached []string
	for range 700 {
		findings = append(findings, report.SavedFinding{Kind: long, Path: long, Want: long, Report: strings.Repeat("x\n", 1000), Replay: long, Packet: long})
		rules = append(rules, report.SavedRule{Rule: long, Kind: "valid", Tried: 2})
		unreached = append(unreached, long)
	}
	set := &results.Set{}
	for i := range 1000 {
		set.Audits = append(set.Audits, &report.SavedAudit{Header: saved.Header{Protocol: long}, Unreached: unreached[:2], Rules: rules[:2]})
		set.Rejects = append(set.Rejects, &rejects.Result{Header: saved.Header{Protocol: strings.Repeat("p", i)}})
	}
	set.Audits[0].Findings, set.Audits[0].Rules, set.Audits[0].Unreached = findings, rules, unreached
	r := &Report{Results: set, Remarks: unreached}
	for range 5000 {
		r.Sources = append(r.Sources, Source{long, "audit"})
	}
	page := write(t, r)
	held(t, page)
	if len(page) > 16<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for _, want := range []string{"too large: 968 more protocols.", "too large: 936 more audits.", "and 200 more findings", "and 200 more rules", "and 4,960 more files"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
}
