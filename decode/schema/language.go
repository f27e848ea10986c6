package schema

import _ "embed"

// Language is the language page: what a .pks file may say, with its grammar.
//
//go:embed language.md
var Language string
