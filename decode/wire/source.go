package wire

import "embed"

// Source is the rules of this package as Go source. Package gogen copies what a generated package uses out of it.
// go-fuzz-build takes one file a directive.
//
//go:embed arithmetic.go
//go:embed below.go
//go:embed checksum.go
//go:embed ladder.go
//go:embed load.go
//go:embed look.go
//go:embed name.go
//go:embed order.go
//go:embed padding.go
//go:embed quantized.go
//go:embed smallest.go
//go:embed summer.go
//go:embed text.go
//go:embed value.go
//go:embed varint.go
var Source embed.FS
