package stats

import _ "embed"

// Schema is the JSON Schema of what is always in saved statistics: definitions that results.Schema puts together.
//
//go:embed stats.schema.json
var Schema string
