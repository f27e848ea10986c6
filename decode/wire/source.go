package wire

import "embed"

// Source is the rules of this package as Go source. Package gogen copies what a generated package uses out of it.
//
//go:embed arithmetic.go checksum.go ladder.go load.go order.go padding.go quantized.go smallest.go text.go value.go varint.go
var Source embed.FS
