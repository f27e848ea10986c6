package need

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test that only says what it was told.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.said = "fail: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Skipf(format string, args ...any) {
	r.said = "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// told is what becomes of a test that needs something.
func told(f func(t testing.TB)) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.said
}

func TestSkip(t *testing.T) {
	for _, row := range []struct{ required, name, want string }{
		{"tshark", Tshark, "fail: PKTSCOPE_REQUIRE has tshark, and this test cannot run: x"},
		{"root, tshark", Tshark, "fail: PKTSCOPE_REQUIRE has tshark"},
		{"cxx,root", Root, "fail: PKTSCOPE_REQUIRE has root"},
		{"tshrak", Tshark, `fail: PKTSCOPE_REQUIRE: want afl, cases, chromium, cxx, enet, engines, long, mono, node, promtool, root, rust, tshark, got "tshrak"`},
		{"go", Tshark, `fail: PKTSCOPE_REQUIRE: want afl`},
		{"", "tshrak", `fail: need: no test can need "tshrak"`},
		{"", Tshark, "skip: tests that need tshark are those of .ci/all tshark"},
		{"chromium cxx", Tshark, "skip: tests that need tshark are those of .ci/all tshark"},
	} {
		t.Setenv("PKTSCOPE_REQUIRE", row.required)
		if got := told(func(t testing.TB) { Skip(t, row.name, "x") }); !strings.HasPrefix(got, row.want) {
			t.Errorf("%q with %q required: want %q, got %q", row.name, row.required, row.want, got)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Setenv("PKTSCOPE_REQUIRE", "cxx")
	if got := told(func(t testing.TB) { Program(t, CXX, "no-such-a", "no-such-b") }); got != "fail: PKTSCOPE_REQUIRE has cxx, and this test cannot run: no no-such-a, no-such-b is installed" {
		t.Errorf("got %q", got)
	}
	if got := told(func(t testing.TB) { Program(t, CXX, "no-such-a", "go") }); got != "" {
		t.Errorf("go is here: %q", got)
	}
	t.Setenv("PKTSCOPE_REQUIRE", "") // that it is installed changes nothing
	if got := told(func(t testing.TB) { Program(t, CXX, "go") }); got != "skip: tests that need cxx are those of .ci/all cxx" {
		t.Errorf("got %q", got)
	}
}

func TestRoundsIn(t *testing.T) {
	plain := Rounds(3, 1)
	for required, want := range map[string]int{"": plain, "tshark": plain, "long": 9, "tshark long": 9} {
		t.Setenv("PKTSCOPE_REQUIRE", required)
		if got := RoundsIn(t, Long, 9, 3, 1); got != want {
			t.Errorf("%q: want %d, got %d", required, want, got)
		}
	}
}
