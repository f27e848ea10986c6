// Package selffuzz is where fuzzing engines enter this project: one Entry for each hostile surface, from capture files
// to display filters. The renderers stand above this package: their entry is report.FuzzEntry.
//
// An Entry makes Funcs: functions of a byte slice that return an error when a promise of this project is broken. The
// native targets in fuzz/ossfuzz, which libFuzzer builds too, and, with the build tag gofuzz, those of go-fuzz call the
// same functions.
//
// Where an input is a packet, it can name a mutation instead (Decode), so the mutators of package fuzz serve every
// engine. The functions Encode… and …Seed make such inputs.
package selffuzz
