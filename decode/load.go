package decode

import (
	"fmt"
	"io/fs"
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Param gives a `param` of a schema a value other than the schema's own.
type Param struct {
	Name  string
	Value *big.Int // int64 or uint64, within the param's range
}

// ParseParam reads a Param as people type it: MaxPlayers=8, with any base that Go has.
func ParseParam(text string) (Param, error) {
	name, number, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return Param{}, fmt.Errorf("%q: want Name=value, such as MaxPlayers=8", text)
	}
	// Parsing takes more than linear time, and no param has more than 64 bits.
	const maxDigits = 80
	if len(number) <= maxDigits {
		if value, ok := new(big.Int).SetString(number, 0); ok {
			return Param{Name: name, Value: value}, nil
		}
	}
	return Param{}, fmt.Errorf("%s: want a whole number, got %q", name, number)
}

// Load checks and compiles a schema and makes its Decoder. name is the file's, for messages; nothing is opened, so the
// schema imports nothing. The error is a *schema.Diagnostics with all that is wrong. Of a schema that is accepted, what
// is odd is in its Warnings.
//
// src may come from a stranger: it is at most syntax.MaxSource bytes, and what it describes is proved to end.
func Load(name string, src []byte, params ...Param) (*Decoder, error) {
	return LoadFS(nil, name, src, params...)
}

// LoadFS is Load of a schema that may import: dir is the directory that the file is of. Only plain names are opened in
// it, and only regular files: at most schema.MaxFiles and syntax.MaxSource bytes together with src. Dir makes one of a
// path.
func LoadFS(dir fs.FS, name string, src []byte, params ...Param) (*Decoder, error) {
	values := make(map[string]*big.Int, len(params))
	for _, p := range params {
		values[p.Name] = p.Value
	}
	checked, diags := schema.LoadFS(dir, name, src, values)
	if checked == nil {
		return nil, diags
	}
	made, more := plan.Compile(checked)
	diags.List = append(diags.List, more...)
	syntax.SortDiagnostics(diags.List)
	if made == nil {
		return nil, diags
	}
	checked.Warnings = diags.List
	return New(made), nil
}

// Schema is the schema that it was made from.
func (d *Decoder) Schema() *schema.Schema { return d.plan.Schema }

// WithPorts is the Decoder of a server with these ports, 1..65535, instead of those that the schema declares: they tell
// who sent a datagram (DirectionOf).
func (d *Decoder) WithPorts(ports ...uint16) *Decoder {
	made, err := remade(d.Schema().WithPorts(ports...), nil)
	if err != nil {
		panic("pktscope: internal error: ports change a plan: " + err.Error())
	}
	return made
}

// Opening is the Decoder for a view that opens what is sealed: sealed messages are masked, whether a key opens them
// or not. The error is that of a protocol which reads them for a register that steers.
func (d *Decoder) Opening() (*Decoder, error) {
	s := *d.Schema()
	s.Opens = true
	return remade(&s, d.plan.Context)
}

// remade is the Decoder of a schema that differs in nothing that was checked.
func remade(s *schema.Schema, given plan.Context) (*Decoder, error) {
	made, diags := plan.CompileIn(s, given)
	if made == nil {
		return nil, &schema.Diagnostics{Files: s.Files, List: diags}
	}
	return New(made), nil
}
