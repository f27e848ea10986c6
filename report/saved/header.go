package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Version is the `schema_version` of saved objects. It grows when a key changes its meaning or goes away.
const Version = 1

// Header is what every saved object says first of itself.
type Header struct {
	SchemaVersion int        `json:"schema_version"` // Version
	Kind          string     `json:"kind,omitempty"`
	Tool          string     `json:"tool_version,omitempty"` // version of the program that made it
	Protocol      string     `json:"protocol"`
	Schema        *SchemaRef `json:"schema,omitempty"` // nil where it is not known
	Target        string     `json:"target,omitempty"` // the reader under test
}

// SchemaRef says which schema a saved result is about.
type SchemaRef struct {
	File string `json:"file"` // as it was named
	// Hash is of its text, those that it imports, the values of its params, the message that packets are and the ports that
	// were given instead of its own; lower-case hexadecimal.
	Hash string `json:"sha256"`
}

// NewSchemaRef names a plan's schema.
func NewSchemaRef(p *plan.Plan) *SchemaRef {
	h := sha256.New()
	for i, f := range p.Schema.Files {
		if i > 0 {
			_, _ = fmt.Fprintf(h, "\x00%d\x00", len(f.Src)) // a hash takes everything
		}
		_, _ = h.Write(f.Src)
	}
	for _, param := range p.Schema.Params {
		if param.Value != nil {
			_, _ = h.Write([]byte("\x00" + param.Name + "=" + param.Value.String()))
		}
	}
	if m := p.Schema.Message; m != nil {
		_, _ = h.Write([]byte("\x00message " + m.Name))
	}
	if p.Schema.PortsGiven {
		_, _ = h.Write([]byte("\x00port " + schema.PortList(p.Schema.Ports)))
	}
	return &SchemaRef{p.Schema.File.Name, hex.EncodeToString(h.Sum(nil))}
}

// Check judges one that was read; there may be none.
func (s *SchemaRef) Check() error {
	if s == nil {
		return nil
	}
	if s.File == "" || len(s.File) > MaxName {
		return fmt.Errorf("schema: want 1..%d bytes, got %d", MaxName, len(s.File))
	}
	if b, err := hex.DecodeString(s.Hash); err != nil || len(b) != sha256.Size || strings.ToLower(s.Hash) != s.Hash {
		return errors.New("schema: want 64 digits of a sha256, 0..9 and a..f")
	}
	return nil
}

// Place is a place in a schema's text.
type Place struct {
	File   string `json:"file"`   // as it was named
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 1, in bytes
	// Stable is the rule's name where that has a line number in it: with the rule's text instead, which stays when
	// lines move.
	Stable string `json:"stable,omitempty"`
}
