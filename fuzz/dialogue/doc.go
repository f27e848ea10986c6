// Package dialogue reads .pkd files, which say how a client talks with a server until it is let in, and speaks them.
//
//	source ─Parse─► File ─Check against the plan─► Dialogue ─Join over a Conn─► Session: sends, answers, keeps alive
//
// A protocol says what packets look like. A dialogue says which ones a deployment wants, in which order: the handshake,
// the token, the heartbeat. The language has no loops, no code and no files: a file may be a stranger's. It is bounded:
// MaxSource bytes, MaxSteps steps, MaxNames names, a session start takes MaxStart at most. What comes from outside is a
// param's value, which only the caller gives (Values).
//
// A server may lie: what it sends counts only as far as the protocol's decoder accepts it, what is kept of it has the
// size of a packet for each place that the dialogue names, and a field that is missing is an error of that session.
//
// A secret flows only into fields that the schema calls @secret, which Check proves; so what masks those masks all of
// it.
package dialogue

import "time"

// The bounds of a dialogue.
const (
	MaxSource  = 64 << 10         // bytes of a .pkd file
	MaxSteps   = 64               // lines that send, wait or name a state
	MaxNames   = 64               // params and names together
	MaxStart   = 10 * time.Second // from the first packet of a session to its last step
	MaxRefused = 5                // session starts in a row that fail
	maxDepth   = 16               // of a value
	maxFields  = 1024             // values of one file
)
