package main

// helpSaved is the part of `help json` on saved results.
const helpSaved = `

Saved results

With -T json stats, budget, audit, fuzz and report write what pktscope report reads: an
object a line, of which kind its key kind says. A packet that holds a @secret is not in
them.

  stats            counts of one protocol; part is all that merging needs. With messages they
                   are of a section of its messages, and packets are messages; context has
                   what is known of them beside those that were read, also of each peer
  pktscope-budget  where the bits go; schema and state are all that merging needs
  rejects          why packets of captures were refused: by rule of the schema and kind of
                   reject, with the first such packet; and by capture. From report; stats
                   has it as by_rule
  audit            by rule and kind ("valid" of packets that come close and are valid) what was
                   tried, and what was answered rightly, of which misread are wrong otherwise:
                   a value, the bits, the cost; and the findings
  fuzz             by rule how many of the ways to break it were met; and the findings
  crash, hang, …   a file of fuzz --findings: kind is that of the finding

untested lists what nothing is known about: kind is a way to be refused that no packet met and
that is not proved out of reach, part is what no valid packet has, and neither is there where
no valid packet was found at all. Such a result is not a pass, but for what is known: --known
accepts it.

A place is where the schema states a rule; stable is its name where rule has a line number in
it. schema names the schema, sha256 is of its texts with the values of its params. Bits count
from 0 in the datagram, null are those that tell a secret; packets are hexadecimal. cause is a finding's mistake in a sentence,
where it is known: findings of one kind and cause are one. stack is the reader's calls in the
report of a crash, the innermost first. known_mistakes are findings that --known accepts,
known_gone names those accepted that were not seen. left_out: the packets of this finding did
not fit; --findings writes them. lost is what did not fit at all. runs is how many were merged:
counts are then sums, seed and coverage those of one run. incomplete says, in a line each, what
a result is not of: a capture that was cut or not read to its end, a part that was not merged.
dialogue is the .pkd file in which a server got the packet, with the values that its names had
in that session, secrets masked; fuzz --replay speaks it again, with fresh ones, where no
--dialogue is given. state is the state and the case that were tried. seal says that rule is
one of what is sealed: fuzz --replay tries it again with --keys, and no packet is kept.

Their JSON Schema, of stats and pktscope-budget what is always there:

`
