package infer

import _ "embed" // the figures

// Figures is a table of how well drafts fit, in captures that inference was not made on: the F1
// of the boundaries of fields, of a draft and of two guesses that cost nothing. A test in corpus/gen measures it anew.
//
//go:embed figures.txt
var Figures string
