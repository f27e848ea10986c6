package corpus_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/corpus"
)

func open(t *testing.T, dir string) *corpus.Store {
	t.Helper()
	s, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "nothing"), file} {
		if s, err := corpus.Open(name); err == nil {
			s.Close()
			t.Errorf("%s was opened", name)
		}
	}
	if s, err := corpus.Create(file); err == nil {
		s.Close()
		t.Error("a file was made a directory")
	}
	s := open(t, dir)
	if added, err := s.Add(make([]byte, corpus.MaxStored+1), corpus.Client, ""); added || err == nil || err.Error() != "want packets of at most 65536 bytes, got 65537" {
		t.Errorf("too large: %v, %v", added, err)
	}
	if s.Len() != 0 {
		t.Errorf("%d packets", s.Len())
	}
}

// A store gives back what it was given, each once, and a second one of the same directory sees it.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := corpus.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows := []struct {
		data  string
		from  string
		why   string
		added bool
	}{
		{"", corpus.Client, "", true},
		{"ab", corpus.Client, "the first\n\x1b[2J", true},
		{"ab", corpus.Client, "again", false},
		{"ab", corpus.Server, "", true},
		{strings.Repeat("x", corpus.MaxStored), corpus.Unknown, strings.Repeat("y", 1000), true},
	}
	for _, row := range rows {
		if added, err := s.Add([]byte(row.data), row.from, row.why); added != row.added || err != nil {
			t.Errorf("%.10q from %s: %v, %v", row.data, row.from, added, err)
		}
	}
	var got []string
	for p := range open(t, dir).All(func(note string) { t.Error(note) }) {
		got = append(got, fmt.Sprintf("%s %d %.12s", p.From, len(p.Data), p.Why))
		info, err := os.Stat(filepath.Join(dir, p.Name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", p.Name, info.Mode(), err)
		}
	}
	want := []string{"any 65536 yyyyyyyyyyyy", "client 0 ", "client 2 the first??[", "server 2 "}
	slices.Sort(got)
	if !slices.Equal(got, want) || s.Len() != 4 {
		t.Errorf("want %q, got %q", want, got)
	}
	for p := range s.All(nil) {
		if err := s.Remove(p.Name); err != nil {
			t.Error(err)
		}
	}
	if again := open(t, dir); again.Len() != 0 || s.Len() != 0 {
		t.Errorf("%d left", again.Len())
	}
}

// What is in a directory without being a packet is skipped, and told in one line.
func TestStoreHostile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	dir := t.TempDir()
	sum := "-00112233445566778899aabbccddeeff"
	s := open(t, dir)
	if _, err := s.Add([]byte("good"), corpus.Client, ""); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, []byte("secret"))
	write(filepath.Join(dir, "client"+sum), []byte("wrong"))
	write(filepath.Join(dir, "server"+sum), make([]byte, corpus.MaxStored+1))
	write(filepath.Join(dir, "README"), nil)
	write(filepath.Join(dir, "client"+strings.ToUpper(sum)), nil)
	write(filepath.Join(dir, ".new-half"), nil)
	if err := os.Symlink(outside, filepath.Join(dir, "any"+sum)); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "why.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "client-ff112233445566778899aabbccddeeff"), 0o700); err != nil {
		t.Fatal(err)
	}
	var notes []string
	packets := 0
	for p := range s.All(func(note string) { notes = append(notes, note) }) {
		if packets++; string(p.Data) != "good" {
			t.Errorf("%s: %q", p.Name, p.Data)
		}
	}
	want := []string{
		"2 files are no packets by their names",
		"any" + sum + ": is no regular file",
		"client" + sum + ": does not hold what its name says",
		"client-ff112233445566778899aabbccddeeff: is no regular file",
		"server" + sum + ": want 65536 bytes at most, got 65537",
	}
	if !slices.Equal(notes, want) || packets != 1 {
		t.Errorf("%d packets; want %q\ngot %q", packets, want, notes)
	}
	// The reasons are not written through a link.
	if added, err := s.Add([]byte("more"), corpus.Client, "because"); !added || err != nil {
		t.Errorf("%v, %v", added, err)
	}
	if data, _ := os.ReadFile(outside); string(data) != "secret" {
		t.Errorf("the file outside holds %q", data)
	}
}

// Several at once add the same packets: each is there once, and whole.
func TestStoreTogether(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	var mu sync.Mutex
	added := 0
	for range 4 {
		s := open(t, dir)
		wait.Go(func() {
			for i := range 50 {
				ok, err := s.Add(bytes.Repeat([]byte{byte(i)}, 100), corpus.Client, "together")
				if err != nil {
					t.Error(err)
				}
				if ok {
					mu.Lock()
					added++
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	n := 0
	for p := range open(t, dir).All(func(note string) { t.Error(note) }) {
		if n++; p.Why != "together" {
			t.Errorf("%s: why %q", p.Name, p.Why)
		}
	}
	if added != 50 || n != 50 {
		t.Errorf("%d added, %d there", added, n)
	}
}

// News gives what another store has added to the directory, each packet once, and nothing of this one.
func TestStoreNews(t *testing.T) {
	dir := t.TempDir()
	add := func(s *corpus.Store, packets ...string) {
		t.Helper()
		for _, p := range packets {
			if _, err := s.Add([]byte(p), corpus.Client, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := func() *corpus.Store {
		t.Helper()
		s, err := corpus.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	a := open()
	add(a, "before")
	b := open()
	add(a, "one", "two", "three")
	add(b, "own", "two")
	const bad = corpus.Client + "-00000000000000000000000000000000"
	if err := os.WriteFile(filepath.Join(dir, bad), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 4 {
		some := b.News(1)
		if len(some) > 1 {
			t.Errorf("%d packets at once", len(some))
		}
		for _, one := range some {
			got = append(got, string(one.Data))
			if one.From != corpus.Client {
				t.Errorf("%s is from %s", one.Data, one.From)
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("got %q", got)
	}
	add(a, "four")
	if got := b.News(9); len(got) != 1 || string(got[0].Data) != "four" {
		t.Errorf("later: %v", got)
	}
}
