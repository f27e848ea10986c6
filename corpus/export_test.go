package corpus

import (
	"os"
	"testing"
)

func TestExport(t *testing.T) {
	dir := t.TempDir() + "/out"
	packets := []Stored{{Seed: Seed{Name: "client-1", Data: []byte("a")}}, {Seed: Seed{Name: "client-2", Data: []byte("b")}}}
	if n, err := Export(dir, packets[:1], func(p *Stored) []byte { return p.Data }); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := os.Symlink(dir+"/../elsewhere", dir+"/client-3"); err != nil {
		t.Skip(err)
	}
	packets = append(packets, Stored{Seed: Seed{Name: "client-3"}}, Stored{Seed: Seed{Name: "../outside"}})
	n, err := Export(dir, packets, func(p *Stored) []byte { return append(p.Data, '!') })
	if n != 1 || err == nil {
		t.Errorf("%d written, %v: want 1, and an error of the name that leads outside", n, err)
	}
	for name, want := range map[string]string{"client-1": "a", "client-2": "b!"} {
		if got, err := os.ReadFile(dir + "/" + name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"/../elsewhere", "/../outside"} {
		if _, err := os.Lstat(dir + name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestAppendGoTest(t *testing.T) {
	const want = "x\ngo test fuzz v1\n[]byte(\"\\x00\\\"\")\nstring(\"client\")\n"
	if got := string(AppendGoTest([]byte("x\n"), []byte("\x00\""), "client")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
