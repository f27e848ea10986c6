package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/pktscope/pktscope/pcap"
	"github.com/spf13/cobra"
)

// findings is the error of a run that did its work and found what --fail-on names.
type findings struct{}

func (findings) Error() string { return "findings" }

// told is the error of a run whose trouble has been printed already.
type told struct{}

func (told) Error() string { return "trouble, as printed" }

// usage is a mistake in the command line.
type usage struct{ command, message string }

func (u *usage) Error() string { return u.message }

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usage{cmd.CommandPath(), fmt.Sprintf(format, args...)}
}

// reason is an error about a file without the operation and the name, which the message has already. The text around
// them, such as the byte that a capture was read to, stays.
func reason(err error) string {
	var stopped *interrupted
	if errors.As(err, &stopped) {
		return stopped.Error() // says itself at which byte
	}
	text := err.Error()
	if errors.Is(err, pcap.ErrExpands) {
		return text + "; --max-expansion allows more"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		text = strings.Replace(text, path.Error(), path.Err.Error(), 1)
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		text = strings.Replace(text, link.Error(), link.Err.Error(), 1)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such file"
	}
	return text
}

// createReason is reason for a file that is made where there is none: then its directory is what is missing.
func createReason(name string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no directory " + filepath.Dir(name)
	}
	return reason(err)
}

// openFile opens a file to read. A directory is an error here, with a clearer message than reading it would have.
func (p *program) openFile(name string) (*os.File, error) { return p.inputs.open(name, false) }

// openText is openFile for schemas, keys and plans: plain files. A named pipe is refused, and nobody waits for its writer.
func (p *program) openText(name string) (*os.File, error) { return p.inputs.open(name, true) }

// inputs are the files that a run has opened to read, whatever they are for: no output replaces one of them.
type inputs struct {
	mu   sync.Mutex
	read []fs.FileInfo
}

func (i *inputs) open(name string, plain bool) (*os.File, error) {
	mode := os.O_RDONLY
	if plain {
		mode |= syscall.O_NONBLOCK
	}
	f, err := os.OpenFile(name, mode, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("is a directory")
	case plain && !info.Mode().IsRegular():
		err = errors.New("is no plain file: want a file")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	i.add(info)
	return f, nil
}

func (i *inputs) add(info fs.FileInfo) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !slices.ContainsFunc(i.read, func(have fs.FileInfo) bool { return os.SameFile(have, info) }) {
		i.read = append(i.read, info)
	}
}

// expect adds files that something else opens, or that are yet to be read; - is stdin.
func (i *inputs) expect(names ...string) {
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" {
			info, err = os.Stdin.Stat()
		}
		if err == nil {
			i.add(info)
		}
	}
}

// inputDir is the directory of a schema, whose imports are inputs.
type inputDir struct {
	fs.StatFS
	inputs *inputs
}

func (d inputDir) Open(name string) (fs.File, error) {
	f, err := d.StatFS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		d.inputs.add(info)
	}
	return f, nil
}

// spare refuses an output that is an input: a file that was opened so far, or one of those that are yet to be read, more,
// where - is stdin. The error does not name it.
func (p *program) spare(output string, more ...string) error {
	out, err := os.Stat(output)
	switch {
	case output == "" || output == "-" || err != nil:
		return nil // no file, or it is made
	case out.IsDir():
		return errors.New("is a directory")
	case !out.Mode().IsRegular():
		return nil // a device or a pipe loses nothing
	}
	p.inputs.expect(more...)
	p.inputs.mu.Lock()
	defer p.inputs.mu.Unlock()
	if slices.ContainsFunc(p.inputs.read, func(in fs.FileInfo) bool { return os.SameFile(in, out) }) {
		return errors.New("is an input; it would be written over")
	}
	return nil
}
