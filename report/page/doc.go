// Package page writes one HTML file of what was found: captures, budgets, audits and campaigns.
//
//	Collector    picks packets while captures are read: bounded, the refused before all others
//	Report       what the page is about: statistics, budgets, picked packets, saved audits, campaigns and findings
//	Differences  what two packets or captures differ in: `diff -T json`, line by line
//	Write        the page
//
// The file opens from disk and stands alone. All that can be made beforehand is plain HTML: charts are SVG with a table
// of the same numbers beside them, so that they print, need no script and can be read aloud; a charting library could
// do none of that better and would be a stranger's code in every report. The script moves one brush over all plots of a
// protocol, lays the tree of bits out as an icicle, sorts tables, filters and pages the list of packets, draws a bar for
// each and the bits of the one that was clicked, and switches between light and dark. The address has what is open and
// filtered, so that it can be sent to somebody.
//
// The first screen says how the game was: losses, RTT, jitter, silences and bits a second, beside what was refused. What
// changes over time is counted in Go (stats.KeepTime), in at most stats.MaxBuckets pieces, however long a capture is.
//
// # What an attacker may do
//
// Nearly all text of a report is somebody else's: packets, names and comments of a schema, file names, a target's
// stderr, saved results. It comes into the page as text: escaped as for a terminal first, so that no control or bidi
// mark is left, then by html/template, or as JSON whose `<` is escaped in a block that no browser executes. The page's
// Content-Security-Policy allows its own style and script by their hashes and nothing else: no request, no form, no
// frame; the script makes nodes and sets their text, and writes no HTML (trusted types forbid it).
//
// What a stranger can make large is bounded: packets (MaxPackets), the fields of one (maxPieces), all of the page's
// data (MaxData), rows of every table, fields of the icicle, lanes. What an address says is looked up or set as text. What is left out is said where it is missing. A @secret field is masked, its
// bits are zero in the data.
package page
