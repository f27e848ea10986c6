// Package flow puts messages together from the fragments that packets carry, within bounds that no sender can move.
//
//	packet ─► Table.Meet: its flow ─► Table.Add: each of its pieces ─► a Whole message, or what is odd about the piece
//	                │                        │
//	                └────────── Table.Lost: messages that were given up, and why
//
// Words: a flow is what two ends send each other, each in its direction; a piece is what one fragment carries of a
// message; a slot is a message of which pieces are missing, told by its id and by the size that its pieces declare; a
// shard is a sixteenth of the flows, with a sixteenth of the bounds.
//
// # What an attacker may do
//
// Send any pieces from any address. Nothing is allocated from a declared count or total: what is kept is what came. A
// forged size opens a slot of its own and blocks nobody; of two pieces that contradict each other the first is kept. There
// is no window of ids, so one forged id does not make others old. What is kept is counted (see Limits), and where it
// comes to a bound the oldest flow among those that have not had four packets accepted is forgotten first: a flood of
// invented flows drives out others of its kind, and none that was there before. Whoever can forge packets inside a
// flow can have its open messages given up, and nothing else.
//
// Nothing that is kept ever makes a packet refused: a piece that contradicts another is odd, and a message whose pieces
// do not come is given up.
package flow
