package pcap

import (
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	fileClient = netip.MustParseAddrPort("127.0.0.1:50000")
	fileServer = netip.MustParseAddrPort("127.0.0.1:4124")
)

// datagramsIn counts what a file holds, which must be a whole capture.
func datagramsIn(t *testing.T, name string) int64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: mode %v, %v, want 0600", name, info.Mode(), err)
	}
	datagrams, n := NewDatagrams(NewReader(f)), int64(0)
	for {
		if _, err := datagrams.Next(); err == io.EOF {
			return n
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n++
	}
}

// A ring ends a file that is full or old, keeps the newest, and loses no packet of them.
func TestFileWriterRotates(t *testing.T) {
	for name, row := range map[string]struct {
		rotation Rotation
		made     int64 // files
		packets  []int64
	}{
		"one":      {Rotation{}, 1, []int64{10}},
		"size":     {Rotation{Bytes: 500}, 3, []int64{5, 5, 0}},
		"kept":     {Rotation{Bytes: 500, Files: 2}, 3, []int64{5, 0}},
		"duration": {Rotation{Duration: time.Nanosecond}, 11, []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}},
		"files":    {Rotation{Files: 2}, 1, []int64{10}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w, err := CreateFile(dir+"/a.b.pcapng", Section{}, row.rotation)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 10 {
				if err := w.WriteUDP(int64(i), fileClient, fileServer, make([]byte, 30)); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second does nothing
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			files, _ := filepath.Glob(dir + "/a.b*.pcapng") // in the order of their numbers
			var got []int64
			bytes := int64(0)
			for _, file := range files {
				got = append(got, datagramsIn(t, file))
				info, _ := os.Stat(file)
				bytes += info.Size()
			}
			if len(got) != len(row.packets) || w.number != row.made && row.rotation.rotates() {
				t.Fatalf("%d files made, %v kept, want %d and %v", w.number, got, row.made, row.packets)
			}
			for i, n := range got {
				if n != row.packets[i] {
					t.Errorf("%v packets, want %v", got, row.packets)
				}
			}
			if row.rotation.Files == 0 && w.Size() != bytes {
				t.Errorf("size %d, want %d", w.Size(), bytes)
			}
		})
	}
}

// A timer changes the file when no packet comes.
func TestFileWriterRotatesByTimer(t *testing.T) {
	dir := t.TempDir()
	w, err := CreateFile(dir+"/a.pcapng", Section{}, Rotation{Duration: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{time.Minute, 2 * time.Hour} {
		if err := w.Rotate(time.Now().Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(dir + "/a_0000?_*.pcapng"); len(files) != 2 {
		t.Errorf("%v: want 2 files", files)
	}
}

// A file of a ring that exists is an attack or an accident: it stays, and the error names it.
func TestFileWriterRefusesExistingFiles(t *testing.T) {
	dir := t.TempDir()
	w := &FileWriter{name: dir + "/a.pcapng", rotation: Rotation{Bytes: 1}}
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	taken := dir + "/a_00001_20260131120000.pcapng"
	if err := os.Symlink(dir+"/elsewhere", taken); err != nil {
		t.Skip(err)
	}
	var path *fs.PathError
	if err := w.openNext(now); !errors.As(err, &path) || path.Path != taken || !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v: want %s to be refused", err, taken)
	}
	if _, err := os.Stat(dir + "/elsewhere"); err == nil {
		t.Error("the link was followed")
	}
	if _, err := CreateFile(dir+"/b", Section{}, Rotation{Files: MaxFiles + 1}); err == nil {
		t.Error("more files than names have numbers for: no error")
	}
}

// One file is written over, and is its owner's alone from then on.
func TestFileWriterWritesOver(t *testing.T) {
	name := t.TempDir() + "/a.pcapng"
	if err := os.WriteFile(name, []byte(strings.Repeat("x", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := CreateFile(name, Section{}, Rotation{})
	if err == nil {
		err = w.Close()
	}
	if err != nil || datagramsIn(t, name) != 0 {
		t.Error(err)
	}
}

// A device that takes nothing: the first error is returned, and not again by Close.
func TestFileWriterFails(t *testing.T) {
	w, err := CreateFile("/dev/full", Section{}, Rotation{})
	if err != nil {
		t.Skip(err)
	}
	if err := w.WriteUDP(0, fileClient, fileServer, nil); err != nil {
		t.Fatal(err)
	}
	var failure *WriteError
	if err := w.Flush(); !errors.As(err, &failure) {
		t.Errorf("%v: want a *WriteError", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("said twice: %v", err)
	}
}

// Everything else in this package has readers and writers given to it.
func TestOnlyFileWriterOpensFiles(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			if imported.Path.Value == `"os"` && name != "file_writer.go" && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s imports os", name)
			}
		}
	}
}
