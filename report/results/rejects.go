package results

import (
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

func readRejects(b []byte) (*rejects.Result, error) {
	r := &rejects.Result{}
	if err := decodeJSON(b, r); err != nil {
		return nil, err
	}
	var c check
	c.name("protocol", r.Protocol)
	c.schema(r.Schema)
	c.that(r.Packets <= saved.MaxCount && r.Rejected <= r.Packets, "rejects: counts that are none")
	c.that(len(r.Rows) <= rejects.MaxRows, "rejects: want at most %d rules", rejects.MaxRows)
	c.that(r.Senders() <= rejects.MaxSenders, "rejects: want at most %d senders", rejects.MaxSenders)
	r.Incomplete = cleaned(r.Incomplete)
	left := r.Rejected
	for i := range r.Rows {
		row := &r.Rows[i]
		c.name("rule", row.Rule)
		c.word("rule", row.Kind)
		c.place(row.Place)
		c.that(row.Packets <= left, "rejects: counts that do not fit together")
		left -= min(left, row.Packets)
		left := row.Packets
		for _, s := range row.Senders {
			c.that(s.Packets <= left && s.N >= 0 && len(s.File) <= saved.MaxName, "rejects: a sender that is none")
			left -= min(left, s.Packets)
		}
		e := &row.First
		c.that(e.Bit >= decode.Hidden && e.Bit <= 8*schema.MaxMessage && e.Width >= decode.Hidden && int64(e.Width) <= saved.MaxCount, "rejects: bits outside of every packet")
		c.that(e.N >= 0 && len(e.File) <= saved.MaxName, "rejects: a packet that is none")
		c.that(e.Time.IsZero() || e.Time.Equal(time.Unix(0, e.Time.UnixNano())), "rejects: a time that is none")
	}
	c.that(len(r.Files) <= rejects.MaxFiles, "rejects: want at most %d files", rejects.MaxFiles)
	for _, f := range r.Files {
		c.name("file", f.File)
		c.that(f.Packets <= r.Packets && f.Rejected <= f.Packets && f.Cut <= f.Packets, "file: counts that do not fit together")
	}
	c.that(r.More <= left, "rejects: counts that do not fit together")
	return r, c.wrong
}

// AddRejects adds rejects.
func (s *Set) AddRejects(list ...*rejects.Result) error {
	return add(s, &s.Rejects, rejectsKind, list...)
}

// HasRejectsOf reports whether the set has the rejects by rule of what statistics are of.
func (s *Set) HasRejectsOf(one *stats.Segments) bool {
	return slices.ContainsFunc(s.Rejects, func(r *rejects.Result) bool {
		return r.Protocol == one.Protocol() && (one.Schema() == nil || hashOf(r.Schema) == one.Schema().Hash)
	})
}
