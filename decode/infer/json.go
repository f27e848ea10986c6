package infer

import (
	"encoding/json"
	"fmt"
)

// SchemaVersion is that of the JSON of a Result. It rises with what readers must know of.
const SchemaVersion = 1

// AppendJSON appends the evidence as one JSON object on one line: what it rests on, the fields, and the packets that the
// schema refuses, the first thousand.
func (r *Result) AppendJSON(b []byte) []byte {
	type checksum struct {
		Algorithm string `json:"algorithm"`
		Byte      int    `json:"byte"` // below 0: so many before the end
		Type      string `json:"type"`
		Match     int    `json:"match"`
		Of        int    `json:"of"`
	}
	type outlier struct {
		Packet int64  `json:"packet"`
		Reason string `json:"reason"`
	}
	out := struct {
		SchemaVersion int       `json:"schema_version"`
		Kind          string    `json:"kind"`
		Packets       int64     `json:"packets"`
		Refused       int64     `json:"refused"`
		Order         string    `json:"order"`
		Undecided     bool      `json:"order_undecided"`
		Checksum      *checksum `json:"checksum"`
		End           string    `json:"end,omitempty"`
		Constant      float64   `json:"constant"`
		Opaque        float64   `json:"opaque"`
		Bounded       bool      `json:"bounded"` // the search ended at its bound of work
		Fields        []Field   `json:"fields"`
		Outliers      []outlier `json:"outliers"`
	}{
		SchemaVersion: SchemaVersion, Kind: "infer", Packets: r.Packets, Refused: r.Refused, Order: r.Order.Order.String(),
		Undecided: r.Order.Undecided, End: r.Check, Constant: r.Constant, Opaque: r.Opaque, Bounded: r.Spent,
		Fields: r.Fields, Outliers: []outlier{},
	}
	if out.Fields == nil {
		out.Fields = []Field{}
	}
	if k := r.Checksum; k != nil {
		out.Checksum = &checksum{k.Algorithm.Name, k.At, k.Type(r.Order.Order), k.Match, k.Of}
	}
	for _, o := range r.Outliers {
		out.Outliers = append(out.Outliers, outlier{o.N, o.Reason})
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(fmt.Sprintf("pktscope: internal error: %v", err))
	}
	return append(b, text...)
}
