package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/protocols"
)

// engine is a database that reads Parquet, in a process of its own for each list of queries, and its SQL.
type engine struct {
	name, script string
	files        string // the table function over a quoted glob
	quote        string // of identifiers
	member       func(value, name string) string
	element      string // a row for each element of a list
	big, text    string // a value as an integer of 128 bits, as text
	hex, finite  string
}

var engines = []engine{
	{"duckdb", "duckdb.mjs", "read_parquet('%s', union_by_name=true)", `"`,
		func(value, name string) string { return value + `."` + name + `"` },
		"unnest(%s)", "CAST(%s AS HUGEINT)", "CAST(%s AS VARCHAR)", "lower(hex(%s))", "isfinite(%s)"},
	{"clickhouse", "clickhouse.mjs", "file('%s', 'Parquet')", "`",
		func(value, name string) string { return "tupleElement(" + value + ", '" + name + "')" },
		"arrayJoin(%s)", "toInt128(%s)", "toString(%s)", "lower(hex(%s))", "isFinite(%s)"},
}

// enginesHome is where the engines are installed; without them the test is skipped, or fails where they are required.
func enginesHome(t *testing.T) string {
	t.Helper()
	need.Program(t, need.Engines, "node")
	dir := os.Getenv("PKTSCOPE_ENGINES")
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".cache", "pktscope-engines")
	}
	for _, one := range []string{"@duckdb/node-api", "chdb"} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", one)); err != nil {
			need.Skip(t, need.Engines, one+" is not in "+dir+"/node_modules: make engines installs it")
		}
	}
	return dir
}

// ask runs queries; each is to succeed.
func (e *engine) ask(t *testing.T, home string, queries []string) [][][]any {
	t.Helper()
	cmd := exec.Command("node", filepath.Join("testdata", "engines", e.script))
	cmd.Env = append(os.Environ(), "PKTSCOPE_ENGINES="+home)
	cmd.Stdin = strings.NewReader(strings.Join(queries, "\n") + "\n")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", e.name, err, said.Bytes())
	}
	var all [][][]any
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for i := 0; lines.Scan(); i++ {
		var rows [][]any
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		if err := d.Decode(&rows); err != nil {
			t.Fatalf("%s: %s\n%s", e.name, queries[min(i, len(queries)-1)], lines.Bytes())
		}
		all = append(all, rows)
	}
	if len(all) != len(queries) {
		t.Fatalf("%s: want %d answers, got %d: %s", e.name, len(queries), len(all), said.Bytes())
	}
	return all
}

// one is the cells of an answer's only row, as text. Of no values ClickHouse has the least and most of a type.
func one(rows [][]any) []string {
	var cells []string
	for _, row := range rows {
		for _, cell := range row {
			cells = append(cells, fmt.Sprint(cell))
		}
	}
	if len(cells) == 5 && cells[0] == "0" {
		return []string{"0", "", "", "", "0"}
	}
	return cells
}

// unshown is bytes in hexadecimal that JSON has as an address: 10.0.0.1, 00:00:5e:00:53:01, a UUID.
func unshown(text string) string {
	if parts := strings.Split(text, "."); len(parts) == 4 {
		var b []byte
		for _, part := range parts {
			n, _ := strconv.ParseUint(part, 10, 8)
			b = append(b, byte(n))
		}
		return hex.EncodeToString(b)
	}
	return strings.NewReplacer(":", "", "-", "").Replace(text)
}

// leafColumn is a column without members, as the file's own schema has it.
type leafColumn struct {
	steps []string // names of members; "" for the elements of a list
	name  string   // with dots
	kind  string   // BOOLEAN, INT, FLOAT, DOUBLE, TEXT or BYTES
	field string   // the path in JSON, from the metadata
	tags  []string // cases that its group is of, from there; nil of all
}

// values are those that JSON has in the column, of all packets or of those of its cases.
func (c *leafColumn) values(of map[string][]any) (list []any) {
	if c.tags == nil {
		return of[c.field]
	}
	for _, tag := range c.tags {
		list = append(list, of[tag+" "+c.field]...)
	}
	return list
}

// beside reports whether another column is of the same path, and of the same packets.
func (c *leafColumn) beside(o *leafColumn) bool {
	return c.field == o.field && c.steps[0] == o.steps[0]
}

// leafColumns reads a file's schema and metadata.
func leafColumns(t *testing.T, home, file string) (columns []leafColumn, meta map[string]string) {
	t.Helper()
	answers := engines[0].ask(t, home, []string{
		fmt.Sprintf("SELECT name, coalesce(type, ''), coalesce(num_children, 0), coalesce(converted_type, ''), coalesce(CAST(logical_type AS VARCHAR), '') FROM parquet_schema('%s')", file),
		fmt.Sprintf("SELECT decode(key), decode(value) FROM parquet_kv_metadata('%s')", file),
	})
	meta = map[string]string{}
	for _, row := range answers[1] {
		meta[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
	}
	var listed []struct{ Column, Path, Case string }
	if err := json.Unmarshal([]byte(meta["pktscope.columns"]), &listed); err != nil {
		t.Fatal(err)
	}
	paths, tags := map[string]string{}, map[string][]string{}
	for _, one := range listed {
		paths[one.Column] = one.Path
		if one.Case != "" && one.Case != "default" && !strings.Contains(one.Case, "..") {
			tags[one.Column] = strings.Split(one.Case, ", ")
		}
	}
	rows := answers[0]
	at := 0
	var read func(steps []string)
	read = func(steps []string) {
		row := rows[at]
		at++
		name, kind, converted := fmt.Sprint(row[0]), fmt.Sprint(row[1]), fmt.Sprint(row[3])
		children, _ := strconv.Atoi(fmt.Sprint(row[2]))
		if name != "element" || len(steps) == 0 || steps[len(steps)-1] != "" {
			steps = append(steps[:len(steps):len(steps)], name)
		}
		switch {
		case converted == "LIST":
			at++ // the repeated group
			read(append(steps, ""))
		case children > 0:
			for range children {
				read(steps)
			}
		default:
			kind, _, _ = strings.Cut(strings.TrimRight(kind, "0123456789"), "_")
			if kind == "BYTE" {
				kind = "BYTES"
				if converted == "UTF8" || strings.Contains(fmt.Sprint(row[4]), "String") {
					kind = "TEXT"
				}
			}
			dotted := strings.Join(slices.DeleteFunc(slices.Clone(steps), func(s string) bool { return s == "" }), ".")
			if dotted != "time" { // whose values no engine has as numbers: see checkBase
				columns = append(columns, leafColumn{steps, dotted, kind, paths[dotted], tags[steps[0]]})
			}
		}
	}
	children, _ := strconv.Atoi(fmt.Sprint(rows[0][2]))
	at++
	for range children {
		read(nil)
	}
	return columns, meta
}

// values is a query of all values of a column: v is each.
func (e *engine) values(c *leafColumn, file string) string {
	query := fmt.Sprintf("SELECT %s%s%s AS v0 FROM "+e.files, e.quote, c.steps[0], e.quote, file)
	for i, step := range c.steps[1:] {
		value := fmt.Sprintf("v%d", i)
		if step == "" {
			value = fmt.Sprintf(e.element, value)
		} else {
			value = e.member(value, step)
		}
		query = fmt.Sprintf("SELECT %s AS v%d FROM (%s)", value, i+1, query)
	}
	return fmt.Sprintf("SELECT v%d AS v FROM (%s)", len(c.steps)-1, query)
}

// summary is a query of what a column's values come to: count, sum, least, most, how many different.
func (e *engine) summary(c *leafColumn, file string) string {
	from := fmt.Sprintf(" FROM (%s) WHERE v IS NOT NULL", e.values(c, file))
	text := func(expr string) string { return "coalesce(" + fmt.Sprintf(e.text, expr) + ", 'NULL')" }
	switch c.kind {
	case "INT":
		number := fmt.Sprintf(e.big, "v")
		return "SELECT count(v), " + text("sum("+number+")") + ", " + text("min(v)") + ", " + text("max(v)") + ", count(DISTINCT v)" + from
	case "BOOLEAN":
		number := fmt.Sprintf(e.big, "v")
		return "SELECT count(v), " + text("sum("+number+")") + ", 0, 0, 0" + from
	case "FLOAT", "DOUBLE":
		from += " AND " + fmt.Sprintf(e.finite, "v")
		return "SELECT count(v), 0, " + text("min(v)") + ", " + text("max(v)") + ", count(DISTINCT v + 0)" + from // -0 is 0
	case "BYTES":
		value := fmt.Sprintf(e.hex, "v")
		return "SELECT count(v), 0, " + text("min("+value+")") + ", " + text("max("+value+")") + ", count(DISTINCT v)" + from
	}
	return "SELECT count(v), 0, " + text("min(v)") + ", " + text("max(v)") + ", count(DISTINCT v)" + from
}

// jsonPackets reads what -T json has: rows by case and verdict, and the values of each path of accepted packets. A list
// of words that is no list of the schema's stays one value, of flags.
func jsonPackets(t *testing.T, text []byte, isFlags func(path string) bool) (rows map[string]int, values map[string][]any, packets []map[string]any) {
	t.Helper()
	rows, values = map[string]int{}, map[string][]any{}
	tag := ""
	add := func(path string, v any) {
		values[path] = append(values[path], v)
		values[tag+" "+path] = append(values[tag+" "+path], v)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if value, is := v["value"]; is && len(v) == 2 {
				if _, is := v["raw"]; is {
					walk(path, value)
					return
				}
			}
			for name, one := range v {
				dotted := name
				if path != "" {
					dotted = path + "." + name
				}
				walk(dotted, one)
			}
		case []any:
			if isFlags(path) {
				add(path, v)
				return
			}
			for _, one := range v {
				walk(path+"[]", one)
			}
		case nil:
		default:
			add(path, v)
		}
	}
	for line := range bytes.Lines(text) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var packet map[string]any
		if err := d.Decode(&packet); err != nil {
			t.Fatal(err)
		}
		packets = append(packets, packet)
		word := "NULL"
		if c, is := packet["case"]; is && !strings.HasPrefix(fmt.Sprint(c), "‹secret") {
			word = fmt.Sprint(c)
		}
		rows[word+" "+fmt.Sprint(packet["verdict"])]++
		if tag = word; packet["verdict"] == "accept" {
			walk("", packet["fields"])
		}
	}
	return rows, values, packets
}

// expected is what a column's summary is to be, from JSON; exact is false where JSON shows what a number stands for,
// such as an address, or the names of a code.
func expected(c *leafColumn, values []any) (cells []string, exact bool) {
	sum, different := new(big.Int), map[string]bool{}
	var texts []string
	var numbers []*big.Int
	var floats []float64
	isCode := strings.HasSuffix(c.steps[len(c.steps)-1], "_code")
	for _, v := range values {
		if names, is := v.([]any); is && c.kind == "TEXT" { // flags
			for _, name := range names {
				texts = append(texts, fmt.Sprint(name))
			}
			continue
		}
		text := fmt.Sprint(v)
		switch c.kind {
		case "INT":
			n, ok := new(big.Int).SetString(text, 10)
			if !ok || isCode {
				texts, isCode = append(texts, text), true
				continue
			}
			numbers = append(numbers, n)
		case "BOOLEAN":
			numbers = append(numbers, big.NewInt(int64(strings.Count(text, "true"))))
		case "FLOAT", "DOUBLE":
			f, err := strconv.ParseFloat(text, 64)
			if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
				floats = append(floats, f)
			}
		case "BYTES":
			texts = append(texts, unshown(text))
		default:
			texts = append(texts, text)
		}
	}
	if len(values) == 0 {
		return []string{"0", "", "", "", "0"}, true
	}
	if isCode {
		for _, text := range texts {
			different[text] = true
		}
		return []string{fmt.Sprint(len(texts) + len(numbers)), "", "", "", fmt.Sprint(len(different))}, false
	}
	least, most := "NULL", "NULL"
	if len(numbers) > 0 {
		lo, hi := numbers[0], numbers[0]
		for _, n := range numbers {
			sum.Add(sum, n)
			different[n.String()] = true
			if n.Cmp(lo) < 0 {
				lo = n
			}
			if n.Cmp(hi) > 0 {
				hi = n
			}
		}
		least, most = lo.String(), hi.String()
	}
	if len(texts) > 0 {
		least, most = slices.Min(texts), slices.Max(texts)
		for _, text := range texts {
			different[text] = true
		}
	}
	if len(floats) > 0 {
		least, most = floatBits(slices.Min(floats)), floatBits(slices.Max(floats))
		for _, f := range floats {
			different[floatBits(f+0)] = true
		}
	}
	total := sum.String()
	n := len(numbers) + len(texts) + len(floats)
	if n == 0 {
		return []string{"0", "", "", "", "0"}, true
	}
	if c.kind == "BOOLEAN" {
		return []string{fmt.Sprint(n), total, "0", "0", "0"}, true
	}
	return []string{fmt.Sprint(n), total, least, most, fmt.Sprint(len(different))}, true
}

// floatBits is a float of 32 bits' precision by its bits: JSON has the shortest text of a float32 where a packet has
// one, and a double column what that is.
func floatBits(f float64) string { return fmt.Sprintf("%#x", math.Float32bits(float32(f))) }

// engineCapture is a capture and whose packets it has.
type engineCapture struct{ protocol, file string }

// engineCaptures are those of the built-ins and the examples.
func engineCaptures(t *testing.T) (all []engineCapture) {
	t.Helper()
	for _, name := range protocols.ShippedNames() {
		for _, dir := range []string{"../../corpus", "../../corpus/examples"} {
			file := filepath.Join(dir, name+".pcap")
			if _, err := os.Stat(file); err == nil {
				all = append(all, engineCapture{name, file})
			}
		}
	}
	if len(all) < 18 {
		t.Fatalf("%d captures", len(all))
	}
	return all
}

// runTo runs a command line and returns what it printed.
func runTo(t *testing.T, want int, args ...string) []byte {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	code := run(args, strings.NewReader(""), out, out)
	text, err := os.ReadFile(out.Name())
	if err != nil || code != want {
		t.Fatalf("%v: exit code %d, want %d: %v: %.400s", args, code, want, err, text)
	}
	return text
}

// Of each column of each capture's file, DuckDB and ClickHouse count what -T json has: rows by case and verdict, and of
// each leaf how many there are, their sum, the least, the most, and how many different.
func TestEnginesCountWhatJSONHas(t *testing.T) {
	home := enginesHome(t)
	for _, capture := range engineCaptures(t) {
		t.Run(capture.protocol, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "packets.parquet")
			runTo(t, 0, "decode", "-q", "-p", capture.protocol, "-T", "parquet", "-o", file, capture.file)
			text := runTo(t, 0, "decode", "-q", "-p", capture.protocol, "-T", "json", capture.file)
			columns, meta := leafColumns(t, home, file)
			flagged := map[string]bool{}
			for _, c := range columns {
				if c.steps[len(c.steps)-1] == "" && c.field != "" && !strings.HasSuffix(c.field, "[]") {
					flagged[c.field] = true
				}
			}
			for _, c := range columns { // a list of flags: two lists deep, one of them the schema's
				if deep := strings.Count(strings.Join(c.steps, "\x00")+"\x00", "\x00\x00"); deep > strings.Count(c.field, "[]") && c.field != "" {
					flagged[c.field] = true
				}
			}
			rows, values, packets := jsonPackets(t, text, func(path string) bool { return flagged[path] })
			checkBase(t, home, file, packets)
			var queries [2][]string
			for i := range engines {
				e := &engines[i]
				kind := e.quote + "case" + e.quote
				queries[i] = append(queries[i], "SELECT coalesce("+kind+", 'NULL') || ' ' || verdict, count(*) FROM "+fmt.Sprintf(e.files, file)+" GROUP BY ALL")
				for j := range columns {
					queries[i] = append(queries[i], e.summary(&columns[j], file))
				}
			}
			answers := [2][][][]any{engines[0].ask(t, home, queries[0]), engines[1].ask(t, home, queries[1])}
			for i := range engines {
				got := map[string]int{}
				for _, row := range answers[i][0] {
					got[fmt.Sprint(row[0])], _ = strconv.Atoi(fmt.Sprint(row[1]))
				}
				if fmt.Sprint(got) != fmt.Sprint(rows) {
					t.Errorf("%s: rows: want %v, got %v", engines[i].name, rows, got)
				}
			}
			checkColumns(t, columns, values, answers)
			for path, list := range values {
				if strings.Contains(path, " ") { // of a case
					continue
				}
				if strings.HasPrefix(fmt.Sprint(list[0]), "‹secret") {
					if slices.ContainsFunc(columns, func(c leafColumn) bool { return c.field == path }) {
						t.Errorf("%s is a secret, and has a column", path)
					}
				} else if !slices.ContainsFunc(columns, func(c leafColumn) bool { return c.field == path }) {
					t.Errorf("%s has no column", path)
				}
			}
			if meta["pktscope.complete"] != "true" || meta["pktscope.schema_name"] != capture.protocol || (len(meta["pktscope.capture_sha256"]) == 64) != (meta["pktscope.secrets"] == "0") {
				t.Errorf("metadata: %.300v", meta)
			}
		})
	}
}

// checkColumns compares the columns' summaries with JSON and with each other. Columns of one path, of arms of a switch
// that have one name, are compared together where their types differ.
func checkColumns(t *testing.T, columns []leafColumn, values map[string][]any, answers [2][][][]any) {
	t.Helper()
	counted, wanted := map[string]int{}, map[string]int{}
	exactly := 0
	for i, c := range columns {
		a, b := one(answers[0][i+1]), one(answers[1][i+1])
		isFloat := c.kind == "FLOAT" || c.kind == "DOUBLE"
		if isFloat {
			for _, cells := range [][]string{a, b} {
				for k := 2; k < 4; k++ {
					if f, err := strconv.ParseFloat(cells[k], 64); err == nil {
						cells[k] = fmt.Sprintf("%#x", math.Float64bits(f))
					}
				}
			}
		}
		if !slices.Equal(a, b) {
			t.Errorf("%s: duckdb has %q, clickhouse %q", c.name, a, b)
		}
		if c.field == "" {
			continue
		}
		list := c.values(values)
		want, exact := expected(&c, list)
		alone := !slices.ContainsFunc(columns, func(o leafColumn) bool {
			return c.beside(&o) && o.name != c.name && o.name != c.name+"_code" && c.name != o.name+"_code"
		})
		if !alone { // arms of a switch, of which each has a column
			if n, _ := strconv.Atoi(a[0]); !strings.HasSuffix(c.name, "_code") {
				counted[c.steps[0]+" "+c.field] += n
				if !isList(append(list, 0)[0]) {
					wanted[c.steps[0]+" "+c.field] = len(list)
				}
			}
			continue
		}
		if isFloat {
			for k := 2; k < 4; k++ {
				if bits, err := strconv.ParseUint(a[k], 0, 64); err == nil {
					f := math.Float64frombits(bits)
					if float64(float32(f)) == f {
						a[k] = floatBits(f)
					}
				}
			}
		}
		if !exact {
			a[1], a[2], a[3] = "", "", ""
		} else {
			exactly++
		}
		if !slices.Equal(a, want) {
			t.Errorf("%s (%s, %s): want %q, got %q", c.name, c.field, c.kind, want, a)
		}
	}
	for path, n := range wanted {
		if counted[path] != n {
			t.Errorf("%s: want %d values in all arms, got %d", path, n, counted[path])
		}
	}
	if exactly == 0 {
		t.Error("no column was compared exactly")
	}
	t.Logf("%d columns, %d compared exactly", len(columns), exactly)
}

func isList(v any) bool {
	_, is := v.([]any)
	return is
}

// checkBase compares the columns that every file has.
func checkBase(t *testing.T, home, file string, packets []map[string]any) {
	t.Helper()
	var bits, n, refusedBits, notes int64
	kinds := map[string]bool{}
	for _, p := range packets {
		number := func(v any) int64 { i, _ := strconv.ParseInt(fmt.Sprint(v), 10, 64); return i }
		bits += number(p["bits"])
		n += number(p["n"])
		if r, is := p["reject"].(map[string]any); is {
			refusedBits += number(r["bit"])
			kinds[fmt.Sprint(r["kind"])+" "+fmt.Sprint(r["want"])+" "+fmt.Sprint(r["got"])] = true
		}
		list, _ := p["notes"].([]any)
		notes += int64(len(list))
	}
	want := []string{fmt.Sprint(len(packets)), fmt.Sprint(bits), fmt.Sprint(n), fmt.Sprint(refusedBits), fmt.Sprint(len(kinds)), fmt.Sprint(notes)}
	for i := range engines {
		e := &engines[i]
		q := func(name string) string { return e.member("reject", name) }
		length := "len(notes)"
		if e.name == "clickhouse" {
			length = "length(notes)"
		}
		differ := "epoch_us(time) <> time_ns // 1000" // DuckDB has microseconds
		if e.name == "clickhouse" {
			differ = "toUnixTimestamp64Nano(assumeNotNull(time)) <> time_ns"
		}
		if got := one(e.ask(t, home, []string{"SELECT count(*) FROM " + fmt.Sprintf(e.files, file) + " WHERE " + differ + " OR (time IS NULL) <> (time_ns IS NULL)"})[0]); got[0] != "0" {
			t.Errorf("%s: %s times differ", e.name, got)
		}
		query := "SELECT count(*), sum(bits), sum(n), coalesce(sum(" + q("bit") + "), 0), count(DISTINCT " + q("kind") + " || ' ' || " + q("want") + " || ' ' || " + q("got") + "), sum(" + length + ") FROM " + fmt.Sprintf(e.files, file)
		if got := one(e.ask(t, home, []string{query})[0]); !slices.Equal(got, want) {
			t.Errorf("%s: rows, bits, n, refused bits, refusals, notes: want %v, got %v", e.name, want, got)
		}
	}
}

// A glob of six files is one file: what is asked of all columns but the number and the file has one answer.
func TestEnginesReadGlobs(t *testing.T) {
	home, dir := enginesHome(t), t.TempDir()
	const capture, packets, pieces = "../../corpus/rtype.pcap", 1800, 6
	var files []string
	for i := range pieces {
		file := filepath.Join(dir, fmt.Sprintf("ring-%d.pcapng", i))
		runTo(t, 0, "decode", "-q", "-p", "rtype", "-w", file, "-Y", fmt.Sprintf("pkt.n > %d && pkt.n <= %d", i*packets/pieces, (i+1)*packets/pieces), capture)
		files = append(files, file)
	}
	out := filepath.Join(dir, "out") + "/"
	runTo(t, 0, append([]string{"decode", "-q", "-T", "parquet", "-o", out}, files...)...)
	whole, glob := filepath.Join(dir, "whole.parquet"), out+"*.parquet"
	runTo(t, 0, "decode", "-q", "-T", "parquet", "-o", whole, capture)
	if made, _ := filepath.Glob(glob); len(made) != pieces {
		t.Fatalf("want %d files, got %q", pieces, made)
	}
	columns, _ := leafColumns(t, home, whole)
	for i := range engines {
		var queries [2][]string
		for k, from := range []string{whole, glob} {
			queries[k] = append(queries[k], "SELECT count(*) FROM "+fmt.Sprintf(engines[i].files, from))
			for j := range columns {
				if name := columns[j].name; name != "n" && name != "file" {
					queries[k] = append(queries[k], engines[i].summary(&columns[j], from))
				}
			}
		}
		want, got := engines[i].ask(t, home, queries[0]), engines[i].ask(t, home, queries[1])
		if rows := one(want[0])[0]; rows != fmt.Sprint(packets) {
			t.Errorf("%s: %s rows", engines[i].name, rows)
		}
		for k := range want {
			if !slices.Equal(one(want[k]), one(got[k])) {
				t.Errorf("%s: %s\nwant %v, got %v", engines[i].name, queries[1][k], want[k], got[k])
			}
		}
	}
}

// Both engines make all views of schema sql, of files whose name is full of quotes, and count the same in them. A
// case's view has its packets, and a list's the elements that JSON has.
func TestEnginesViews(t *testing.T) {
	home := enginesHome(t)
	for _, capture := range engineCaptures(t) {
		t.Run(capture.protocol, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "it's \"`x`\".parquet")
			runTo(t, 0, "decode", "-q", "-p", capture.protocol, "-T", "parquet", "-o", file, capture.file)
			rows, elements := map[string]int{}, map[string]int{}
			for line := range bytes.Lines(runTo(t, 0, "decode", "-q", "-p", capture.protocol, "-T", "json", capture.file)) {
				var packet struct {
					Case, Verdict string
					Fields        map[string]any
				}
				if err := json.Unmarshal(line, &packet); err != nil {
					t.Fatal(err)
				}
				rows["packets"]++
				rows[packet.Case]++
				if packet.Verdict == "reject" {
					rows["rejects"]++
				}
				if body, is := packet.Fields["body"].(map[string]any); is && packet.Verdict == "accept" {
					for name, v := range body {
						if list, is := v.([]any); is {
							elements[packet.Case+"_"+name] += len(list)
						}
					}
				}
			}
			var answers [2]map[string]string
			for i := range engines {
				e := &engines[i]
				sql := runTo(t, 0, "schema", "sql", "-T", e.name, "-p", capture.protocol, file)
				var queries, names []string
				for line := range strings.Lines(string(sql)) {
					line = strings.TrimRight(line, ";\n")
					name := strings.Split(line, e.quote)[1]
					names = append(names, name)
					queries = append(queries, line, "SELECT count(*) FROM (SELECT * FROM "+e.quote+name+e.quote+")")
				}
				answers[i] = map[string]string{}
				for k, answer := range e.ask(t, home, queries) {
					if k%2 == 1 {
						answers[i][names[k/2]] = one(answer)[0]
					}
				}
			}
			if fmt.Sprint(answers[0]) != fmt.Sprint(answers[1]) {
				t.Errorf("duckdb: %v\nclickhouse: %v", answers[0], answers[1])
			}
			for name, n := range answers[0] {
				if want, is := rows[name]; (is || name == "rejects") && fmt.Sprint(want) != n {
					t.Errorf("%s: want %d rows, got %s", name, want, n)
				}
				if want, is := elements[name]; is && fmt.Sprint(want) != n {
					t.Errorf("%s: want %d elements, got %s", name, want, n)
				}
			}
			if len(answers[0]) < 2 {
				t.Errorf("views: %v", answers[0])
			}
		})
	}
}
