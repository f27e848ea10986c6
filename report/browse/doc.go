// Package browse is the terminal browser: a list of packets, the fields of one, and its bits, on a full screen. It alone
// knows the terminal library.
//
// The way of the data:
//
//	file, or what comes in and is written to one ─► Store ─┬─► index: where packets are
//	                                                       ├─► loader: decodes what is on the screen ─► rows, packet ─► draw
//	                                                       └─► search, quest: filters and rejects, on all cores
//
// The index has a page for 256 packets and a bit for each record, so a capture of 2 GB is open at once, and takes less
// than 20 MB of memory. What is on the screen is read and decoded again from its page on; where packets depend on earlier
// ones, from 16,384 packets before. One goroutine has all that is shown, and draws; the others send it functions.
//
// A compressed capture, a pipe and an interface are written to a file as they come, because a place in them can not be
// read again.
//
// What an attacker may do: put any bytes into a packet or a capture. All texts of packets come from package report, which
// escapes them, and each goes to cells of the screen, whose content the terminal library cleans once more. The fields of
// one packet that are shown are bounded, and so are the places of the index, and the rows that are kept.
package browse
