package results

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

func readRejects(b []byte) (*Rejects, error) {
	r := &Rejects{}
	if err := decodeJSON(b, r); err != nil {
		return nil, err
	}
	var c check
	c.name("protocol", r.Protocol)
	c.schema(r.Schema)
	c.that(r.Packets <= maxCount && r.Rejected <= r.Packets, "rejects: counts that are none")
	c.that(len(r.Rows) <= maxRows, "rejects: want at most %d rules", maxRows)
	c.that(r.senders() <= maxSenders, "rejects: want at most %d senders", maxSenders)
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
			c.that(s.Packets <= left && s.N >= 0 && len(s.File) <= maxName, "rejects: a sender that is none")
			left -= min(left, s.Packets)
		}
		e := &row.First
		c.that(e.Bit >= decode.Hidden && e.Bit <= 8*fuzz.MaxPacket && e.Width >= decode.Hidden && e.Width <= maxCount, "rejects: bits outside of every packet")
		c.that(e.N >= 0 && len(e.File) <= maxName, "rejects: a packet that is none")
		year := e.Time.Year()
		c.that(e.Time.IsZero() || year >= 1700 && year < 2200, "rejects: a time that is none")
	}
	c.that(len(r.Files) <= maxFiles, "rejects: want at most %d files", maxFiles)
	for _, f := range r.Files {
		c.name("file", f.File)
		c.that(f.Packets <= r.Packets && f.Rejected <= f.Packets && f.Cut <= f.Packets, "file: counts that do not fit together")
	}
	c.that(r.More <= left, "rejects: counts that do not fit together")
	return r, c.wrong
}

// AddRejects adds rejects.
func (s *Set) AddRejects(list ...*Rejects) error { return add(s, &s.Rejects, rejectsKind, list...) }

// merge adds what o has.
func (r *Rejects) merge(o *Rejects) {
	r.Tool = max(r.Tool, o.Tool)
	r.Incomplete.Add(o.Incomplete...)
	r.Packets = plus(r.Packets, o.Packets)
	r.Rejected = plus(r.Rejected, o.Rejected)
	r.More = plus(r.More, o.More)
	r.addRows(o.Rows)
	r.addFiles(o.Files)
	r.MoreFiles = r.MoreFiles || o.MoreFiles
}
