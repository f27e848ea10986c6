package rejects

import _ "embed"

// Schema is the JSON Schema of saved rejects: definitions that results.Schema puts together.
//
//go:embed rejects.schema.json
var Schema string
