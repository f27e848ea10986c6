// Package need is for tests that need more of a machine than Go. They run where PKTSCOPE_REQUIRE names what they need, and
// fail there if it is missing; elsewhere they skip, even if it is installed. `.ci/all NAME` installs NAME and sets
// PKTSCOPE_REQUIRE=NAME. No program imports it.
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
	Cases    = "cases"    // g++ with sanitizers, Go and node: readers on which audit was wrong
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

// Names are all that a test can need.
func Names() []string {
	return []string{AFL, Cases, Chromium, CXX, ENet, Engines, Long, Mono, Node, Promtool, Root, Rust, Tshark}
}

// Job skips a test that needs NAME unless PKTSCOPE_REQUIRE names it, whatever is installed: `go test ./...` runs the same
// tests on every machine, with Go alone, and a job of .ci/all runs the others.
func Job(t testing.TB, name string) {
	t.Helper()
	if !Required(t, name) {
		t.Skipf("tests that need %s are those of .ci/all %s", name, name)
	}
}

// Skip skips a test that needs what the machine lacks, or fails it where it is required. why is one line.
func Skip(t testing.TB, name, why string) {
	t.Helper()
	Job(t, name)
	t.Fatalf("PKTSCOPE_REQUIRE has %s, and this test cannot run: %s", name, why)
}

// Required reports whether PKTSCOPE_REQUIRE names what a test needs.
func Required(t testing.TB, name string) bool {
	t.Helper()
	if !slices.Contains(Names(), name) {
		t.Fatalf("need: no test can need %q: want %s", name, strings.Join(Names(), ", "))
	}
	required := strings.FieldsFunc(os.Getenv("PKTSCOPE_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
	for _, one := range required {
		if !slices.Contains(Names(), one) { // a slip of the pen would require nothing
			t.Fatalf("PKTSCOPE_REQUIRE: want %s, got %q", strings.Join(Names(), ", "), one)
		}
	}
	return slices.Contains(required, name)
}

// Program is the path of the first of some programs that is installed. The test is one of the job NAME (Job).
func Program(t testing.TB, name string, programs ...string) string {
	t.Helper()
	Job(t, name)
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
