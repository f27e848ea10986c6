package oracle

// Spoken is the dialogue in which a server got a packet, as findings keep it: a session is spoken again with it, and
// with fresh values. No secret is in it.
type Spoken struct {
	Text  string  // of the .pkd file, secrets masked
	Names []Named // params first
	// State is the one that the session was in when the first packet was sent; "" is the last.
	State string
}

// Named is a name of a dialogue with the value that it had in the session.
type Named struct {
	Name   string
	Value  string // as --set takes it; "" of a secret, of a value that had not come, and of one that is too long
	Secret bool
}
