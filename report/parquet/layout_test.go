package parquet

import (
	"fmt"
	"strings"
	"testing"
)

// Names that engines would take for one another, arms that share a name, and tags that are ranges; each column's type
// is the smallest that its range fits.
func TestLayout(t *testing.T) {
	d := load(t, `protocol t
order msb
enum Kind : uint8 { State = 1, STATE = 2, File = 3, A = 4, B = 5, C = 6, D = 7, E = 8 }
flags Keys : uint16 { Up = 1, Down = 2 }
packet {
    kind Kind
    key uint32 @secret
    time uint64
    small int(-100..100)
    wide int(-40000..5)
    ratio float(0..1, 0.01)
    real float32
    place vec2(float32)
    keys [2]Keys
    body switch kind { State: { kind uint8 }, STATE: uint16, File, A: { x bool8 }, default: { kind Kind } }
    inner switch small { -100..0: uint8, 1: bytes(2), default: empty }
}
`)
	l, err := NewLayout(d.Plan())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range l.columns[countBase:] {
		got = append(got, strings.Join(c.path, ".")+" "+c.word+" "+c.of)
	}
	want := []string{
		"fields.kind STRING kind", "fields.kind_code UINT8 kind", "fields.time UINT64 time", "fields.small INT8 small",
		"fields.wide INT32 wide", "fields.ratio DOUBLE ratio", "fields.real FLOAT real",
		"fields.place.x DOUBLE place.x", "fields.place.y DOUBLE place.y", "fields.keys STRING keys[]", "fields.keys_code UINT16 keys[]",
		"fields.inner__100__0 UINT8 inner", "fields.inner_1 BYTES inner", "State.kind UINT8 body.kind", "STATE_.body UINT16 body",
		"File_A.x BOOL body.x", "default.kind STRING body.kind", "default.kind_code UINT8 body.kind",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if l.secrets != 1 {
		t.Errorf("%d secrets", l.secrets)
	}
	sql, err := AppendViews(nil, d.Plan(), DialectOf("clickhouse"), `it's \`)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"CREATE OR REPLACE VIEW `packets` AS SELECT * FROM file('it\\'s \\\\', 'Parquet');\n",
		"VIEW `STATE_` AS", "FROM packets WHERE (`case` IN ('STATE'))", "(`case` IN ('File', 'A'))",
		"NOT COALESCE(`case` IN ('State', 'STATE', 'File', 'A'), `case` IS NULL)",
	} {
		if !strings.Contains(string(sql), part) {
			t.Errorf("no %s", part)
		}
	}
}

// A tag that is a number has ranges as numbers; a schema of too many fields is refused in a line.
func TestLayoutBounds(t *testing.T) {
	d := load(t, "protocol t\norder msb\npacket {\nkind int16\nbody switch kind { -5..-1: uint8, 7: uint16, default: empty }\n}\n")
	sql, err := AppendViews(nil, d.Plan(), DialectOf("duckdb"), `a"b'c`)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`read_parquet('a"b''c', union_by_name=true)`, `VIEW "_5___1" AS`,
		`WHERE (TRY_CAST("case" AS HUGEINT) BETWEEN -5 AND -1)`, `WHERE ("case" IN ('7'))`} {
		if !strings.Contains(string(sql), part) {
			t.Errorf("no %s", part)
		}
	}
	var src strings.Builder
	src.WriteString("protocol t\norder msb\npacket {\n")
	for i := range MaxColumns {
		fmt.Fprintf(&src, "f%d bool\n", i)
	}
	_, err = NewLayout(load(t, src.String()+"}\n").Plan())
	if want := fmt.Sprintf("t has %d fields as columns: want at most %d", MaxColumns+countBase, MaxColumns); err == nil || err.Error() != want {
		t.Errorf("want %s, got %v", want, err)
	}
}

// A digest of a capture beside all that is not secret in it tells which guess of a short secret is right.
func TestNoDigestOfSecrets(t *testing.T) {
	for mark, want := range map[string]bool{"": true, " @secret": false} {
		l, err := NewLayout(load(t, "protocol t\norder msb\npacket { id uint8, pin uint16"+mark+" }\n").Plan())
		if err != nil {
			t.Fatal(err)
		}
		digest := strings.Repeat("5e", 32)
		if got := strings.Contains(fmt.Sprint(l.metadata(&About{Captures: []Capture{{"c.pcap", 9, digest}}})), digest); got != want {
			t.Errorf("pin uint16%s: a digest: want %t, got %t", mark, want, got)
		}
	}
}
