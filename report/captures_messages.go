package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/diff"
)

// The messages of two captures. Their fields are not shown: `decode -Y` shows the packet that completed one.

// onlyMessages shows the messages that one capture has alone.
func (c *Captures) onlyMessages() error {
	for side, list := range c.matching.Messages.Only {
		if len(list) == 0 || c.hidden(1) {
			continue
		}
		b := c.b[:0]
		if !c.JSON {
			b = fmt.Appendf(b, "only in %s: %s\n", syntax.EscapeText(c.Files[side]), syntax.Count(len(list), "message"))
		}
		for i := range list {
			if c.hidden(int64(i + 1)) {
				if !c.JSON {
					b = fmt.Appendf(b, "and %d more (-c)\n", len(list)-i)
				}
				break
			}
			one := c.matching.OnlyMessage(side, i)
			b = c.message(b, side, &one)
		}
		if !c.JSON {
			b = append(b, '\n')
		}
		c.b = b
		if _, err := c.Out.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// message appends a message that one capture has alone.
func (c *Captures) message(b []byte, side int, m *diff.OnlyMessage) []byte {
	section := c.Decoders.At(m.Protocol).Schema().Sections[m.Section].Name
	if !c.JSON {
		b = fmt.Appendf(b, "%s %d B of packet %d, %s → %s", syntax.EscapeText(section), m.Size, m.N, m.Src, m.Dst)
		if m.Again {
			b = append(b, ", which the other has less often"...)
		}
		return append(b, '\n')
	}
	b = syntax.AppendJSON(append(b, `{"schema_version":1,"kind":"only_message","in":`...), syntax.EscapeText(c.Files[side]))
	b = strconv.AppendInt(append(b, `,"n":`...), m.N, 10)
	b = m.Src.AppendTo(append(b, `,"src":"`...))
	b = m.Dst.AppendTo(append(b, `","dst":"`...))
	b = syntax.AppendJSON(append(b, `","section":`...), section)
	b = strconv.AppendInt(append(b, `,"bits":`...), 8*int64(m.Size), 10)
	return append(strconv.AppendBool(append(b, `,"again":`...), m.Again), "}\n"...)
}

// messagesSummary says in lines which messages both captures have.
func (c *Captures) messagesSummary(b *strings.Builder) {
	m := &c.matching.Messages
	if m.TooMany {
		fmt.Fprintf(b, "messages: more than %d in a capture, none was compared\n", diff.MaxMessages)
		return
	}
	fmt.Fprintf(b, "%s in both", syntax.Count(m.Same, "message"))
	if m.Reordered > 0 {
		fmt.Fprintf(b, ", %d in another order", m.Reordered)
	}
	for side, only := range m.Only {
		again := 0
		for i := range only {
			if c.matching.OnlyMessage(side, i).Again {
				again++
			}
		}
		fmt.Fprintf(b, "; only in %s: %d", syntax.EscapeText(c.Files[side]), len(only))
		if again > 0 {
			fmt.Fprintf(b, " (%d less often in the other)", again)
		}
	}
	b.WriteByte('\n')
	if m.Unread > 0 {
		fmt.Fprintf(b, "not compared: %s of packets with more than are looked at\n", syntax.Count(m.Unread, "message"))
	}
}
