// Package line is a model of a bad network: what becomes of each packet that is sent over a line which delays, loses,
// doubles and reorders. Its caller gives it the time, so that a test runs an hour of traffic in a second, and the
// same seed gives the same fates again.
//
//	Send ──► lost?  ──► bandwidth ──► delay ± jitter ──► order ──► Pop
//	        (bursts)    (a queue)                       (held, doubled)
//
// A [Profile] says how bad a [Line] is, which is one direction of one client; a [Network] holds what is on the way over
// all its lines, in the order in which it leaves. [Network.Run] does that by the clock of the machine.
//
// # Order
//
// Packets of a line leave in the order in which they were sent, whatever Jitter says of each of them: a packet that
// would overtake the one before leaves right after it. Reorder alone changes the order: such a packet leaves behind the
// next one that is not held itself.
//
// # What an attacker may do
//
// Whoever may send decides how much is sent: what is on the way is bounded in bytes ([Network.Limit]), and what does not
// fit is lost and told.
package line
