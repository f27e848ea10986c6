package decode

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// Dir is the directory of a schema for LoadFS. No name and no link leads out of it. It opens regular files and
// directories, and waits for nothing: a FIFO is refused, also one that takes the place of a file after a Stat. The
// directory is opened for each file; an error of that is the file's.
func Dir(path string) fs.FS { return dir(path) }

type dir string

func (d dir) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is no plain file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Stat opens nothing.
func (d dir) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(name)
}

// Texts is a directory of schemas in memory, for LoadFS: the text of each file by its name.
type Texts map[string]string

// Open gives the file of a name.
func (t Texts) Open(name string) (fs.File, error) {
	s, ok := t[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &text{strings.NewReader(s), name}, nil
}

// text is a file of Texts, and what is known of it.
type text struct {
	*strings.Reader // whose Size is that of the file
	name            string
}

func (t *text) Stat() (fs.FileInfo, error) { return t, nil }
func (*text) Close() error                 { return nil }
func (t *text) Name() string               { return t.name }
func (*text) Mode() fs.FileMode            { return 0o444 }
func (*text) ModTime() time.Time           { return time.Time{} }
func (*text) IsDir() bool                  { return false }
func (*text) Sys() any                     { return nil }
