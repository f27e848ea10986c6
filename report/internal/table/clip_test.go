package table

import "testing"

func TestFit(t *testing.T) {
	for _, row := range []struct {
		text      string
		cells     int
		end, path string
	}{
		{"", 1, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "…cd"},
		{"abcd", 1, "…", "…"},
		{"größer", 6, "größer", "größer"},
		{"größer", 4, "grö…", "…ßer"},
	} {
		if end, path := Fit(row.text, row.cells), FitPath(row.text, row.cells); end != row.end || path != row.path {
			t.Errorf("%s in %d: got %q and %q, want %q and %q", row.text, row.cells, end, path, row.end, row.path)
		}
	}
}

// A character is not cut in two.
func TestClip(t *testing.T) {
	for _, row := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aö", 3, "aö"}, {"aöb", 2, "a…"}, {"aöb", 3, "aö…"}, {"\xff\xff", 1, "…"},
	} {
		if got := Clip(row.text, row.most); got != row.want {
			t.Errorf("%q at %d: got %q, want %q", row.text, row.most, got, row.want)
		}
	}
}
