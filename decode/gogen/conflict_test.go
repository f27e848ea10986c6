package gogen

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestConflict(t *testing.T) {
	p := &Package{Files: []File{{Name: "my.go"}, {Name: "my_test.go"}}}
	generated, byHand := &fstest.MapFile{Data: []byte(notice + "package my\n")}, &fstest.MapFile{Data: []byte("package my\n")}
	for _, row := range []struct {
		dir  fstest.MapFS
		want string
	}{
		{fstest.MapFS{}, ""},
		{fstest.MapFS{"my.go": generated, "my_test.go": generated, "other.go": byHand, "notes.txt": generated}, ""},
		{fstest.MapFS{"my.go": generated, "my_test.go": byHand}, "my_test.go"},
		{fstest.MapFS{"my.go": generated, "old.go": generated}, "old.go"},
		{fstest.MapFS{"pipe.go": &fstest.MapFile{Data: generated.Data, Mode: fs.ModeNamedPipe}}, ""},
		{fstest.MapFS{"below/old.go": generated}, ""},
	} {
		if got, why := p.Conflict(row.dir); got != row.want || (why == "") != (got == "") {
			t.Errorf("%v: %s, %s; want %s", row.dir, got, why, row.want)
		}
	}
}
