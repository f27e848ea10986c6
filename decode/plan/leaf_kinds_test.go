package plan

import (
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
)

// A kind of leaf without all of its row is one that somebody forgot.
func TestLeafRows(t *testing.T) {
	for k := range leafRows {
		row := reflect.ValueOf(leafRows[k])
		for i := range row.NumField() {
			if row.Field(i).IsZero() {
				t.Errorf("leaf kind %d: no %s", k, row.Type().Field(i).Name)
			}
		}
	}
	for f := FormUint; f <= FormBytes; f++ {
		if f.String() == "" {
			t.Errorf("form %d has no name", f)
		}
	}
}

// A type is wide where some value of it is outside ±(2^53-1), whatever its kind and whether its width is known.
func TestWide(t *testing.T) {
	for _, row := range []struct {
		decl string
		want bool
	}{
		{"bits(53)", false}, {"bits(54)", true}, {"sbits(53)", false}, {"sbits(54)", true}, {"int64", true},
		{"zigzag(53)", false}, {"zigzag(54)", true}, {"zigzag(64)", true}, {"varint(53)", false}, {"varint(54)", true},
		{"bits(n)", true}, {"sbits(n)", true}, {"int(0..100)", false}, {"int(-9007199254740991..0)", false}, {"int(-9007199254740992..0)", true},
		{"int(9007199254740990..9007199254740992)", true},
	} {
		p := mustCompile(t, "protocol w\norder lsb\npacket {\n  n int(0..64)\n  v "+row.decl+"\n}\n")
		if got := p.Info[1].Wide(); got != row.want {
			t.Errorf("%s: want %v, got %v", row.decl, row.want, got)
		}
	}
}

func TestAppendInt(t *testing.T) {
	var l LeafInfo
	for _, edge := range []uint64{0, 10, 100, 1000, 10_000, 100_000, 1 << 32, math.MaxUint64} {
		for d := range uint64(23) {
			if v := edge + d - 11; string(l.AppendInt(nil, v, 64)) != strconv.FormatUint(v, 10) {
				t.Errorf("%d: got %s", v, l.AppendInt(nil, v, 64))
			}
		}
	}
}

// Fields of one enum have one list of its cases: a stranger's schema of 2,000 fields of 30,000 cases took more than 100
// s and 1 GB when each had its own.
func TestCasesAreShared(t *testing.T) {
	p := mustCompile(t, `protocol shared
order lsb
enum E : uint16 {
  A = 1
  B = 2
}
enum V : varint(16) {
  C = 300
  D = 2
}
packet {
  a E
  b E
  list [3]E
  c V
  d V
}
`)
	seen := map[*schema.Enum]*Cases{}
	for i := range p.Info {
		l := &p.Info[i]
		if l.Enum == nil {
			continue
		}
		if was := seen[l.Enum]; was != nil && was != l.Cases {
			t.Errorf("leaf %d has its own list of the cases of %s", i, l.Enum.Name)
		}
		seen[l.Enum] = l.Cases
		for _, c := range l.Enum.Cases {
			if got := l.CaseName(l.CodeOf(c.Value.Uint64(), 16)); got != c.Name {
				t.Errorf("%s of %s: got %q", c.Name, l.Enum.Name, got)
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d enums", len(seen))
	}
}
