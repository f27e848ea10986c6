package decode_test

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
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

// Imports are read from the directory, however odd what is in it.
func TestLoadFS(t *testing.T) {
	top := t.TempDir()
	at := filepath.Join(top, "dir")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{at, filepath.Join(at, "d.pks")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put("dir/lib.pks", "protocol lib\norder lsb\nstruct Point { x uint16 }\n")
	put("out.pks", "protocol out\norder lsb\nconst Secret = 1\n")
	if err := os.Symlink("../out.pks", filepath.Join(at, "link.pks")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("lib.pks", filepath.Join(at, "in.pks")); err != nil {
		t.Skip(err)
	}
	for _, row := range []struct{ file, want string }{
		{"lib.pks", ""},
		{"in.pks", ""},
		{"link.pks", "`link.pks` cannot be read"},
		{"d.pks", "`d.pks` cannot be read: it is no plain file"},
		{"none.pks", "there is no file `none.pks`"},
	} {
		src := fmt.Sprintf("protocol x\norder msb\nimport %q\npacket { p Point }\n", row.file)
		d, err := decode.LoadFS(decode.Dir(at), "x.pks", []byte(src))
		if row.want != "" {
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s: want %s, got %v", row.file, row.want, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", row.file, err)
		}
		var trace decode.Trace
		if err := d.Decode([]byte{1, 2}, decode.FromUnknown, &trace); err != nil || trace.Raw[0] != 0x0201 { // in the order of lib.pks
			t.Errorf("%s: got %x, %v", row.file, trace.Raw, err)
		}
	}
	if _, err := decode.LoadFS(decode.Dir(filepath.Join(top, "none")), "x.pks", []byte("protocol x\norder msb\nimport \"a.pks\"\npacket { a uint8 }\n")); err == nil {
		t.Error("a directory that is none has files")
	}
}

// The ports that are given stand for those of the source, for packets and for messages in them; the Decoder that they
// were given to keeps its own.
func TestWithPorts(t *testing.T) {
	const source = "protocol game\norder lsb\nport 4124\nmessage M max 16 { m uint8 }\npacket { n uint8\n data bytes(rest, max 16) @message(M) }\n"
	own, err := decode.Load("game.pks", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	given := own.WithPorts(5000, 4000, 4001)
	for _, row := range []struct {
		src, dst   uint16
		own, given decode.Direction
	}{
		{4124, 9, decode.Server, decode.FromUnknown},
		{9, 4001, decode.FromUnknown, decode.Client},
		{5000, 9, decode.FromUnknown, decode.Server},
		{5000, 4124, decode.Client, decode.Server},
		{5000, 4000, decode.FromUnknown, decode.FromUnknown},
	} {
		if got := decode.DirectionOf(own.Schema(), row.src, row.dst); got != row.own {
			t.Errorf("%d to %d: own %v, want %v", row.src, row.dst, got, row.own)
		}
		if got := decode.DirectionOf(given.Schema(), row.src, row.dst); got != row.given {
			t.Errorf("%d to %d: given %v, want %v", row.src, row.dst, got, row.given)
		}
	}
	if text := schema.PortList(given.Schema().Ports); text != "5000, 4000, 4001" || schema.PortList(own.Schema().Ports) != "4124" {
		t.Errorf("%s, %s", text, schema.PortList(own.Schema().Ports))
	}
	for _, section := range given.Plan().Sections {
		if text := schema.PortList(section.Schema.Ports); text != "5000, 4000, 4001" {
			t.Errorf("a message has %s", text)
		}
	}
}
