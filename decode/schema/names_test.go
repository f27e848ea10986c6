package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pktscope/pktscope/decode/schema"
)

// names shows an Inspection: a line a thing, with the lines and columns of its declarations and of its uses.
func names(in *schema.Inspection) string {
	var b strings.Builder
	for _, n := range in.Names {
		fmt.Fprintf(&b, "%s %s", n.Kind, n.Text)
		show := func(list []schema.Span) {
			for _, at := range list {
				name := ""
				if f := in.Diagnostics.Files.At(at.Pos.Off); f != in.Diagnostics.Files[0] {
					name = f.Name + ":"
				}
				fmt.Fprintf(&b, " %s%s", name, at.Pos)
			}
		}
		show(n.Declared)
		b.WriteString(" <-")
		show(n.Used)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestInspect(t *testing.T) {
	const kind = "protocol kind\norder lsb\nenum Kind : uint8 { A = 1, B = 2 }\nstruct Inner(n in 1..4) {\n    v [n]uint8\n    last uint8\n}\n"
	const src = `protocol x
order lsb
import "kind.pks"
const Most = 4
const Table = switch { 0: 1, default: 2 }
flags Keys : uint8 { Up = 1, Down = 2 }
message Chat max 100 { text cstring(20) }
packet {
    kind Kind
    keys Keys
    n int(1..Most)
    size uint8
    inner Inner(n)
    if keys.Up { tick uint8 } else { tick uint16 }
    after bits(4) in 0..3
    require tick < 100 && Table(after) > 0
    word [until word == 0, max 8]uint8
    list [0..3]{
        step uint8
        let sum in 0..65535 = prev(sum, 0) % 100 + step
    }
    body switch kind { A: empty, Kind.B: bytes(inner.last, max 9) }
    sum crc32(over kind..size)
    parts bytes(rest, max 50) @message(Chat)
}
`
	in := schema.Inspect(fstest.MapFS{"kind.pks": {Data: []byte(kind)}}, "x.pks", []byte(src))
	if in.Schema == nil {
		t.Fatal(in.Diagnostics)
	}
	if got := names(in); got != wantNames {
		t.Errorf("got\n%s", got)
	}
}

const wantNames = `constant Most 4:7 <- 11:14
constant Table 5:7 <- 16:27
enum Keys 6:7 <- 10:10
case Up 6:22 <- 14:13
case Down 6:30 <-
message Chat 7:9 <- 24:40
field text 7:24 <-
field kind 9:5 <- 22:17 23:20
field keys 10:5 <- 14:8
field n 11:5 <- 13:17
field size 12:5 <- 23:26
field inner 13:5 <- 22:48
field tick 14:18 14:38 <- 16:13
field after 15:5 <- 16:33
field word 17:5 <- 17:17
field list 18:5 <-
field step 19:9 <- 20:52
let sum 20:13 <- 20:36
field body 22:5 <-
field sum 23:5 <-
field parts 24:5 <-
enum Kind kind.pks:3:6 <- 9:10 22:34
case A kind.pks:3:21 <- 22:24
case B kind.pks:3:28 <- 22:39
struct Inner kind.pks:4:8 <- 13:11
parameter n kind.pks:4:14 <- kind.pks:5:8
field v kind.pks:5:5 <-
field last kind.pks:6:5 <- 22:54
`

// Inspect says what LoadFS says.
func TestInspectAgrees(t *testing.T) {
	files, err := filepath.Glob("../protocols/*.pks")
	if err != nil || len(files) < 8 {
		t.Fatalf("%v %v", files, err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in := schema.Inspect(os.DirFS(filepath.Dir(name)), filepath.Base(name), src)
		s, diags := schema.LoadFS(os.DirFS(filepath.Dir(name)), filepath.Base(name), src, nil)
		if (s == nil) != (in.Schema == nil) || diags.Error() != in.Diagnostics.Error() {
			t.Errorf("%s: Inspect says\n%s\nLoadFS says\n%s", name, in.Diagnostics, diags)
		}
	}
}
