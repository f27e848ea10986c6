// Package pcap turns captures into UDP datagrams: capture files (pcap and
// pcapng, plain or in gzip or zstd, from any io.Reader) and, through package
// pcap/live, network interfaces; and it writes pcapng. It is, with pcap/live,
// the only importer of gopacket.
//
// The way of the data:
//
//	io.Reader ──► Reader ──┐
//	                       ├─ PacketSource ──► DatagramReader ──► *Datagram
//	live.Source ───────────┘  (packet, CaptureInfo,   └────► Records ──► Writer
//	                           link type)
//
// A [Reader] detects the format by its magic and yields the packets of the
// file. It reads forward only: no seeking, no memory mapping, so standard
// input works as a file does. A [DatagramReader] walks each packet from its link
// layer to UDP and never above, yields what is a UDP datagram and counts all
// else by [Cause]; a datagram in fragments is yielded with the last of them.
// Both reuse their memory: what they return is valid until their next call, and
// the steady state allocates nothing. A [Writer] keeps the packets of chosen
// datagrams, with what their capture says of them; a [FileWriter] is one to a
// file, or to a ring of files. [Synthetic] has addresses for packets that were
// never on a wire.
//
// # Words
//
// A packet is what the capture recorded, from the link layer on; a record is
// its place in the file, numbered from 1; a datagram is the UDP datagram in
// it. A file is cut when it ends in the middle of something; a packet is cut
// when its capture kept fewer bytes than were on the wire (snap length).
//
// # What an attacker may do
//
// A capture file is hostile: whatever it claims, a Reader holds one buffer of
// fixed size, a table of at most [MaxInterfaces] small entries, 256 KiB of
// names and comments, and for a compressed file a window of at most 8 MiB and
// one buffer more. No length is believed before it was checked against its bound
// and the bytes arrived; a bomb costs time and no memory.
// What is wrong is one [FormatError] naming the byte, after everything whole
// before it has been delivered; a file cut short is told from a malformed one
// by [ErrCut] and [ErrMalformed].
//
// A packet is hostile too: IP and UDP lengths say how much of the packet is
// payload, never the other way round, so what trails the datagram in its
// frame (Ethernet padding, a frame check sequence) cannot leak into it, and a
// length beyond the packet is refused, not clamped.
//
// Fragments that wait take at most 4 MiB, whoever sends them; reassembly.go
// tells what is dropped, and when.
//
// gopacket's decoders are not used: link.go, cooked.go and ip.go say why.
package pcap
