// Package sealing attacks what lies inside a sealed text, and the seal itself.
//
// A Sealer seals the messages that an audit or a campaign makes, as their sender would: each in a packet of its own
// with the next sequence number. NewTarget puts it before a reader, which so refuses or takes the message, and
// not the packet around it:
//
//	message ─► Sealer (text, tag, sequence, lengths) ─► packet ─► reader ─► its answer about the message
//
// Auth tries the seal: a reader that has the key must leave alone what was sealed otherwise, and what it has had before.
package sealing
