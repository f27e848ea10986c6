package shards

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/pcap"
)

const capture = "../../corpus/rtype.pcap"

// planOf cuts files.
func planOf(t testing.TB, size int64, names ...string) []byte {
	t.Helper()
	var b Builder
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add(name, f, size); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return b.AppendJSON(nil)
}

func list(t testing.TB, r *pcap.Reader) (out []string) {
	t.Helper()
	for d := pcap.NewDatagrams(r); ; {
		one, err := d.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%d %d %x", one.N, one.Time, one.Payload))
	}
}

// The shards of a plan are the capture, each once.
func TestPlan(t *testing.T) {
	f, err := os.Open(capture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := list(t, pcap.NewReader(f))
	text := planOf(t, 10_000, capture)
	plan, _, err := Read(bytes.NewReader(text), 0)
	if err != nil || plan.N < 20 {
		t.Fatal(plan, err)
	}
	if each := len(text) / plan.N; each > 160 {
		t.Errorf("%d bytes a shard", each)
	}
	var got []string
	for i := range plan.N {
		again, s, err := Read(bytes.NewReader(text), i)
		if err != nil || *again != *plan || s.I != i {
			t.Fatal(i, err)
		}
		in, err := s.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		r := pcap.NewReader(nil)
		r.ResetPart(in, s.Part())
		got = append(got, list(t, r)...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d datagrams, want %d", len(got), len(want))
	}
	other, _, err := Read(bytes.NewReader(planOf(t, 20_000, capture)), 0)
	if err != nil || other.Stream != plan.Stream || other.Cut == plan.Cut {
		t.Errorf("%+v and %+v: want one stream and two cuts", plan, other)
	}
}

// ReadAll has the shards that Read finds one by one.
func TestReadAll(t *testing.T) {
	plan := planOf(t, 20_000, "../../corpus/gaffer.pcap", capture)
	of, all, err := ReadAll(bytes.NewReader(plan))
	if err != nil || len(all) != of.N || of.N < 5 {
		t.Fatalf("%v: %d shards of %v", err, len(all), of)
	}
	for i, got := range all {
		p, want, err := Read(bytes.NewReader(plan), i)
		if err != nil || !reflect.DeepEqual(&got, want) || *p != *of {
			t.Errorf("shard %d: %v: %+v, want %+v", i, err, got, want)
		}
	}
	lines := bytes.SplitAfter(plan, []byte("\n"))
	if _, _, err := ReadAll(bytes.NewReader(bytes.Join(lines[:len(lines)-2], nil))); err == nil {
		t.Error("a shard is missing, and nothing is said")
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(planOf(t, 100_000, capture))
	lines := strings.SplitAfter(good, "\n")
	for _, row := range []struct {
		name, text string
		i          int
		want       string
	}{
		{"nothing", "", 0, "line 1: want a plan, as pktscope shards writes it"},
		{"another kind", `{"kind":"stats"}`, 0, "line 1: want a plan, as pktscope shards writes it"},
		{"another version", `{"schema_version":2,"kind":"shards"}`, 0, "line 1: a plan of version 2: want 1"},
		{"no stream", `{"schema_version":1,"kind":"shards","n":3}`, 0, "line 1: want a stream of 16 digits, and 1..1048576 shards"},
		{"beyond the last", good, 3, "want shard 0..2, got 3"},
		{"before the first", good, -1, "want shard 0..2, got -1"},
		{"cut", strings.Join(lines[:3], ""), 0, "line 3: want 3 shards, got 2"},
		{"more", good + lines[1], 0, "line 5: want 3 shards, got 4"},
		{"no JSON", lines[0] + "hello\n" + lines[2] + lines[3], 0, "line 2: no shard"},
		{"out of order", lines[0] + lines[2] + lines[1] + lines[3], 1, "line 3: want shard 1, got 0"},
		{"of a file without a beginning", lines[0] + lines[1] + strings.Replace(lines[2], "rtype", "other", 1) + lines[3], 1, "line 3: the file of shard 1 does not begin before it"},
		{"backwards", lines[0] + strings.Replace(lines[1], `"from":0`, `"from":-1`, 1) + lines[2] + lines[3], 0, "line 2: shard 0 is no piece of a file"},
		{"too long", lines[0] + strings.Repeat(" ", maxLine+1), 0, "line 2: bufio.Scanner: token too long"},
	} {
		if _, _, err := Read(strings.NewReader(row.text), row.i); err == nil || err.Error() != row.want {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// A file that has changed is told from the one that the plan was made of.
func TestChangedFile(t *testing.T) {
	whole, err := os.ReadFile(capture)
	if err != nil {
		t.Fatal(err)
	}
	_, s, err := Read(bytes.NewReader(planOf(t, 100_000, capture)), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(b []byte) []byte{
		"shorter":        func(b []byte) []byte { return b[:len(b)-1] },
		"longer":         func(b []byte) []byte { return append(b, 0) },
		"another header": func(b []byte) []byte { b[20] ^= 1; return b },
		"empty":          func([]byte) []byte { return nil },
	} {
		path := filepath.Join(t.TempDir(), "x.pcap")
		if err := os.WriteFile(path, change(bytes.Clone(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := s.Open(f); err == nil || err.Error() != "is not what the plan was made of" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if err := new(Builder).Add("-", r, 1); err == nil {
		t.Error("a pipe is cut")
	}
	f, err := os.Open("shards.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := new(Builder).Add("shards.go", f, 1); !errors.Is(err, pcap.ErrNotCapture) {
		t.Error(err)
	}
}

// Every file is in one shard.
func TestFiles(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	for n := 1; n < 12; n++ {
		var all []string
		for i := range n {
			all = append(all, Files(names, i, n)...)
		}
		if !slices.Equal(all, names) {
			t.Errorf("%d shards: %v", n, all)
		}
	}
}

// FuzzRead reads any bytes as a plan, and what it says of a capture.
func FuzzRead(f *testing.F) {
	f.Add(planOf(f, 100_000, capture), 1)
	f.Add([]byte(`{"schema_version":1,"kind":"shards","stream":"0000000000000000","n":1}`), 0)
	whole, err := os.ReadFile(capture)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, i int) {
		plan, s, err := Read(bytes.NewReader(text), i)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 {
				t.Errorf("not a line: %q", err)
			}
			return
		}
		if i < 0 || i >= plan.N || s.Warm > s.From || s.From > s.To {
			t.Fatalf("%+v %+v", plan, s)
		}
		n := int64(len(whole))
		r := pcap.NewReader(nil)
		r.ResetPart(bytes.NewReader(whole[min(s.Warm, n):min(s.To, n)]), s.Part())
		d := pcap.NewDatagrams(r)
		for err = error(nil); err == nil; {
			_, err = d.Next()
		}
	})
}
