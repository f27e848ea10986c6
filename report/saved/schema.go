package saved

import _ "embed"

// Schema is the JSON Schema of what all saved objects have in common: definitions that results.Schema puts together.
//
//go:embed saved.schema.json
var Schema string
