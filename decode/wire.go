package decode

import _ "embed"

// Wire is the wire page: what each type of the language puts on the wire, bit by bit, and what a reader must refuse.
//
//go:embed wire.md
var Wire string
