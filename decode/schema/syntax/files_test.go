package syntax

import (
	"fmt"
	"reflect"
	"testing"
)

// An offset alone says the file, and a place in a file that is after others is that of the file alone.
func TestFiles(t *testing.T) {
	texts := []string{"protocol a\norder lsb\n", "", "protocol c\n\norder up\n"}
	var fs Files
	var all []Diagnostic
	for i, text := range texts {
		f, diags := ParseAt(fmt.Sprintf("%c.pks", 'a'+i), []byte(text), fs.End())
		fs = append(fs, f)
		all = append(all, diags...)
	}
	same(t, "files", []int32{fs[0].Base, fs[1].Base, fs[2].Base}, []int32{0, 22, 23})
	for i, f := range fs {
		for off := range int32(len(texts[i])) + 1 { // the end included
			if fs.At(f.Base+off) != f {
				t.Errorf("offset %d is said to be of %s, want %s", f.Base+off, fs.At(f.Base+off).Name, f.Name)
			}
		}
	}
	for i, c := range fs.Bundle() {
		if f := fs.At(int32(i)); int(int32(i)-f.Base) < len(f.Src) && f.Src[int32(i)-f.Base] != c {
			t.Errorf("byte %d of the bundle is %q", i, c)
		}
	}
	same(t, "text", fs.Text(23, 33), "protocol c")
	same(t, "text over the end of a file", fs.Text(15, 25), "")
	same(t, "text after all", fs.Text(1000, 1001), "")
	same(t, "error", (&Diagnostics{fs, all}).Error(), "b.pks:1:1: error: the file does not say its protocol; begin it with a line like `protocol example`\n"+
		"c.pks:3:7: error: unknown order `up`; the orders are `lsb`, `msb` and `bousk`")
	file, one := fs.Local(all[1])
	line, carets := one.Excerpt(file.Src)
	same(t, "excerpt", line+"\n"+carets, "order up\n      ^^")
	for _, d := range all {
		alone := d
		f, local := fs.Local(d)
		_, want := Parse(f.Name, f.Src)
		same(t, "alone", local, want[0])
		if alone != d {
			t.Error("Local changed what it was given")
		}
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: want %v, got %v", what, want, got)
	}
}
