package syntax

import "fmt"

// Pos is a place in a source file. The zero Pos means "no place known".
type Pos struct {
	Off  int32 // byte offset from 0
	Line int32 // from 1
	Col  int32 // from 1, in bytes
}

// IsValid reports whether p is a place in a file.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String gives "line:column".
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// Span is a stretch of source text, [Pos, End).
type Span struct {
	Pos Pos
	End Pos
}
