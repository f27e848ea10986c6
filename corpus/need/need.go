// Package need is for tests that need more of a machine than Go: where it is not there they skip, unless whoever runs
// them has made sure that it is. `.ci/all NAME` does that and sets PKTSCOPE_REQUIRE=NAME, and what would skip for want
// of NAME fails. No program imports it.
package need

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a test may need, as PKTSCOPE_REQUIRE and .ci/all call it.
const (
	Tshark   = "tshark"   // tshark and what comes with it, tcpdump, zstd
	Chromium = "chromium" // a browser that runs without a screen
	Root     = "root"     // raw sockets, namespaces, mounts, ip, tmux
	CXX      = "cxx"      // gcc, g++, clang, with sanitizers and libFuzzer
	Node     = "node"     // node, which finds the packages of the job by NODE_PATH, tree-sitter, vim and nvim, libsodium for python3
	AFL      = "afl"      // AFL++ with afl-clang-fast, clang
	ENet     = "enet"     // a C compiler and libenet
	Rust     = "rust"     // rustc
	Mono     = "mono"     // mcs and mono
	Promtool = "promtool" // promtool, which comes with Prometheus
	Engines  = "engines"  // node, and DuckDB and ClickHouse in PKTSCOPE_ENGINES/node_modules
	Long     = "long"     // Go alone, and minutes of CPU that nobody waits for who changes a line
)

// Go is what PKTSCOPE_REQUIRE has where Go alone is wanted, as in .ci/run: tests that need a program of Names skip, though it
// may be installed, because a job of .ci/all runs them.
const Go = "go"

// Names are all that a test can need.
func Names() []string {
	return []string{AFL, Chromium, CXX, ENet, Engines, Long, Mono, Node, Promtool, Root, Rust, Tshark}
}

// Skip skips a test that needs what is not there, or fails it where it is required. why is one line.
func Skip(t testing.TB, name, why string) {
	t.Helper()
	if !slices.Contains(Names(), name) {
		t.Fatalf("need: no test can need %q: want %s", name, strings.Join(Names(), ", "))
	}
	if Required(t, name) {
		t.Fatalf("PKTSCOPE_REQUIRE has %s, and this test cannot run: %s", name, why)
	}
	t.Skipf("without %s: %s", name, why)
}

// Required reports whether what is named has to be there: then a test that is long with it may be long.
func Required(t testing.TB, name string) bool {
	t.Helper()
	required := strings.FieldsFunc(os.Getenv("PKTSCOPE_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
	for _, one := range required {
		if one != Go && !slices.Contains(Names(), one) { // a slip of the pen would require nothing
			t.Fatalf("PKTSCOPE_REQUIRE: want %s, %s, got %q", Go, strings.Join(Names(), ", "), one)
		}
	}
	return slices.Contains(required, name)
}

// Program is the path of the first of some programs that is installed. Under -short, and where Go alone is required, it
// skips unless name is required as well.
func Program(t testing.TB, name string, programs ...string) string {
	t.Helper()
	if (testing.Short() || os.Getenv("PKTSCOPE_REQUIRE") == Go) && !Required(t, name) {
		t.Skipf("tests that need %s are those of .ci/all %s", programs[0], name)
	}
	for _, program := range programs {
		if path, err := exec.LookPath(program); err == nil {
			return path
		}
	}
	Skip(t, name, "no "+strings.Join(programs, ", ")+" is installed")
	return ""
}

// Profile is a directory for a browser's profile, which goes with the test. Processes of the browser write to it for a
// moment after it was killed, so that testing.T.TempDir sometimes cannot be removed.
func Profile(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}
