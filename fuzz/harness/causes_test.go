package harness_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

const blobsSchema = `protocol blobs
order lsb
max datagram 100
struct Blob {
    size uint8 in 0..16
    data bytes(size)
}
packet {
    kind uint8 in 0..2
    body switch kind {
        0: { one Blob }
        1: {
            two Blob
            three Blob
        }
        2: {
            id uint8
            four Blob
            name_size uint8 in 0..16
            name bytes(name_size)
        }
    }
}
`

// blobsReader copies a blob and a name into 16 bytes by one function: both sizes are not checked, which are two
// mistakes.
const blobsReader = `
struct in { const uint8_t *d; size_t n, at; int bad; };
__attribute__((noinline)) static int u8(struct in *r) {
    if (r->at >= r->n) return r->bad = 1, 0;
    return r->d[r->at++];
}
__attribute__((noinline)) static void put(struct in *r, unsigned char *to, int n) {
    for (int i = 0; i < n; i++)
        to[i] = (unsigned char)u8(r);
}
__attribute__((noinline)) static void blob(struct in *r) { unsigned char b[16]; put(r, b, u8(r)); r->bad |= b[0] & 0; }
__attribute__((noinline)) static void name(struct in *r) { unsigned char b[16]; put(r, b, u8(r)); r->bad |= b[0] & 0; }
static int read_blobs(const uint8_t *data, size_t size) {
    struct in in = {data, size, 0, 0};
    switch (u8(&in)) {
    case 0: blob(&in); break;
    case 1: blob(&in), blob(&in); break;
    case 2: u8(&in), blob(&in), name(&in); break;
    default: return 0;
    }
    return !in.bad && in.at == size;
}
`

// Crashes are as many findings as there are places where the reader is wrong, and not as there are fields that lead
// there; a line that two functions call wrongly is two. Each finding has its stack.
func TestCrashPlaces(t *testing.T) {
	p := compile(t, "blobs", blobsSchema)
	source := harness.Source("c", p, "-p blobs", "harness.c")
	source = strings.Replace(source, "    (void)data;\n    (void)size;\n    return 0;\n", "    return read_blobs(data, size);\n", 1)
	source = strings.Replace(source, "// #include \"your_reader.h\"\n", blobsReader, 1)
	bin := build(t, "gcc", "harness.c", source, "-g", "-O0", "-fsanitize=address")
	a := fuzz.Audit{Decoder: decode.New(p), Seed: 1, Workers: 2, NewTarget: func(ctx context.Context) (oracle.Target, error) {
		return process.New(ctx, process.Options{Args: []string{bin}})
	}}
	if testing.Short() { // each death is a process, and an audit has a thousand
		for _, packet := range []string{"\x00\x11", "\x00\xff", "\x02\x00\x00\x11", "\x02\x01\x00\xff"} {
			a.Only = append(a.Only, decode.Packet{Data: append([]byte(packet), make([]byte, 64)...)})
		}
	}
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, regexp.MustCompile(`harness\.c:\d+`).ReplaceAllString(f.Cause, "harness.c"))
		if len(f.Stack) < 3 || f.Stack[0].Function != "put" || f.Stack[0].Line == 0 || !strings.HasSuffix(f.Stack[0].File, "harness.c") {
			t.Errorf("%s: the stack %v\n%s", f.What(), f.Stack, f.Report)
		}
		if f.Count < 2 {
			t.Errorf("%s: %d packets", f.Cause, f.Count)
		}
	}
	slices.Sort(got)
	if want := []string{"the reader dies in put, harness.c, called by blob", "the reader dies in put, harness.c, called by name"}; !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}
