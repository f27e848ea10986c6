package budget

import _ "embed"

// Schema is the JSON Schema of what is always in a saved budget: definitions that results.Schema puts together.
//
//go:embed budget.schema.json
var Schema string
