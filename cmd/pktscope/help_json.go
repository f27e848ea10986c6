package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
)

// newHelpJSON is the help topic on what -T json prints.
func newHelpJSON() *cobra.Command {
	return newTopic("json", "what -T json prints, with its JSON Schema", helpJSON+strings.TrimSuffix(report.PacketSchema, "\n")+helpSaved+results.Schema())
}

const helpJSON = "With -T json every packet is one JSON object on a line of its own, its keys in this order.\n" +
	"Keys never repeat; one that does not apply is left out.\n" + `
  schema_version  1
  n               number of the capture's record, from 1
  file            the capture, as named on the command line
  time            RFC 3339 with nanoseconds, UTC
  src, dst        ip:port, or [ip6]:port; not where the capture has no addresses
  direction       who sent it: client, server or unknown
  protocol        the schema's protocol
  case            tag of the packet's first switch: its enum case, or a decimal number
  bits            size of the datagram as it was sent, however little of it the
                  capture kept
  verdict         accept, reject or cut: refused only for want of bytes that the
                  capture did not keep
  reject          why it was refused: kind, path, bit, width, want, got, message
  context         of a packet with the verdict needs-context, the registers that it had
                  named: state, and n, the packet that set it; no n where it is not set.
                  reject is what would be its refusal
  merged          of a packet with the verdict needs-context that offload has merged: how
                  many bytes each datagram has but the last, null where nobody knows
  notes           what is odd about it: a list of kind, path, bit, message
  notes_left      how many more notes it has: the list has no more than 33
  fragment        the piece of a message that it holds: section, id, index (or offset),
                  of or last; message is n where this piece completes one. fragments is
                  a list where it holds several. Of a secret one the section is there
  fields          every field that was read, nested as its path is
  rest            of a refused packet: hex, from the failing bit's byte on, "" when
                  nothing is left; "‹secret 12 B›" when the failing field or one that
                  could follow it is @secret
  message         the message that it brings, alone or with its last piece: section, id,
                  from (the packets of its pieces, in the order of the message), then as
                  above case to rest, and the message that is in it; of a secret one the
                  bits and the verdict. messages is a list where it brings several
  messages_left   how many more messages it brings: no more than 256 are shown
  incomplete      messages that were given up when it came: section, id, from, verdict
                  needs-context, and reason: "missing 2 of 5", "evicted"

In fields: integers are numbers, but always strings where their type goes beyond
±(2^53-1); bool and bool8 true and false; an enum its case's name, or a number when
unlisted; flags a list of names; bytes hex, also where @text makes the tree show them as
text; text a string, bytes in an encoding too; a display (@ipv4) a string as it is shown;
floats the shortest number that reads back, with "NaN" and "-Infinity" as strings. A
value that cannot be turned back into its code is {"value": …, "raw": …}: the code in
decimal, bytes in hex. A let is the value that was computed; where another way has a field
of its name, {"value": …, "raw": null}, which says that the packet has no such field. What
the schema calls @secret is "‹secret 32 B›" wherever it would show, and so is what is
computed from it: "‹secret›" where its size is, too. What a secret decides about is there as
a mask, whichever way it went. A bit and a width that would tell a secret are null.

pktscope encode makes packets of such objects again. It needs only fields, and also reads
direction, case, src, dst, time and verdict. Of a value with raw it uses raw. It computes
the value of a let again.

pktscope schema diff prints one object: schema_version, kind "schema-diff", old and new (the
schemas), old_packets and new_packets (the worst verdict of each side: read, break or
undecided), cases, same and same_messages (how many others are unchanged) and notes. A case has
case ("" of all packets), old_packets and new_packets (verdict, drawn, and where it breaks bit,
packet, from and why), and changes: text, old and new with line and text, and moves where what
is after it is at other bits.

With --on it prints one object: schema_version, kind "schema-diff-on", capture, a and b (the
schemas), packets, accepted_a, accepted_b, verdicts_differ (packets), first_difference (n,
type, verdict_a, verdict_b, and why_a and why_b where one refuses it), scored_types, and the
means over these, 0 to 1: precision, recall, f1, exact. types has an object for each case of
a: the counts again, scored, boundaries_a, boundaries_b, boundaries_common, fields_a and
fields_exact.

pktscope infer prints one object: schema_version, kind "infer", packets and refused (how many),
order, order_undecided (whether none is better), checksum (algorithm; its first byte, negative from the end;
its type as a schema has it; how many packets match, and of how many; or null), end (the check that all end with),
constant and opaque (shares of the bits that never change, and that nothing is known of), bounded
(whether the search ended at its bound of work), fields (name, kind, bits, model, bits_saved
against the cheapest layout without it, sure: certain, likely or guess, why, least and most,
examples, packets, kept: a person wrote it; of bytes how many, and the entropy of each) and
outliers (packet, reason; the first thousand).

The JSON Schema:

`
