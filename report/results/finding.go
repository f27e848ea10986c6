package results

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report/saved"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// Finding is one mistake of a reader, with what it is about.
type Finding struct {
	report.SavedFinding
	Protocol string
	Target   string           // "" where the file does not say
	Schema   *saved.SchemaRef // nil where the file does not say
	Version  string           // of the program that found it
	Tool     string           // KindAudit or KindFuzz
	Source   string           // the finding's own file; "" of one that is in an audit or a campaign
	Capture  string           // what the capture beside that file is called, "" where there is none
}

func readFinding(b []byte, name string) (*Finding, error) {
	var in report.SavedFile
	if err := decodeJSON(b, &in); err != nil {
		return nil, err
	}
	in.SavedFinding.Kind = in.Kind
	f := &Finding{SavedFinding: in.SavedFinding, Protocol: in.Protocol, Target: in.Target, Schema: in.Schema, Version: in.Tool, Tool: report.KindFuzz,
		Source: name, Capture: beside(name, ".pcapng")}
	var c check
	c.name("protocol", f.Protocol)
	c.that(len(f.Target) <= saved.MaxName, "target: want at most %d bytes", saved.MaxName)
	c.schema(f.Schema)
	c.finding(&f.SavedFinding)
	return f, c.wrong
}

// Bounds of a finding's dialogue: a .pkd file has fewer of both, but for what masks its secrets.
const (
	maxDialogue = 128 << 10 // bytes
	maxNames    = 128
)

// file is what is saved.
func (f *Finding) file() *report.SavedFile {
	return report.NewSavedFile(saved.Header{SchemaVersion: saved.Version, Tool: f.Version, Protocol: f.Protocol, Schema: f.Schema, Target: f.Target}, &f.SavedFinding)
}

// findings checks those of an audit or a campaign.
func (c *check) findings(found, known []report.SavedFinding, gone []string) {
	for _, list := range [][]report.SavedFinding{found, known} {
		for i := range list {
			c.finding(&list[i])
		}
	}
	for _, name := range gone {
		c.that(len(name) <= 2*saved.MaxName, "known mistake: want a name of at most %d bytes", 2*saved.MaxName)
	}
}

// finding checks a finding.
func (c *check) finding(f *report.SavedFinding) {
	c.word("finding", f.Kind)
	c.name("finding's rule", f.Rule)
	if f.Reject != "" {
		c.word("finding's reject", f.Reject)
	}
	c.that(f.Bit >= decode.Hidden && f.Bit <= 8*fuzz.MaxPacket && f.Width >= decode.Hidden && int64(f.Width) <= saved.MaxCount, "finding: bits outside of every packet")
	c.that(f.Bytes >= 0 && f.Bytes <= fuzz.MaxPacket, "finding: want a packet of at most %d bytes", fuzz.MaxPacket)
	c.counts("finding", int64(f.Count))
	c.that(len(f.Before) <= fuzz.MaxBefore, "finding: want at most %d packets before it", fuzz.MaxBefore)
	_, err := oracle.ParseUndone(f.Undone)
	c.that(err == nil, "finding: undone: %v", err)
	c.packet(f.From, f.Packet)
	for i := range f.Before {
		c.packet(f.Before[i].From, f.Before[i].Packet)
	}
	c.place(f.Place)
	c.that(len(f.Cause) <= saved.MaxName, "finding: cause: want at most %d bytes", saved.MaxName)
	c.that(len(f.Places) <= fuzz.MaxPlaces, "finding: places: want at most %d", fuzz.MaxPlaces)
	for _, place := range f.Places {
		c.that(len(place) <= saved.MaxName, "finding: places: want at most %d bytes", saved.MaxName)
	}
	if d := f.Dialogue; d != nil {
		c.that(len(d.Text) <= maxDialogue && len(d.Names) <= maxNames, "finding: dialogue: want at most %d bytes and %d names", maxDialogue, maxNames)
		for _, n := range d.Names {
			c.name("name of the dialogue", n.Name)
			c.that(len(n.Value) <= maxDialogue, "finding: dialogue: want values of at most %d bytes", maxDialogue)
		}
	}
	c.that(len(f.Stack) <= fuzz.MaxFrames, "finding: stack: want at most %d frames", fuzz.MaxFrames)
	for i := range f.Stack {
		frame := &f.Stack[i]
		c.that(len(frame.Function) <= fuzz.MaxFrameText && len(frame.File) <= fuzz.MaxFrameText, "finding: stack: want names of at most %d bytes", fuzz.MaxFrameText)
		c.that(frame.Line >= 0 && frame.Line <= fuzz.MaxFrameLine, "finding: stack: a line that is none")
	}
}

func (c *check) packet(from, hex string) {
	c.that(from == "client" || from == "server" || from == "unknown", "finding: from: want client, server or unknown")
	ok := len(hex)%2 == 0 && len(hex) <= 2*fuzz.MaxPacket
	for i := range len(hex) {
		ok = ok && (hex[i] >= '0' && hex[i] <= '9' || hex[i] >= 'a' && hex[i] <= 'f' || hex[i] >= 'A' && hex[i] <= 'F')
	}
	c.that(ok, "finding: packet: want pairs of hexadecimal digits, at most %d", fuzz.MaxPacket)
}

func (s *Set) addFinding(f *Finding) error {
	if s.found == nil {
		s.found = map[placedKey]*Finding{}
	}
	if known := s.found[f.key()]; known != nil {
		count := saved.Sum(known.Count, f.Count)
		if better(&f.SavedFinding, &known.SavedFinding) {
			*known = *f
		}
		known.Count = count
		return nil
	}
	if len(s.Findings) == maxFindings {
		return tooMany("findings", maxFindings)
	}
	s.found[f.key()] = f
	s.Findings = append(s.Findings, f)
	return nil
}

type placedKey struct{ finding, protocol, target, hash string }

func (f *Finding) key() placedKey {
	return placedKey{f.SavedFinding.Key(), f.Protocol, f.Target, hashOf(f.Schema)}
}

// mergeFindings adds what o has: each mistake once, with the simplest packet that shows it.
func mergeFindings(list, o []report.SavedFinding) []report.SavedFinding {
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].Key()] = i
	}
	for i := range o {
		f := &o[i]
		n, ok := at[f.Key()]
		if !ok {
			at[f.Key()] = len(list)
			list = append(list, *f)
			continue
		}
		count := saved.Sum(list[n].Count, f.Count)
		if better(f, &list[n]) {
			list[n] = *f
		}
		list[n].Count = count
	}
	return list
}

// mergeKnown merges what is known of two results. A mistake that one of them did not accept is a finding.
func mergeKnown(findings, known []report.SavedFinding, o []report.SavedFinding) (_, left []report.SavedFinding) {
	known = mergeFindings(known, o)
	at := make(map[string]int, len(findings))
	for i := range findings {
		at[findings[i].Key()] = i
	}
	for i := range known {
		if _, ok := at[known[i].Key()]; ok {
			findings = mergeFindings(findings, known[i:i+1])
		} else {
			left = append(left, known[i])
		}
	}
	return findings, left
}

// better reports whether a shows a mistake better than b does, whichever came first.
func better(a, b *report.SavedFinding) bool {
	return cmp.Or(cmp.Compare(len(a.Before), len(b.Before)), cmp.Compare(a.Bytes, b.Bytes), strings.Compare(a.Packet, b.Packet), compareFindings(a, b)) < 0
}

func sortFindings(list []report.SavedFinding) {
	slices.SortStableFunc(list, func(a, b report.SavedFinding) int { return compareFindings(&a, &b) })
}

func compareFindings(a, b *report.SavedFinding) int {
	return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Reject, b.Reject),
		strings.Compare(a.Path, b.Path), strings.Compare(a.Want, b.Want), strings.Compare(a.Got, b.Got))
}

// AllKnown lists the findings of audits and of campaigns that are accepted. The order is that of the lists.
func (s *Set) AllKnown() (list []*Finding) {
	for _, a := range s.Audits {
		for _, f := range a.KnownMistakes {
			list = append(list, &Finding{SavedFinding: f, Protocol: a.Protocol, Target: a.Target, Schema: a.Schema, Version: a.Tool, Tool: report.KindAudit})
		}
	}
	for _, c := range s.Campaigns {
		for _, f := range c.KnownMistakes {
			list = append(list, &Finding{SavedFinding: f, Protocol: c.Protocol, Target: c.Target, Schema: c.Schema, Version: c.Tool, Tool: report.KindFuzz})
		}
	}
	return list
}

// Gone names the mistakes that are accepted and were not seen.
func (s *Set) Gone() (names []string) {
	for _, a := range s.Audits {
		names = append(names, a.Gone...)
	}
	for _, c := range s.Campaigns {
		names = append(names, c.Gone...)
	}
	return names
}

// AllFindings lists the findings of audits, of campaigns and of files of their own. One of them that also has a file,
// as with --findings, is listed once, with the file. The order is that of the lists, files last.
func (s *Set) AllFindings() []*Finding {
	var list []*Finding
	at := map[placedKey]*Finding{}
	add := func(f *Finding) {
		list = append(list, f)
		at[f.key()] = f // of what both found, the campaign's
	}
	for _, a := range s.Audits {
		for _, f := range a.Findings {
			add(&Finding{SavedFinding: f, Protocol: a.Protocol, Target: a.Target, Schema: a.Schema, Version: a.Tool, Tool: report.KindAudit})
		}
	}
	for _, c := range s.Campaigns {
		for _, f := range c.Findings {
			add(&Finding{SavedFinding: f, Protocol: c.Protocol, Target: c.Target, Schema: c.Schema, Version: c.Tool, Tool: report.KindFuzz})
		}
	}
	for _, f := range s.Findings {
		if known := at[f.key()]; known != nil {
			known.Source, known.Capture = f.Source, f.Capture
			continue
		}
		list = append(list, f)
	}
	return list
}
