package pcap

import "iter"

// A Cause says why a packet held no UDP datagram to yield.
type Cause uint8

// The causes, in the order of the layers. MalformedX means that a receiver
// would drop the packet at that layer, CutHeader only that this capture kept
// too little of it to tell.
const (
	causeNone          Cause = iota
	UnsupportedLink          // a link type that Datagrams does not know
	CutHeader                // the snap length cut the packet before the end of its headers
	MalformedLink            // shorter on the wire than its link header
	NotIP                    // ARP, LLC, another EtherType or address family
	Encapsulated             // within PPPoE, MPLS, GRE or another layer that can hold IP, and is not read
	MalformedIP              // version, header length, total length or fragment offset contradict the packet
	NotUDP                   // TCP, ICMP, another protocol above IP
	Fragment                 // a fragment of a datagram that was yielded with the last of them, or is still waited for: not a loss
	FragmentIncomplete       // a fragment of which the others did not come in time, or in the room there is
	FragmentOverlap          // a fragment of a datagram whose fragments overlap, or disagree about its end
	MalformedUDP             // no room for a UDP header, or a length below it
	Oversize                 // a packet without UDP whose payload is more than UDP can carry
	numCauses
)

var causeWords = [numCauses]string{
	causeNone:          "none",
	UnsupportedLink:    "unsupported-link",
	CutHeader:          "cut-header",
	MalformedLink:      "malformed-link",
	NotIP:              "not-ip",
	Encapsulated:       "encapsulated",
	MalformedIP:        "malformed-ip",
	NotUDP:             "not-udp",
	Fragment:           "fragment",
	FragmentIncomplete: "fragment-incomplete",
	FragmentOverlap:    "fragment-overlap",
	MalformedUDP:       "malformed-udp",
	Oversize:           "oversize",
}

// String is the cause's stable word, such as "not-udp".
func (c Cause) String() string {
	if c >= numCauses {
		panic("pktscope: internal error: unknown pcap.Cause")
	}
	return causeWords[c]
}

// Counts is what a Datagrams has met. Packets is Datagrams plus all that was
// skipped. The fragments of a datagram count as [Fragment], but for the last
// to come, which counts as the datagram; those that wait in vain move to
// [FragmentIncomplete], at the latest with the error that ends the source.
type Counts struct {
	Packets        uint64 // read from the source
	Datagrams      uint64 // yielded
	Cut            uint64 // of those, with a payload cut by the snap length
	LengthMismatch uint64 // of those, with a UDP length that disagrees with IP's

	// Kinds are the packets skipped that have a kind, all of UnsupportedLink, NotIP, Encapsulated and NotUDP.
	Kinds map[Kind]uint64

	skipped [numCauses]uint64
}

// kind counts n packets of a kind.
func (c *Counts) kind(k Kind, n uint64) {
	if n == 0 {
		return
	}
	if c.Kinds == nil {
		c.Kinds = map[Kind]uint64{}
	}
	if _, ok := c.Kinds[k]; !ok && len(c.Kinds) >= maxKinds {
		k = 0
	}
	c.Kinds[k] += n
}

// Of returns how many packets were skipped for cause.
func (c *Counts) Of(cause Cause) uint64 {
	if cause == causeNone || cause >= numCauses {
		panic("pktscope: internal error: unknown pcap.Cause")
	}
	return c.skipped[cause]
}

// Skipped returns how many packets were skipped in all.
func (c *Counts) Skipped() uint64 { return c.Packets - c.Datagrams }

// All iterates over every cause and its count, zeros included, in the order
// of the constants.
func (c *Counts) All() iter.Seq2[Cause, uint64] {
	return func(yield func(Cause, uint64) bool) {
		for cause := causeNone + 1; cause < numCauses; cause++ {
			if !yield(cause, c.skipped[cause]) {
				return
			}
		}
	}
}
