package reject

// Note is something odd about a packet that was accepted all the same. It has the shape of a Reject and never decides.
type Note struct {
	Kind  NoteKind
	Bit   int // of the datagram, from 0
	Width int // bits
	At    Place
	Code  uint64 // the raw bits it is about
	By    Describer
}

// Path is the path of what the note is about, "" for the packet.
func (n *Note) Path() string { return string(n.AppendPath(nil)) }

// AppendPath appends the path.
func (n *Note) AppendPath(b []byte) []byte {
	if n.By == nil {
		return b
	}
	return n.By.AppendPath(b, n.At)
}

// Message says what was odd: "sent by the client, @from(server)".
func (n *Note) Message() string {
	if n.By == nil {
		return n.Kind.OfCapture()
	}
	return string(n.By.AppendNote(nil, n))
}

// AppendLine appends the note in one line, in the form of a reject's.
func (n *Note) AppendLine(b []byte) []byte {
	start := len(b)
	b = n.AppendPath(b) // of what a secret decides about, no note is shown
	if len(b) == start {
		b = append(b, Packet...)
	}
	b = append(b, ": "...)
	b = append(b, n.Kind.String()...)
	if n.Kind.OfCapture() == "" {
		b = append(b, " at bit "...)
		b = appendPlace(b, n.Bit, n.HidesBit())
	}
	if m := n.Message(); m != "" {
		b = append(b, ": "...)
		b = append(b, m...)
	}
	return b
}

// HidesBit reports whether the Bit tells a secret.
func (n *Note) HidesBit() bool { return n.By != nil && n.By.HidesBit(n.At, None) }

// Clone returns a copy that stays valid when the trace it came from is used again.
func (n *Note) Clone() *Note {
	c := *n
	if n.By != nil {
		c.By = &fixed{path: n.Path(), shown: n.Path(), note: n.Message(), placed: !n.HidesBit()}
	}
	return &c
}
