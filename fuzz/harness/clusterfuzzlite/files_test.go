package clusterfuzzlite

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
)

const lock = `protocol lock
order msb
enum Verb : uint16 {
    Open = 0x4f70
    Shut = 0x5368
}
packet {
    magic char(2) == "LK"
    key   uint32 == 0xdeadbeef @secret
    verb  Verb
    odd   bits(4) == 3
    n     bits(4)
    name  [n]uint8
    way   uint16
    more  [n]uint8 // between a tag and its switch
    tail  switch way {
        0x5571: uint8
        0x5572: empty
    }
}
`

func load(t *testing.T) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("lock.pks", []byte(lock))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The dictionary has what is compared, in bytes as they are sent; nothing secret, nothing that is not whole bytes.
func TestDictionary(t *testing.T) {
	seeds, words, err := gather(load(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(seeds) == 0 {
		t.Error("no seeds")
	}
	got := string(dictionary("lock", words))
	for _, want := range []string{"\n\"Op\"\n", "\n\"Sh\"\n", "\n\"Uq\"\n", "\n\"Ur\"\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the dictionary lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, `\xde\xad`) {
		t.Errorf("the dictionary has a secret:\n%s", got)
	}
	if got := string(dictionary("x", [][]byte{{'"', '\\', 0, 'a', 0xff}})); !strings.HasSuffix(got, "\n"+`"\"\\\x00a\xff"`+"\n") {
		t.Errorf("escaped: %s", got)
	}
}

// Each built-in has files, the same ones each time, and nothing of the templates is left unfilled.
func TestFiles(t *testing.T) {
	names := append([]string{"rtype", "packets"}, protocols.Names()...)
	for _, name := range names[:need.Rounds(len(names), 2)] {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Files(d, "c", "-p "+name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "rtype" {
			again, err := Files(d, "c", "-p "+name)
			if err != nil || !reflect.DeepEqual(files, again) {
				t.Errorf("the second time there are other files: %v", err)
			}
		}
		for _, f := range files {
			if strings.Contains(f.Name, "seeds/") {
				var trace decode.Trace
				client := d.Decode(f.Text, decode.Client, &trace)
				if server := d.Decode(f.Text, decode.Server, &trace); client != nil && server != nil {
					t.Errorf("%s: %s is refused: %v", name, f.Name, errors.Join(client, server))
				}
			} else if bytes.Contains(f.Text, []byte("@NAME")) || bytes.Contains(f.Text, []byte("@COMPILE")) {
				t.Errorf("%s: %s is not filled", name, f.Name)
			}
		}
	}
}

// TestBuilds runs build.sh as the image does, with clang, and the binary on its seeds; and an overread that is planted
// in the reader is found.
func TestBuilds(t *testing.T) {
	clang, clangxx := need.Program(t, need.CXX, "clang"), need.Program(t, need.CXX, "clang++")
	need.Program(t, need.CXX, "zip")
	for _, language := range Languages() {
		t.Run(language, func(t *testing.T) {
			files, err := Files(load(t), language, "-p lock.pks")
			if err != nil {
				t.Fatal(err)
			}
			root, out, work := t.TempDir(), t.TempDir(), t.TempDir()
			source := ""
			for _, f := range files {
				path := filepath.Join(root, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Text, 0o666); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(filepath.Base(path), "lock_harness.") {
					source = path
				}
			}
			build := func() string {
				cmd := exec.Command("bash", "-eu", ".clusterfuzzlite/build.sh")
				cmd.Dir = root
				const flags = "-O1 -fsanitize=address,undefined,fuzzer-no-link"
				cmd.Env = append(os.Environ(), "SRC="+filepath.Dir(root), "OUT="+out, "WORK="+work, "CC="+clang, "CXX="+clangxx,
					"CFLAGS="+flags, "CXXFLAGS="+flags, "LIB_FUZZING_ENGINE=-fsanitize=address,undefined,fuzzer")
				if text, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				return filepath.Join(out, "lock_harness")
			}
			run := func(binary string, args ...string) (string, error) {
				cmd := exec.Command(binary, append(args, "-dict="+binary+".dict", filepath.Join(root, "fuzz/seeds"))...)
				cmd.Dir = work
				text, err := cmd.CombinedOutput()
				return string(text), err
			}
			if text, err := run(build(), "-runs=1000"); err != nil {
				t.Fatalf("%v\n%s", err, text)
			} else if !strings.Contains(text, "Dictionary: ") {
				t.Errorf("no dictionary was read:\n%s", text)
			}
			if info, err := os.Stat(filepath.Join(out, "lock_harness_seed_corpus.zip")); err != nil || info.Size() < 100 {
				t.Errorf("the seeds: %v, %v", info, err)
			}

			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			empty := "    (void)data;\n    (void)size;\n"
			planted := `    if (size < 10 || data[0] != 'L' || data[1] != 'K') return 0;
    volatile unsigned sum = 0; // of as many bytes as the packet says that there are
    for (int i = 0; i < (data[8] & 15); i++) sum = sum + data[9 + i];
`
			if strings.Count(string(text), empty) != 1 {
				t.Fatal("the harness has another function to fill in")
			}
			if err := os.WriteFile(source, []byte(strings.Replace(string(text), empty, planted, 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			said, err := run(build(), "-max_total_time=60", "-max_len=64")
			if err == nil || !strings.Contains(said, "heap-buffer-overflow") {
				t.Errorf("the overread is not found: %v\n%s", err, said)
			}
			t.Logf("found in %v", time.Since(begun).Round(time.Millisecond))
		})
	}
}
