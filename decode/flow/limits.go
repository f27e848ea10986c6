package flow

import "time"

// Limits bound what a Table keeps. A zero field is its default.
type Limits struct {
	Flows  int // at once; default 65,536
	Memory int // bytes of pieces, slots and flows together; default 64 MiB
	// Timeout is how long a message may stay open, by the capture's times; default 10 s. A message that was delivered
	// is remembered as long.
	Timeout time.Duration
	Idle    time.Duration // how long a flow without packets is remembered; default 120 s
}

// The defaults of Limits.
const (
	DefaultFlows   = 65536
	DefaultMemory  = 64 << 20
	DefaultTimeout = 10 * time.Second
	DefaultIdle    = 120 * time.Second
)

// Shards is how many parts a Table has. A flow belongs to one, whoever works on it, and each part has its share of the
// bounds: so what becomes of a flow does not depend on how many goroutines there are.
const Shards = 16

// What one flow may hold. A flow is young until it has had grownPackets packets accepted.
const (
	grownPackets = 4
	youngMemory  = 16 << 10
	grownMemory  = 1 << 20
	youngOpen    = 4 // messages at once in each direction
	grownOpen    = 64
	maxFinished  = 64 // messages delivered that are remembered, in each direction
)

// What is counted for what is kept, beside the bytes of pieces: bytes, rounded up from what Go needs.
const (
	pieceCost = 40
	slotCost  = 96
	flowCost  = 400
)

// maxPieces and maxMessage bound what Of can be: a larger one is a field that its packet should have been refused for.
const (
	maxPieces  = 1024
	maxMessage = 1 << 20
)

// What a shard keeps free, so that a steady state allocates nothing. The memory of a free slot is counted when it is
// opened, so it must be so small that a young flow can have all its slots from there.
const (
	freeSlots  = 64
	freeFlows  = 16
	freeBytes  = 1280 // of a slot: a larger one is given back
	freePieces = 16
)

func (l Limits) orDefaults() Limits {
	if l.Flows <= 0 {
		l.Flows = DefaultFlows
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Timeout <= 0 {
		l.Timeout = DefaultTimeout
	}
	if l.Idle <= 0 {
		l.Idle = DefaultIdle
	}
	return l
}

// shard is the share of one shard: at least two flows, of which one may grow, and so many that they need no more than
// half of the memory.
func (l Limits) shard() Limits {
	l.Memory = max(2*youngMemory, l.Memory/Shards)
	l.Flows = max(2, min(l.Flows/Shards, l.Memory/2/flowCost))
	return l
}
