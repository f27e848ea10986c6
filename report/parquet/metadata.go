package parquet

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/report/saved"
)

// About is what a file says of itself beside its columns.
type About struct {
	Version  string    // of the program
	Captures []Capture // that were read
	// Incomplete is why the file is not of all that the captures had: one was cut, or not read to its end.
	Incomplete []string
}

// Capture is a capture that was read.
type Capture struct {
	Name   string
	Size   int64  // bytes that were read
	SHA256 string // of them, lower-case hexadecimal; not written where the protocol has secrets
}

// columnOf is where a column comes from, in the metadata.
type columnOf struct {
	Column string `json:"column"`         // with dots between names
	Path   string `json:"path,omitempty"` // of the field in a packet
	Case   string `json:"case,omitempty"` // of a group: the label of the case
}

// metadata is the file's pairs of keys and values.
func (l *Layout) metadata(a *About) [][2]string {
	ref := saved.NewSchemaRef(l.plan)
	var source strings.Builder
	for _, f := range l.plan.Schema.Files {
		source.Write(f.Src)
	}
	var columns []columnOf
	for _, g := range l.groups {
		columns = append(columns, columnOf{Column: g.name, Case: g.label})
		for i := g.lo; i < g.hi; i++ {
			columns = append(columns, columnOf{Column: strings.Join(l.columns[i].path, "."), Path: l.columns[i].of})
		}
	}
	units := map[string]string{}
	for i := range l.columns {
		if c := &l.columns[i]; c.unit != "" {
			units[strings.Join(c.path, ".")] = c.unit
		}
	}
	var hashes, sizes, files []string
	for _, c := range a.Captures {
		hashes, sizes, files = append(hashes, c.SHA256), append(sizes, strconv.FormatInt(c.Size, 10)), append(files, c.Name)
	}
	pairs := [][2]string{
		{"pktscope.version", a.Version},
		{"pktscope.schema_name", l.plan.Schema.Name},
		{"pktscope.schema_hash", ref.Hash},
		{"pktscope.schema", strings.ToValidUTF8(source.String(), "\uFFFD")},
		{"pktscope.capture", strings.ToValidUTF8(strings.Join(files, "\n"), "\uFFFD")},
		{"pktscope.capture_size", strings.Join(sizes, "\n")},
		{"pktscope.columns", marshal(columns)},
		{"pktscope.units", marshal(units)},
		{"pktscope.secrets", strconv.Itoa(l.secrets)},
		{"pktscope.complete", strconv.FormatBool(len(a.Incomplete) == 0)},
	}
	if !l.plan.HasSecret() { // else all but the secret is here, and a digest of it all tells which guess is right
		pairs = append(pairs, [2]string{"pktscope.capture_sha256", strings.Join(hashes, "\n")})
	}
	if len(a.Incomplete) > 0 {
		pairs = append(pairs, [2]string{"pktscope.incomplete", strings.ToValidUTF8(strings.Join(a.Incomplete, "\n"), "\uFFFD")})
	}
	return pairs
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("pktscope: internal error: parquet: " + err.Error())
	}
	return string(b)
}
