// Package about has what every saved result says of itself: of which schema it is, and of what input it is not.
package about

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// SchemaRef says which schema a saved result is about.
type SchemaRef struct {
	File string `json:"file"`   // as it was named
	Hash string `json:"sha256"` // of its text, with the values of its params; lower-case hexadecimal
}

// NewSchemaRef names a plan's schema.
func NewSchemaRef(p *plan.Plan) *SchemaRef {
	h := sha256.New()
	_, _ = h.Write(p.Schema.File.Src) // a hash takes everything
	for _, param := range p.Schema.Params {
		if param.Value != nil {
			_, _ = h.Write([]byte("\x00" + param.Name + "=" + param.Value.String()))
		}
	}
	return &SchemaRef{p.Schema.File.Name, hex.EncodeToString(h.Sum(nil))}
}

// maxFile is how many bytes the name of a schema's file has: it is as long as its user made it.
const maxFile = 16 << 10

// Check judges one that was read; there may be none.
func (s *SchemaRef) Check() error {
	if s == nil {
		return nil
	}
	if s.File == "" || len(s.File) > maxFile {
		return fmt.Errorf("schema: want 1..%d bytes, got %d", maxFile, len(s.File))
	}
	if b, err := hex.DecodeString(s.Hash); err != nil || len(b) != sha256.Size || strings.ToLower(s.Hash) != s.Hash {
		return errors.New("schema: a sha256 that is none")
	}
	return nil
}

// Gaps are why a result is not of all of its input: captures that were cut or not read to their end, parts that were not read. A line
// each, which may be hostile, sorted, each once; at most MaxGaps of them are kept.
type Gaps []string

// The bounds of Gaps.
const (
	MaxGaps = 64
	maxLine = 1024 // bytes
)

// Add adds lines. Which are kept does not depend on the order in which they come.
func (g *Gaps) Add(lines ...string) {
	for _, line := range lines {
		if len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + "…"
		}
		at, found := slices.BinarySearch(*g, line)
		if found || at == MaxGaps || line == "" {
			continue
		}
		*g = slices.Insert(*g, at, line)
		*g = (*g)[:min(len(*g), MaxGaps)]
	}
}
