package lsp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// at is where a text has something, which is marked by ‹ before it; the text is given without the mark.
func at(t *testing.T, marked string) (text string, offset int) {
	t.Helper()
	offset = strings.Index(marked, "‹")
	if offset < 0 {
		t.Fatalf("no mark in %s", marked)
	}
	return strings.Replace(marked, "‹", "", 1), offset
}

// A name is refused where the schema would not check, where some name would mean something else, and where packets would
// be read or shown otherwise.
func TestRenameRefused(t *testing.T) {
	const head = "protocol x\norder lsb\n"
	for _, test := range []struct{ text, to, want string }{
		{head + "packet { ‹a uint8, b uint8 }", "b", "a.pks: `b` is already declared at 3:19"},
		{"protocol x\norder lsb\nstruct ‹P { a uint8 }\nstruct Q { a uint8 }\npacket { p P, q Q }", "Q", "a.pks: `Q` is already declared at 4:8"},
		{head + "packet { ‹a uint8 }", "A", "a.pks: a field's name is in snake_case"},
		{head + "packet { ‹a uint8 }", "while", "`while` is a reserved word"},
		{head + "packet { ‹a uint8 }", "a\nb uint8", "a name has letters, digits and `_`, and begins with no digit"},
		{head + "packet { ‹a uint8 }", "2a", "a name has letters, digits and `_`, and begins with no digit"},
		{head + "packet { ‹a uint8 }", strings.Repeat("a", maxNewName+1), "a name has letters, digits and `_`, and begins with no digit"},
		{head + "packet { ‹a uint8 }", "", "a name has letters, digits and `_`, and begins with no digit"},
		{head + "packet { ‹a uint9 }", "b", "a.pks has a mistake at 3:12: mend it first"},
		{head + "‹packet { a uint8 }", "b", "nothing that the schema declares is named here"},
		// The inner name would be read in place of the outer one.
		{head + "packet { n uint8, list [2]{ ‹m uint8, data bytes(n, max 9) } }", "n", "with `n`, a name of a.pks would mean something else"},
		{head + "packet { ‹n uint8, list [2]{ m uint8, data bytes(n, max 9) } }", "m", "with `m`, a name of a.pks would mean something else"},
		// A word that means something of its own where no name of that text is.
		{head + "packet { ‹a uint8, b uint8, sum crc32(over before) }", "before", "with `before`, a name of a.pks would mean something else"},
		{head + "flow by address, peer\npacket { ‹peer uint8 }", "address", "a.pks: `flow by` begins with `address`, and says it once"},
		// What is shown, and what is not.
		{head + "packet { a uint8, let ‹b = a }", "_b", "with `_b`, a.pks would describe other packets, or show them otherwise"},
	} {
		text, offset := at(t, test.text)
		s, d := local("/x/a.pks", text, fstest.MapFS{})
		got, err := s.rename(d, &request{NewName: test.to}, offset)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s to %q: %v, %v", test.text, test.to, got, err)
		}
	}
}

// What a file lends is renamed in all files of the directory that were lent it, of which none may have a mistake.
func TestRenameInFiles(t *testing.T) {
	lib := "protocol lib\norder lsb\nenum ‹Kind : uint8 { A = 1 }\nstruct S { kind Kind }\n"
	text, offset := at(t, lib)
	dir := fstest.MapFS{
		"one.pks":   {Data: []byte("protocol one\norder lsb\nimport \"lib.pks\"\npacket { kind Kind, require kind == Kind.A }\n")},
		"two.pks":   {Data: []byte("protocol two\norder lsb\nimport \"mid.pks\"\npacket { t T }\n")},
		"mid.pks":   {Data: []byte("protocol mid\norder lsb\nimport \"lib.pks\"\nstruct T { k Kind, s S }\n")},
		"other.pks": {Data: []byte("protocol other\norder lsb\nenum Kind : uint8 { A = 1 }\npacket { kind Kind }\n")},
		"bad.pks":   {Data: []byte("protocol bad\n")},
		"long.pks":  {Data: bytes.Repeat([]byte("Kind\n"), 1<<20)}, // no schema is so long
		"notes.txt": {Data: []byte("Kind")},
	}
	s, d := local("/x/lib.pks", text, dir)
	got, err := s.rename(d, &request{NewName: "Sort"}, offset)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for uri, edits := range got.(workspaceEdit).Changes {
		for _, e := range edits {
			lines = append(lines, fmt.Sprintf("%s %d:%d", strings.TrimPrefix(uri, "file:///x/"), e.Range.Start.Line, e.Range.Start.Character))
		}
	}
	slices.Sort(lines)
	const want = "lib.pks 2:5,lib.pks 3:16,mid.pks 3:13,one.pks 3:14,one.pks 3:36"
	if got := strings.Join(lines, ","); got != want {
		t.Errorf("got %s", got)
	}
	dir["one.pks"].Data = append(dir["one.pks"].Data, "struct Broken {"...)
	if _, err := s.rename(d, &request{NewName: "Sort"}, offset); err == nil || err.Error() != "one.pks has a mistake at 5:16: mend it first" {
		t.Error(err)
	}
	// A name that one of the other files has already.
	dir["one.pks"].Data = []byte("protocol one\norder lsb\nimport \"lib.pks\"\nstruct Sort { a uint8 }\npacket { kind Kind, s Sort }\n")
	if _, err := s.rename(d, &request{NewName: "Sort"}, offset); err == nil || !strings.HasPrefix(err.Error(), "one.pks: `Sort`, which `lib.pks` lends, is already declared at 4:8") {
		t.Error(err)
	}
	// More files than are looked at: none is renamed, since some would be left out.
	for i := range maxEntries {
		dir[fmt.Sprintf("%d.txt", i)] = &fstest.MapFile{}
	}
	if _, err := s.rename(d, &request{NewName: "Other"}, offset); err == nil || err.Error() != "the directory has too many files" {
		t.Error(err)
	}
}

// A packet is lent under the name of its protocol, which is no place that can be renamed.
func TestRenameLentPacket(t *testing.T) {
	text, offset := at(t, "protocol x\norder lsb\nimport \"stun_udp.pks\"\npacket { a ‹StunUdp }\n")
	s, d := local("/x/a.pks", text, fstest.MapFS{"stun_udp.pks": {Data: []byte("protocol stun_udp\norder lsb\npacket { a uint8 }\n")}})
	got, err := s.definition(d, nil, offset)
	if list, ok := got.([]location); err != nil || !ok || len(list) != 1 || list[0].URI != "file:///x/stun_udp.pks" || list[0].Range.Start != (position{2, 0}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := s.rename(d, &request{NewName: "Other"}, offset); err == nil || err.Error() != "it is called after its protocol: rename that" {
		t.Error(err)
	}
}
