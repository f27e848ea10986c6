// Package saved has what all saved results share: the [Header] that each object begins with, the [Gaps] that say what
// an object does not cover, the limits of its size, and files that replace others without anyone reading half of one.
//
//	stats, budget, rejects, report, results ── Header, Gaps, limits ──► an object of JSON
//	commands ── Replace ──► a File that is whole, or not there
//	findings, gen go ── WriteIn ──► the same, below a directory that is open as an os.Root
//
// [Replace] writes a File beside its target. Commit puts the File in the target's place: who reads the target, and who
// finds it after a crash, a signal or on a full disk, has the old text or the new one.
//
// Where a number of bits tells a secret (decode.Hidden), it is null in JSON: Bits, ShownBit, ShownWidth.
//
// What is written is bounded by the same constants as what is read: see [MaxObject].
package saved
