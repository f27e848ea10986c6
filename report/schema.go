package report

import _ "embed"

// PacketSchema is the JSON Schema of a packet as JSON renders it.
//
//go:embed packet.schema.json
var PacketSchema string

// SavedSchema is the JSON Schema of audits, campaigns and findings: definitions that results.Schema puts together.
//
//go:embed saved.schema.json
var SavedSchema string
