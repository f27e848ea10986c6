// Package live captures packets from a network interface. A [Source] is a
// pcap.PacketSource, so pcap.DatagramReader reads it as it reads a file:
//
//	src, err := live.Open("eth0", live.Options{})
//	…
//	datagrams := pcap.NewDatagrams(src)
//	for {
//		d, err := datagrams.Next() // io.EOF after src.Close
//		…
//	}
//
// [Sources] are several at once, in the order of time, or several rings that
// share the packets of one interface (PACKET_FANOUT).
//
// On Linux it is an AF_PACKET socket of its own, in pure Go, which shares a
// ring of memory with the kernel (TPACKET_V3), and cuts datagrams that the
// kernel handles as one (UDP GSO and GRO); on other systems Open returns
// [ErrUnsupported]. With the build tag libpcap it is libpcap, on every system
// that has it; that takes a C compiler and libpcap's headers (on Windows
// neither, but Npcap). gopacket's pcapgo.EthernetHandle was tried and
// left: its Close does not wake a blocked read, it yields every packet on the
// loopback interface twice, and its packets lack the link header.
//
// # What an attacker may do
//
// Whoever can send to the interface chooses the bytes of the packets, and how
// many there are. A packet is truncated at the snap length; the ring and the
// one block of it that is read have a size that nothing changes; what comes
// faster than it is read is dropped by the kernel and counted (see
// [Source.Stats]). A [Filter] lets the kernel leave out what is of no interest,
// before it takes room in the ring. Nothing that arrives ends the capture: only
// Stop, Close and the interface going down do.
//
// # Privileges
//
// Open needs CAP_NET_RAW, reading and closing need none: a program may drop its
// privileges after Open.
package live
