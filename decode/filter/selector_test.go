package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

var refusedPaths = []struct{ path, want string }{
	{"", "filter:1:1: error: the path is empty"},
	{"body.player_cuont", "filter:1:6: error: unknown path `body.player_cuont`; did you mean `body.player_count`?"},
	{"player_count", "filter:1:1: error: unknown path `player_count`; did you mean `body.player_count`?"},
	{"health", "filter:1:1: error: unknown path `health`; did you mean `body.players[*].health`?"},
	{"body.players.x", "filter:1:14: error: `body.players` is a list; write body.players[*].x for all elements, body.players[0].x for one"},
	{"body.players", "filter:1:1: error: `body.players` is a list; write body.players[*] and a field of its elements"},
	{"body.players[*]", "filter:1:1: error: `body.players[*]` is a struct; write body.players[*].id"},
	{"body", "filter:1:1: error: `body` is a struct; write body.token"},
	{"body.players[x].x", "filter:1:14: error: an index is a number from 0 to 1048575, or *"},
	{"body.players[-1].x", "filter:1:14: error: an index is a number from 0 to 1048575, or *"},
	{"body.players[1", "filter:1:13: error: the `[` is not closed"},
	{"body.players[1]x", "filter:1:16: error: want `.` or `[` here"},
	{"sequence_num[0]", "filter:1:13: error: `sequence_num` is no list"},
	{"body<Snapshot>.players[].x", "filter:1:1: error: unknown path `body<Snapshot>`; write body.players[*].x"},
	{"body.players[].x", "filter:1:14: error: an index is a number from 0 to 1048575, or *; write body.players[*].x"},
	{"body<Snapshot>.nothing", "filter:1:1: error: unknown path `body<Snapshot>`"},
	{"body..x", "filter:1:6: error: unknown path `body.`"},
	{".x", "filter:1:1: error: unknown path ``"},
	{strings.Repeat("a.", 4000), "filter:1:4097: error: the path is too long: want 4096 bytes at most, got 8000"},
}

func TestSelectorRefused(t *testing.T) {
	p := rtype(t)
	for _, row := range refusedPaths {
		if _, err := NewSelector(p, row.path); err == nil || err.Error() != row.want {
			t.Errorf("%.40q\nwant %s\ngot  %v", row.path, row.want, err)
		}
	}
	const inside = "filter:1:1: error: `box` is @secret: its shape is not shown"
	if _, err := NewSelector(planOf(t, secrets), "box.ks[*]"); err == nil || err.Error() != inside {
		t.Errorf("want %s, got %v", inside, err)
	}
}

// selections are paths with what they select, as bit+width=code or bytes.
var selections = []struct {
	schema, packet, path, want string
	many                       bool
}{
	{lists, "02 02 0a 0b 01 00 02 1234", "rows_count", "0+8=2", false},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[*].mark", "32+8=1 48+8=2", true},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[1].mark", "48+8=2", false},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[2].mark", "", false},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[*].cells[*]", "16+8=10 24+8=11", true},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[*].cells[1]", "24+8=11", true},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[0].cells[*]", "16+8=10 24+8=11", true},
	{lists, "02 02 0a 0b 01 00 02 1234", "rows[1].cells[*]", "", true},
	{lists, "02 02 0a 0b 01 00 02 1234", "grid[*][1]", "60+4=2 68+4=4", true},
	{lists, "02 02 0a 0b 01 00 02 1234", "grid[1][*]", "64+4=3 68+4=4", true},
	{lists, "02 02 0a", "rows[*].cells[*]", "16+8=10", true},
	{shared, "00 05", "v", "8+8=5", false},
	{shared, "02 41000000", "v", "8+32=41000000", false},
	{secrets, "01 0a0b 01 02 03 09", "key", "8+16=0a0b", false},
	{odd, "11 42 40 41 43", "raw", "4+16=4142", false},
}

func TestSelector(t *testing.T) {
	for _, row := range selections {
		p := planOf(t, row.schema)
		s, err := NewSelector(p, row.path)
		if err != nil {
			t.Errorf("%s: %v", row.path, err)
			continue
		}
		var tr decode.Trace
		_ = decode.New(p).Decode(bytesFrom(t, row.packet), decode.FromUnknown, &tr)
		if got := strings.Join(selected(s, &tr), " "); got != row.want || s.Many() != row.many || s.Path() != row.path {
			t.Errorf("%s of %s: want %q, got %q", row.path, row.packet, row.want, got)
		}
		for range s.Each(&tr) { // may be left
			break
		}
	}
}

func selected(s *Selector, tr *decode.Trace) []string {
	var got []string
	for ev := range s.Each(tr) {
		got = append(got, shown(ev))
	}
	return got
}

func shown(ev *decode.Event) string {
	if ev.Kind == decode.Blob {
		return fmt.Sprintf("%d+%d=%x", ev.Bit, ev.Width, ev.Data)
	}
	return fmt.Sprintf("%d+%d=%d", ev.Bit, ev.Width, ev.Raw)
}

// Every path that Paths lists selects what a walk finds there, in every packet at every truncation.
func TestSelectorAgainstWalk(t *testing.T) {
	p := rtype(t)
	var packets []packet
	for _, whole := range rtypePackets(t) {
		for n := range len(whole.data) + 1 {
			packets = append(packets, packet{name: whole.name, data: whole.data[:n], from: whole.from})
		}
	}
	selectorsAgainstWalk(t, p, packets)
}

func selectorsAgainstWalk(t *testing.T, p *plan.Plan, packets []packet) {
	t.Helper()
	d := decode.New(p)
	paths := Paths(p)
	selectors := make([]*Selector, len(paths))
	for i := range paths {
		var err error
		if selectors[i], err = NewSelector(p, paths[i].Path); err != nil {
			t.Fatal(err)
		}
	}
	var tr decode.Trace
	for _, packet := range packets {
		_ = d.Decode(packet.data, packet.from, &tr)
		want := map[string][]string{}
		for ev := range tr.Walk() {
			if ev.Kind == decode.Leaf || ev.Kind == decode.Blob {
				path := starred(string(tr.AppendEventPath(nil, ev)))
				want[path] = append(want[path], shown(ev))
			}
		}
		for i, s := range selectors {
			if got := selected(s, &tr); !slices.Equal(got, want[paths[i].Path]) {
				t.Fatalf("%s of %d bytes of %s: want %v, got %v", s.Path(), len(packet.data), packet.name, want[s.Path()], got)
			}
			delete(want, s.Path())
		}
		if len(want) > 0 {
			t.Fatalf("Paths does not know %v", want)
		}
	}
}

// starred puts * for every index.
func starred(path string) string {
	var b strings.Builder
	for path != "" {
		open := strings.IndexByte(path, '[')
		if open < 0 {
			break
		}
		b.WriteString(path[:open] + "[*]")
		path = path[open+strings.IndexByte(path[open:], ']')+1:]
	}
	return b.String() + path
}

func TestSelectorAllocates(t *testing.T) {
	p, packets := rtype(t), rtypePackets(t)
	s, err := NewSelector(p, "body.players[*].x")
	if err != nil {
		t.Fatal(err)
	}
	var tr decode.Trace
	at := slices.IndexFunc(packets, func(p packet) bool { return p.name == "snapshot_most" })
	_ = decode.New(p).Decode(packets[at].data, packets[at].from, &tr)
	sum := uint64(0)
	allocs := testing.AllocsPerRun(100, func() {
		for ev := range s.Each(&tr) {
			sum += ev.Raw
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestPaths(t *testing.T) {
	for _, row := range []struct{ name, schema, want string }{
		{"shared names", shared, "t enum T; v number or float or text or enum K or flags F"},
		{"lists in lists", lists, "rows_count number; rows[*].n number; rows[*].cells[*] number; rows[*].mark number; grid[*][*] number"},
		{"secrets", secrets, "has number; key bytes secret; box struct secret; last number"},
	} {
		var got []string
		for _, path := range Paths(planOf(t, row.schema)) {
			s := path.Path + " " + path.Type
			if path.Secret {
				s += " secret"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "; "); s != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, s)
		}
	}
}

func BenchmarkSelector(b *testing.B) {
	p := rtype(b)
	for _, path := range []string{"sequence_num", "body.players[2].x", "body.missiles[*].x"} {
		s, err := NewSelector(p, path)
		if err != nil {
			b.Fatal(err)
		}
		for _, packet := range rtypePackets(b) {
			if packet.name != "snapshot_most" {
				continue
			}
			var tr decode.Trace
			_ = decode.New(p).Decode(packet.data, packet.from, &tr)
			b.Run(path, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for ev := range s.Each(&tr) {
						_ = ev.Raw
					}
				}
			})
		}
	}
}

// Whatever is listed can be asked for.
func TestListedPathsCompile(t *testing.T) {
	p := rtype(t)
	for _, path := range append(EnvelopePaths(), Paths(p)...) {
		src := strings.ReplaceAll(path.Path, "[*]", "[0]") + " != nil"
		if path.Path == "notes" {
			src = "len(notes) > 0"
		}
		if _, err := Compile(p, src); err != nil {
			t.Error(err)
		}
	}
}
