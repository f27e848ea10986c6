package syntax

import (
	"slices"
	"sort"
)

// Files are a schema's own file and those that it imports, in the order of their offsets: each begins after the last
// byte of the one before, so that an offset alone says the file. Lines and columns count in the file itself.
type Files []*File

// At is the file that holds an offset; its own file where none does.
func (fs Files) At(off int32) *File {
	i := sort.Search(len(fs), func(i int) bool { return fs[i].Base > off })
	return fs[max(i-1, 0)]
}

// Text is the source between two offsets of one file; "" where no file holds them.
func (fs Files) Text(from, to int32) string {
	if len(fs) == 0 {
		return ""
	}
	f := fs.At(from)
	from, to = from-f.Base, to-f.Base
	if from < 0 || to < from || int(to) > len(f.Src) {
		return ""
	}
	return string(f.Src[from:to])
}

// Bundle is all texts, each byte at its offset. A line end is between two files.
func (fs Files) Bundle() []byte {
	var b []byte
	for i, f := range fs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, f.Src...)
	}
	return b
}

// End is the offset that a file after all of these begins at.
func (fs Files) End() int32 {
	if len(fs) == 0 {
		return 0
	}
	last := fs[len(fs)-1]
	return last.Base + int32(min(len(last.Src), MaxSource)) + 1 // the end of a file is a place in it
}

// Size is how many bytes they have together.
func (fs Files) Size() int {
	n := 0
	for _, f := range fs {
		n += len(f.Src)
	}
	return n
}

// Same reports whether the texts are the same, and are in the same order.
func (fs Files) Same(other Files) bool {
	return slices.EqualFunc(fs, other, func(f, o *File) bool { return string(f.Src) == string(o.Src) })
}

// Local gives the file of a diagnostic and the diagnostic as one about that file alone, with offsets from its start.
func (fs Files) Local(d Diagnostic) (*File, Diagnostic) {
	if !d.Pos.IsValid() {
		return fs[0], d
	}
	f := fs.At(d.Pos.Off)
	d.Pos.Off -= f.Base
	d.End.Off -= f.Base
	return f, d
}
