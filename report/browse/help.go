package browse

import "strings"

const helpText = `Tab, Shift-Tab    the next pane: packets, fields, bits; Enter goes on
up down PgUp PgDn Home End, or k j g G
left right        move the list's text, close and open fields, bit by bit
/                 filter as -Y has it, while it is typed; Tab completes
                  names, and cases after ==
p                 follow the peer of this packet; p again: as before
r R               the next, the previous packet that was refused
m, d              mark a packet; how this one differs from the marked one:
                  from then on ≠ is before each field that does
t                 time: of the day, with the date, since the first packet,
                  since the packet above, since 1970
:                 go to a packet by its number
space             follow what comes, or let the list stand still
Esc               stop a search; bring all packets back
Ctrl-L  Ctrl-Z    draw all again; suspend (fg comes back)
q                 quit

A field at the cursor has its bits lit, and a bit at the cursor its field.
Bits run as in pktscope explain: in lsb from right to left. Dots are secrets
and what stands after them.

Each packet is decoded when it is shown. Where packets set what later ones are
read by, or bring pieces of messages, the 16,384 packets before it are decoded
first; what is older is not known here (pktscope decode reads all).`

func (a *app) help() {
	a.overlay = &overlay{title: "keys", lines: strings.Split(helpText, "\n")}
}
