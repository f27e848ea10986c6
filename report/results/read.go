package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// Limits bound one input. The zero Limits are the defaults.
type Limits struct {
	Bytes   int64 // of all of it, unpacked; by default 256 MiB
	Object  int   // bytes of one object; by default saved.MaxObject
	Objects int   // by default 4096
}

func (l Limits) orDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 256 << 20
	}
	if l.Object <= 0 {
		l.Object = saved.MaxObject
	}
	if l.Objects <= 0 {
		l.Objects = 4096
	}
	return l
}

// Read reads a file of saved results, which may be packed with gzip or zstd: objects of any kinds, one after the
// other. name is what errors and findings call it. With an error the Set has what was read before it.
func Read(r io.Reader, name string, l Limits) (*Set, error) {
	s := &Set{}
	plain := pcap.Decompress(r)
	defer plain.Close()
	in := newSplitter(plain, l.orDefaults())
	defer func() { s.read = in.read }()
	for {
		object, line, err := in.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.object(object, name)
		}
		if err != nil {
			return s, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
	if in.objects == 0 {
		return s, fmt.Errorf("%s: no saved results: the file is empty", name)
	}
	return s, nil
}

// head tells the kinds of objects apart.
type head struct {
	Version  int    `json:"schema_version"`
	Kind     string `json:"kind"`
	Protocol string `json:"protocol"`
	// Audits and campaigns had no kind once.
	Hostile  *json.RawMessage `json:"hostile"`
	Coverage *json.RawMessage `json:"coverage"`
	Verdict  *json.RawMessage `json:"verdict"`
	Rule     *json.RawMessage `json:"rule"`
}

// object adds one object to the set. Its bytes are not kept.
func (s *Set) object(b []byte, name string) error {
	var h head
	if err := decodeJSON(b, &h); err != nil {
		return err
	}
	if h.Version != saved.Version {
		return fmt.Errorf("saved results of version %d: want %d", h.Version, saved.Version)
	}
	switch {
	case h.Kind == stats.Kind:
		return s.statistics(b)
	case h.Kind == budget.Kind:
		return s.budget(b)
	case h.Kind == rejects.Kind:
		r, err := readRejects(b)
		if err != nil {
			return err
		}
		return s.AddRejects(r)
	case h.Kind == report.KindAudit, h.Kind == "" && h.Hostile != nil:
		a, err := readAudit(b)
		if err != nil {
			return err
		}
		return add(s, &s.Audits, auditKind, a)
	case h.Kind == report.KindFuzz, h.Kind == "" && h.Coverage != nil:
		c, err := readCampaign(b)
		if err != nil {
			return err
		}
		return add(s, &s.Campaigns, campaignKind, c)
	case h.Verdict != nil:
		return errors.New("packets, from decode -T json: want saved results, or the capture itself")
	case h.Kind != "" && h.Rule != nil:
		f, err := readFinding(b, name)
		if err != nil {
			return err
		}
		return s.addFinding(f)
	}
	return errNoJSON
}

// decodeJSON decodes one object. The error has nothing of its text.
func decodeJSON(b []byte, into any) error {
	err := json.Unmarshal(b, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at byte %d of the object", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("a value of the wrong kind at byte %d of the object", kind.Offset)
	}
	return errors.New("an object that cannot be read")
}

func (s *Set) statistics(b []byte) error {
	if bytes.IndexByte(b, '\n') >= 0 { // whoever made it pretty
		var line bytes.Buffer
		if err := json.Compact(&line, b); err != nil {
			return errors.New("no JSON")
		}
		b = line.Bytes()
	}
	list, err := stats.Read(bytes.NewReader(b))
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "line 1: "))
	}
	if err := s.AddStatistics(list...); err != nil {
		return err
	}
	var in struct {
		ByRule json.RawMessage `json:"by_rule"`
	}
	if err := decodeJSON(b, &in); err != nil || len(in.ByRule) == 0 {
		return err
	}
	r, err := readRejects(in.ByRule)
	if err != nil {
		return fmt.Errorf("by_rule: %w", err)
	}
	if want := list[0].Protocol(); r.Protocol != want { // the object is one line, which is of one protocol
		return fmt.Errorf("by_rule.protocol: want %q, which the part is of", want)
	}
	return s.AddRejects(r)
}

func (s *Set) budget(b []byte) error {
	list, err := budget.Read(bytes.NewReader(b))
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "budget 1: "))
	}
	return s.AddBudgets(list...)
}

// check is the checking of numbers and words from outside; the first thing wrong stays.
type check struct{ wrong error }

func (c *check) that(ok bool, format string, args ...any) {
	if !ok && c.wrong == nil {
		c.wrong = fmt.Errorf(format, args...)
	}
}

func (c *check) counts(what string, numbers ...int64) {
	for _, n := range numbers {
		c.that(n >= 0 && n <= saved.MaxCount, "%s: a count that is none", what)
	}
}

// word checks a kind: a name in kebab-case, which may be one of a later version.
func (c *check) word(what, word string) {
	ok := len(word) > 0 && len(word) <= 32 && word[0] != '-'
	for i := range len(word) {
		ok = ok && (word[i] >= 'a' && word[i] <= 'z' || word[i] == '-')
	}
	c.that(ok, "%s: a kind that is none", what)
}

// maxColumn is the greatest line or column of a schema: one after its last byte.
const maxColumn = syntax.MaxSource + 1

func (c *check) name(what, name string) {
	c.that(name != "" && len(name) <= saved.MaxName, "%s: want 1..%d bytes, got %d", what, saved.MaxName, len(name))
}

func (c *check) place(p *saved.Place) {
	if p != nil {
		c.name("place", p.File)
		c.that(len(p.Stable) <= 2*saved.MaxName, "place: a name that is too long")
		c.that(p.Line >= 1 && p.Line <= maxColumn && p.Column >= 1 && p.Column <= maxColumn, "place: a line or column that is none")
	}
}

func (c *check) schema(s *saved.SchemaRef) {
	err := s.Check()
	c.that(err == nil, "%v", err)
}

// beside is the file with another ending beside a finding's, where the finding's own name ends in .json.
func beside(name, ending string) string {
	if base, ok := strings.CutSuffix(name, ".json"); ok && path.Base(name) != ".json" {
		return base + ending
	}
	return ""
}
