package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// listedEnum is what testdata/enums.txt says of an enum.
type listedEnum struct {
	values    map[int64]listedValue
	count     int    // of the rows, as the source has them
	tshark    string // its field, "" for none
	unchecked bool
	met       bool // a schema has it
}

type listedValue struct{ name, enumCase string } // enumCase: "" where the schema has none

func readEnums(t *testing.T) map[string]*listedEnum {
	t.Helper()
	text, err := os.ReadFile("testdata/enums.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]*listedEnum{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, " | ")
		if len(row) != 4 {
			t.Fatalf("%q: want four columns", line)
		}
		e := list[row[0]]
		if e == nil {
			e = &listedEnum{values: map[int64]listedValue{}}
			list[row[0]] = e
		}
		if row[3] == "" && row[1] != "unchecked" {
			t.Errorf("%q: no source", line)
		}
		switch row[1] {
		case "count":
			if e.count, err = strconv.Atoi(row[2]); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		case "tshark":
			e.tshark = row[2]
		case "unchecked":
			e.unchecked = true
		default:
			value, err := strconv.ParseInt(row[1], 0, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if _, twice := e.values[value]; twice {
				t.Errorf("%q: a value that was there before", line)
			}
			name, enumCase, named := strings.Cut(row[2], " = ")
			if !named {
				enumCase = name
			}
			if without, ok := strings.CutSuffix(name, " -"); ok {
				name, enumCase = without, ""
			}
			e.values[value] = listedValue{name, enumCase}
		}
	}
	return list
}

// letters is a name's letters and digits, in lower case: texts write them in many ways.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// sameName reports whether tshark's name has one of ours in it, or is in one: the case's, or one of those that stand in the
// table, between commas.
func sameName(theirs string, v listedValue) bool {
	theirs = letters(theirs)
	for _, name := range append(strings.Split(v.name, ","), v.name, v.enumCase) {
		if name = letters(name); name != "" && (strings.Contains(name, theirs) || strings.Contains(theirs, name)) {
			return true
		}
	}
	return false
}

// Every enum that ships has the values that its source gives, under names that the table connects with the source's.
func TestGalleryEnums(t *testing.T) {
	list := readEnums(t)
	for _, name := range protocols.ShippedNames() {
		s := loadDecoder(t, name).Plan().Schema
		for _, enum := range s.Enums {
			if s.Origin(enum.Pos) != "" {
				continue // that of an import, which ships, too
			}
			key := name + "." + enum.Name
			e := list[key]
			if e == nil {
				t.Errorf("%s: testdata/enums.txt does not have it: write down what its source says, or that nobody does", key)
				continue
			}
			e.met = true
			if e.unchecked != (len(e.values) == 0) || e.count != len(e.values) {
				t.Errorf("%s: %d values are listed, the source has %d, unchecked: %t", key, len(e.values), e.count, e.unchecked)
			}
			for _, c := range enum.Cases {
				if v, ok := e.values[c.Value.Int64()]; !e.unchecked && (!ok || letters(v.enumCase) != letters(c.Name)) {
					t.Errorf("%s: %s is %s; the table has %q", key, c.Name, c.Value, v)
				}
			}
			for value, v := range e.values {
				if v.enumCase != "" && !slices.ContainsFunc(enum.Cases, func(c schema.Case) bool { return c.Value.Int64() == value }) {
					t.Errorf("%s: it has no %s (%d, %s)", key, v.enumCase, value, v.name)
				}
			}
		}
	}
	for key, e := range list {
		if !e.met {
			t.Errorf("%s: no schema has it", key)
		}
	}
}

// tshark knows the listed values by the source's names, or the case's.
func TestGalleryEnumsBesideTshark(t *testing.T) {
	out, err := exec.Command(need.Program(t, need.Tshark, "tshark"), "-G", "values").Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]map[int64]string{}
	for line := range strings.Lines(string(out)) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(row) < 4 || row[0] != "V" {
			continue
		}
		value, err := strconv.ParseInt(row[2], 0, 64)
		if err != nil {
			continue
		}
		if theirs[row[1]] == nil {
			theirs[row[1]] = map[int64]string{}
		}
		theirs[row[1]][value] = row[3]
	}
	for key, e := range readEnums(t) {
		if e.tshark == "" {
			continue
		}
		known := theirs[e.tshark]
		if len(known) == 0 {
			t.Errorf("%s: tshark has no values of %s", key, e.tshark)
		}
		for value, v := range e.values {
			if name, ok := known[value]; ok && !sameName(name, v) {
				t.Errorf("%s: %d is %s in the table, %s for tshark", key, value, v.name, name)
			} else if !ok {
				t.Logf("%s: tshark does not know %d (%s)", key, value, v.name)
			}
		}
		for value, name := range known {
			if _, ok := e.values[value]; !ok {
				t.Logf("%s: the source does not list %d, %s for tshark", key, value, name)
			}
		}
	}
}

// A schema says in its head what it is written from, and what of that it does not have.
func TestGalleryHeads(t *testing.T) {
	source := regexp.MustCompile(`\bRFC \d|\bFrom |IEEE \d|chapter`)
	for _, name := range protocols.ShippedNames() {
		doc := loadDecoder(t, name).Plan().Schema.Doc
		_, without, ok := strings.Cut(strings.ReplaceAll(doc, "\n", " "), "Not here: ")
		if !ok || len(without) < len("nothing.") || !source.MatchString(doc) {
			t.Errorf("%s: its head does not say what it is written from, or what it does not have (Not here: …): %q", name, doc)
		}
	}
}
