package main

import "github.com/pktscope/pktscope/decode/infer"

// inferHelp is the help of infer: what it does, the walk from a capture to an audit, and how well it does.
var inferHelp = `Infer reads captures (pcap or pcapng, also as .gz or .zst; - is stdin) and writes a .pks
file. It looks for a checksum, with bytes that are never sent, for the bit order, for the
boundaries of fields, for the field that tells kinds of packets apart, and for counts and
what they count. What it does not understand stays bytes, with its entropy beside it.

The schema checks, and is decoded over all packets before it is written: it accepts all but
those that stderr lists, with the reason, such as packets whose checksum is wrong. Files are
read twice for this; of stdin only what is kept is tried: 20,000 packets of 16 MiB.

It is a draft. The comments say what each field rests on: the bits that a field saves against
the cheapest layout without it are certain above 200, likely above 40, else a guess. Names
are made here, never from packets.

From a capture to an audit

You have packets and no source. Record both directions, a session or more of some minutes, in
which what can happen happens: joining, moving, shooting, leaving. 1,000 packets are enough;
rare kinds need 20 each.

  tcpdump -i any -w game.pcapng udp port 40000

pktscope records, too, with a schema that takes anything:

  printf 'protocol any\norder lsb\npacket { payload bytes(rest, max 65507) }\n' > any.pks
  pktscope live -i any -f 'port 40000' -p any.pks -w game.pcapng

1. A first draft, and what it rests on:

  pktscope infer game.pcapng -o guess.pks

Believe "certain", doubt "guess". What is certain first is the checksum: with it, packets can
be made that a server takes. Of a field whose top bits never changed nobody can say how wide it is.

2. See it. Read packets beside what you did when they were sent, and give fields names:

  pktscope explain -p guess.pks -r game.pcapng -n 12
  pktscope decode -p guess.pks -T fields -e pkt.n -e kind game.pcapng
  pktscope stats -p guess.pks game.pcapng

Edit guess.pks as you understand it: names, ranges, an enum, two fields that are one, one that
is two. pktscope schema check says what is wrong with it. Where the draft took the wrong field
for the tag, or a wrong order, say so and compare; look at some packets alone; or make rules of
the ranges that were seen, to learn which packets of another session leave them:

  pktscope infer --tag 32+2 --order lsb game.pcapng -o other.pks
  pktscope infer -Y 'pkt.dst_port == 40000 && len(payload) < 40' game.pcapng
  pktscope infer --tight game.pcapng -o tight.pks

Then let infer draft the rest anew, around what you wrote, with more packets:

  pktscope infer --keep guess.pks game.pcapng other.pcapng -o better.pks

A line that infer wrote ends with a mark, such as ~k3qa, which stands for the line as it is.
Change anything in it, be it the comment, or take the mark away, and the line is yours: it
stays, at its bits, and so does what it names and what stands around it. A line above a field
that is a comment makes the field yours, too; so is all that has no mark: structs, enums, a
schema that somebody else wrote. Lines with their marks may be drafted anew; where the packets
say no more than before they, and the names of what is found again, stay as well. What is
yours is never changed: packets that contradict it are refused, and listed with the place.

3. Does it hold? Decode another session, and look at what is refused:

  pktscope decode -p guess.pks --only rejects other.pcapng

4. Now all else works on it, against a server whose source nobody has:

  pktscope budget -p guess.pks game.pcapng
  pktscope audit -p guess.pks --target udp:127.0.0.1:40000 --rate 1000 --stop-after 1m --probe 0123
  pktscope fuzz -p guess.pks --target udp:127.0.0.1:40000 --rate 1000 --stop-after 10m --probe 0123

The probe is a packet that the server answers, so that one knows that it lives; what infer says
last has one of the capture. With --server CMD the server is started again when it has died.
Attack only what is yours to attack.

What it cannot do

Encrypted and compressed payloads stay bytes: only what is before them is found. Lists in lists,
optional parts of elements and records of a tag and a length are bytes, too. So is everything
after 256 bytes. Values side by side that never change, or that look random, have no boundary
that shows.

How well it does

The share of the boundaries between fields that are right, both ways (F1), of a draft,
of bytes alone, and of a field wherever bits flip less often, which was told the order of
bits. The captures are of programs that others wrote, and short. The sessions were made for
this, and move more smoothly than the world does; nobody looked at their drafts, but their
figures were seen while infer was made: expect less. The last line is of 6 captures written
blind by somebody who had only the help; nobody has looked at their drafts. The line before
is of 14 others, written so, too, and opened since: what their drafts showed was mended. At
first sight their means were 0.35 of six and 0.60 of eight. The tag is what is missed most:
it was found in 3 of the 5 blind ones that have one, in 10 of the 12 opened ones, in 9 of 10 sessions.

` + infer.Figures
