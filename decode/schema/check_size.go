package schema

// packetSize compares the least that a packet takes with what a datagram holds.
func (c *checker) packetSize() {
	p := c.schema.Packet
	if p == nil {
		return
	}
	if room := uint64(c.schema.MaxDatagram) * 8; p.MinBits > room {
		c.errorf(Span{p.Pos, p.Pos}, "raise `max datagram` or take something out",
			"the packet takes at least %d bits, more than the %d of a datagram of %d bytes", p.MinBits, room, c.schema.MaxDatagram)
	}
}
