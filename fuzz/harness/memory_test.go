package harness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

const duelSchema = `protocol duel
order lsb
enum Kind : uint8 { Ping = 0, Arm = 1, Fire = 2 }
packet {
    kind Kind
    body switch kind {
        Ping: { token uint8 }
        Arm:  { power uint8 in 0..100 }
        Fire: { power uint8 in 0..100 }
    }
}`

// duelReader reads duels rightly but for what it remembers, which the environment chooses.
const duelReader = `
#include <stdlib.h>
#include <string.h>

static int right(const uint8_t *data, size_t size) { return size == 2 && data[0] <= 2 && (data[0] == 0 || data[1] <= 100); }

static int is(const uint8_t *data, size_t size, int kind, int power) { return size == 2 && data[0] == kind && data[1] == power; }

static int read_duel(const uint8_t *data, size_t size) {
    static int armed, count, since;
    static char *kept;
    const char *memory = getenv("DUEL_MEMORY");
    int fires = armed;
    count++;
    if (strcmp(memory, "flag") == 0) {
        if (is(data, size, 1, 100)) armed = 1;
        if (fires && size == 2 && data[0] == 2 && data[1] > 100) return 1;
    } else if (strcmp(memory, "refused") == 0) {
        if (is(data, size, 1, 101)) armed = 1;
        if (fires && is(data, size, 0, 0)) return 0;
    } else if (strcmp(memory, "counter") == 0) {
        if (count > 150 && size == 2 && data[0] > 2) return 1;
    } else if (strcmp(memory, "late") == 0) {
        if (is(data, size, 2, 100)) armed = 1;
        if (armed && ++since > 40) abort();
    } else if (strcmp(memory, "freed") == 0) {
        if (is(data, size, 0, 0) && !kept) kept = malloc(64);
        if (is(data, size, 1, 100) && kept) armed = 1, free(kept);
        if (fires && is(data, size, 2, 100)) abort(); // as a sanitizer would
    } else if (strcmp(memory, "restarts") == 0) {
        if (is(data, size, 2, 255)) abort();
        if (is(data, size, 2, 100)) armed = 1;
        if (fires && size == 2 && data[0] == 1 && data[1] > 100) return 1;
    }
    return right(data, size);
}`

// A C reader with memory, after pipes: what is found is the same in every run and with any number of workers.
func TestReadersWithMemory(t *testing.T) {
	p := compile(t, "duel.pks", duelSchema)
	source := harness.Source("c", p, "duel.pks", "harness.c")
	head, tail, ok := strings.Cut(source, "// #include \"your_reader.h\"\n")
	tail, body, ok2 := strings.Cut(tail, "    (void)data;\n")
	_, body, ok3 := strings.Cut(body, "\n}\n")
	if !ok || !ok2 || !ok3 {
		t.Fatal("nothing to fill in")
	}
	reader := build(t, "gcc", "harness.c", head+duelReader+tail+"    return read_duel(data, size);\n}\n"+body, "-O1")
	runs, workersOf := map[string]int{"audit": 4, "campaign": 1}, []int{1, 2, 4}
	memories := []string{"flag", "refused", "counter", "late", "freed", "restarts"}
	if testing.Short() { // each death costs many processes
		runs, workersOf, memories = map[string]int{"audit": 1}, []int{4}, memories[:1]
	}
	target := func(ctx context.Context) (oracle.Target, error) {
		return process.New(ctx, process.Options{Args: []string{reader}, Warm: []byte{0, 0}})
	}
	for _, memory := range memories {
		t.Setenv("DUEL_MEMORY", memory)
		audit := func(workers int) (found []string) {
			r, err := (&fuzz.Audit{Decoder: decode.New(p), Seed: 1, Workers: workers, NewTarget: target}).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				found = append(found, fmt.Sprintf("%s: %s: %x behind %x", f.Key(), f.What(), f.Packet, f.Before))
			}
			return append(found, fmt.Sprintf("%d packets, %d of %d refused, %d of %d accepted", r.Packets, r.Refused, r.Hostile, r.Accepted, r.Valid))
		}
		campaign := func(workers int) (found []string) {
			s, err := (&fuzz.Campaign{Decoder: decode.New(p), Seed: 1, Workers: workers, Execs: 4000, NewTarget: target}).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range s.Findings {
				found = append(found, fmt.Sprintf("%s: %s: %x behind %x", f.Key(), f.What(), f.Packet, f.Before))
			}
			return append(found, fmt.Sprintf("%d packets, %d kept", s.Execs, s.Kept))
		}
		for tool, run := range map[string]func(int) []string{"audit": audit, "campaign": campaign} {
			if runs[tool] == 0 {
				continue
			}
			first := run(1)
			if len(first) < 2 {
				t.Errorf("%s, %s: nothing found", memory, tool)
			}
			for i := range runs[tool] {
				for _, workers := range workersOf {
					if got := run(workers); strings.Join(got, "\n") != strings.Join(first, "\n") {
						t.Fatalf("%s, %s, run %d with %d workers: got\n%s\nwant\n%s", memory, tool, i, workers, strings.Join(got, "\n"), strings.Join(first, "\n"))
					}
				}
			}
		}
	}
}
