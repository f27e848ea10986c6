package fuzz

import "github.com/pktscope/pktscope/decode/schema"

// The bounds of what a finding has. They bound what is written and what every reader of it takes, so that nothing that
// one command wrote is refused by another.
const (
	// MaxPacket is the most bytes of a packet: a datagram's, and one more, which an audit tries.
	MaxPacket = schema.MaxUDPPayload + 1
	// MaxBefore is the most packets that have to be sent first: what a server that nobody starts again may have had.
	MaxBefore = 4096
	// MaxClasses is above the number of ways to break a rule.
	MaxClasses = 64
	// MaxFindings is how many different findings a campaign or an audit keeps.
	MaxFindings = 1000
	// MaxReport is the most bytes of what a target printed when it died.
	MaxReport = 16 << 10
)
