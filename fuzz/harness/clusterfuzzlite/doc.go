// Package clusterfuzzlite writes the files that make a user's repository fuzz its reader of a protocol in its own CI with
// ClusterFuzzLite: the container's build, a harness to fill in, seeds, a dictionary, and the workflows of GitHub.
//
//	decode.Decoder ── Files ──► .clusterfuzzlite/  fuzz/  .github/workflows/
//
// The paths are relative to the root of the repository. The seeds are valid packets, one at least for each case; the
// dictionary has what a reader compares with: tags, enum values and constants of whole bytes, as they are on the wire.
package clusterfuzzlite
