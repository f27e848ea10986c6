package decode_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
)

// A schema that cannot be used is an error that says all that is wrong, each with its place.
func TestLoadRefuses(t *testing.T) {
	rows := []struct {
		name, src string
		params    []decode.Param
		want      []string
	}{
		{"two types", "protocol x\norder lsb\npacket {\n\ta uint7\n\tb uint9\n}\n", nil, []string{"x.pks:4:4: error: ", "x.pks:5:4: error: "}},
		{"syntax", "protocol x\norder lsb\npacket {", nil, []string{"x.pks:3:"}},
		{"no such param", "protocol x\norder lsb\npacket { a uint8 }\n", []decode.Param{{Name: "N", Value: big.NewInt(1)}}, []string{"x.pks: error: "}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			d, err := decode.Load("x.pks", []byte(row.src), row.params...)
			var all *schema.Diagnostics
			if d != nil || !errors.As(err, &all) || len(all.List) == 0 {
				t.Fatalf("want diagnostics, got %v, %v", d, err)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want …%s…, got\n%v", want, err)
				}
			}
			if lines := strings.Count(err.Error(), "\n") + 1; lines != len(all.List) {
				t.Errorf("want a line for each of %d, got %d", len(all.List), lines)
			}
		})
	}
}

// A param changes what is compiled, and what is odd but accepted is a warning.
func TestLoad(t *testing.T) {
	d, err := decode.Load("x.pks", []byte("protocol x\norder lsb\nparam N = 1 in 1..4\npacket { v [N]uint8 }\n"), decode.Param{Name: "N", Value: big.NewInt(3)})
	if err != nil {
		t.Fatal(err)
	}
	var trace decode.Trace
	if err := d.Decode([]byte{1, 2, 3}, decode.FromUnknown, &trace); err != nil {
		t.Error(err)
	}
	if err := d.Decode([]byte{1}, decode.FromUnknown, &trace); err == nil {
		t.Error("one byte was taken for three")
	}
	d, err = decode.Load("x.pks", []byte("protocol x\norder lsb\npacket {\n\ta float(0..1, 0.3)\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if w := d.Schema().Warnings; len(w) != 1 || w[0].Severity != schema.Warning {
		t.Errorf("want one warning, got %v", w)
	}
}
