// Package findings keeps what audits and campaigns found in a directory, and reads it again.
//
// A Dir has four files of a finding, all named for the mistake: a capture of its packets, JSON (report.SavedFinding), a
// shell script that sends them again, and a Go test. So a mistake that is found again, by this run or a later one, is
// not written again. The files are readable by their owner alone; of a packet that holds a @secret only the capture has
// it. Nothing outside the directory is written, whatever links are in it. Words in the files come from the schema and
// from the reader that was attacked: none of them is obeyed by the shell or by Go.
//
// Read turns such a file into a fuzz.Finding again, for fuzz.Minimizer's Replay, and ReadPrelude the packets for a
// server's prelude (target.ServerOptions). Both take files of strangers.
package findings
