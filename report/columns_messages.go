package report

import (
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/scan"
)

// messageColumn is the column of a name after `msg.`: a selector for each section that has such a field, and what the
// others have of that name. The error is that no message has it.
func messageColumn(p *plan.Plan, name string) (sections []*filter.Selector, other func(*Columns, *scan.Packet), err error) {
	sections = make([]*filter.Selector, len(p.Sections))
	some := false
	for i, section := range p.Sections {
		s, wrong := filter.NewSelector(section, name)
		switch {
		case wrong == nil:
			sections[i], some = s, true
		case err == nil || !strings.Contains(wrong.Error(), "unknown path"): // the section that has the name says what is wrong
			err = wrong
		}
	}
	switch {
	case name == "section":
		other = func(c *Columns, p *scan.Packet) { c.word(p.Trace.Plan.Schema.Message.Name) }
	case slices.Contains([]string{"bits", "verdict", "rejected", "accepted"}, name):
		other = envelopeColumns["pkt."+name]
	case name == "case" || strings.HasPrefix(name, "reject."):
		other = envelopeColumns[name]
	}
	if some || other != nil {
		return sections, other, nil
	}
	return nil, nil, err
}

// messages appends what the messages of a packet have, those that may be shown, and reports whether any has it.
func (c *Columns) messages(col *column, p *scan.Packet) (present bool) {
	for section, message := range p.InMessages {
		if s := col.sections[section]; s != nil {
			present = c.field(s, message.Trace, present)
			continue
		}
		if col.message == nil {
			continue
		}
		before := len(c.cell)
		if present {
			c.cell = append(c.cell, ';')
		}
		begun := len(c.cell)
		if col.message(c, message); len(c.cell) == begun {
			c.cell = c.cell[:before]
			continue
		}
		present = true
	}
	return present
}
