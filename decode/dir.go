package decode

import (
	"io/fs"
	"os"
)

// Dir is the directory of a schema for LoadFS. No name and no link leads out of it. What is not a regular file should
// not be opened: a FIFO is waited for. The directory is opened for each file; an error of that is the file's.
func Dir(path string) fs.FS { return dir(path) }

type dir string

func (d dir) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(name)
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
