package dialogue

import _ "embed"

// Language is the page about .pkd files, with examples that a test checks.
//
//go:embed dialogues.md
var Language string
