// Package report renders what the packages below it found: decoded packets as one line, as a tree and as a JSON object,
// and the diagnostics of a schema in colour.
//
// The way of the data:
//
//	pcap.Datagram ─► package scan ─► scan.Packet ─► Text.AppendLine, Text.AppendTree, JSON.Append ─► []byte
//
// A renderer is made once per plan: it looks names, widths and cases up then, so that per packet it appends bytes and
// allocates nothing of its own. It has a scratch buffer, so each goroutine has its own renderer. Nothing here reads a
// flag, the environment or a terminal: the caller tells NewText and AppendDiagnostics whether to use colour.
//
// What is counted over many packets is the business of report/stats; AppendStatistics shows its Summary.
//
// What an audit, a campaign and a finding are as JSON is in saved.go. Package report/results reads that, and what
// report/stats and report/budget save, and adds it up; report/page, sarif, junit, markdown and annotations render what
// it has.
//
// What an attacker may do: put any bytes into a packet, and any name into a schema or a file name. What a terminal
// would obey (control bytes, bidi and combining marks, bytes that are not UTF-8) is shown as `\x1b` in text and as
// \u001b in JSON, and stays inside its quotes. A field that the schema calls @secret is shown as ‹secret 32 B› wherever
// its bits could appear: in the tree, in JSON, in what a reject got and in the rest of a refused packet.
package report
