package main

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// replacement is a file that takes another's place when it is whole: who reads the file, and who finds it after a crash,
// a signal or on a full disk, has the old text or the new one. Every result that goes to a file goes through it, but for
// captures that grow while others read them (captureOut).
//
// What is no regular file, such as a pipe or /dev/stdout, is written through. A symbolic link stays: the file that it
// leads to is replaced.
type replacement struct {
	w        io.Writer
	file     *os.File // the file beside the target, or the target where it is written through; nil where that is stdout
	root     *os.Root // the target's directory; nil where the target is written through
	ownsRoot bool
	beside   string      // the file's name in root until it is whole
	name     string      // the target's
	old      fs.FileInfo // what is replaced; nil where there is nothing
	mode     fileMode
	sync     bool   // the text is on the disk before the name leads to it
	unwatch  func() // no signal removes the file any more
}

// fileMode says who reads a file, and what it may replace.
type fileMode uint8

const (
	// ownerOnly is the mode 0600, whatever the mode was before: the file holds traffic. Without it the umask decides, and
	// what is replaced keeps its mode.
	ownerOnly fileMode = 1 << iota
	// mustBeNew makes an existing file an error, fs.ErrExist.
	mustBeNew
)

// writeFile puts text in a file's place.
func (p *program) writeFile(name string, text []byte, mode fileMode) error {
	r, err := p.newReplacement(name, mode)
	if err != nil {
		return err
	}
	return r.writeAll(text)
}

// writeFileIn puts text in the place of a file of a directory, and touches nothing outside it. It is for files that come
// by the hundred: it does not wait for the disk.
func writeFileIn(root *os.Root, name string, text []byte, mode fileMode) error {
	r := &replacement{root: root, name: name, mode: mode}
	if err := r.create(); err != nil {
		return err
	}
	return r.writeAll(text)
}

func (r *replacement) writeAll(text []byte) error {
	if _, err := r.Write(text); err != nil {
		r.abandon()
		return err
	}
	return r.commit()
}

// newReplacement begins to replace a file that the user named. It ends with commit or abandon.
func (p *program) newReplacement(name string, mode fileMode) (*replacement, error) {
	path, device, err := followLinks(name)
	if err != nil {
		return nil, err
	}
	r := &replacement{name: filepath.Base(path), mode: mode, sync: true}
	if info, err := os.Stat(path); err == nil {
		r.old = info
	}
	out, err := p.stdout.Stat()
	switch {
	case r.old == nil:
	case r.old.IsDir():
		return nil, errors.New("is a directory")
	case err == nil && os.SameFile(r.old, out):
		r.w = p.out // in its place among what is written there anyway
		return r, nil
	case mode&mustBeNew != 0:
		return nil, fs.ErrExist
	case device || !r.old.Mode().IsRegular():
		return r, r.openThrough(path)
	default: // A file that may not be written is not replaced either, although its directory would allow that.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		f.Close()
	}
	if r.root, err = os.OpenRoot(filepath.Dir(path)); err == nil {
		r.ownsRoot = true
		err = r.create()
	}
	if err != nil && r.old != nil && errors.Is(err, fs.ErrPermission) {
		return r, r.openThrough(path) // the file is ours to write, its directory is not
	}
	return r, err
}

// openThrough makes the target itself the file that is written.
func (r *replacement) openThrough(path string) (err error) {
	r.closeRoot()
	if r.file, err = os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0); err != nil {
		return err
	}
	if r.mode&ownerOnly != 0 {
		restrict(r.file)
	}
	r.w = r.file
	return nil
}

// create makes the file beside the target.
func (r *replacement) create() (err error) {
	perm := fs.FileMode(0o666)
	if r.mode&ownerOnly != 0 {
		perm = 0o600
	}
	if r.old == nil {
		if info, err := r.root.Lstat(r.name); err == nil {
			if r.mode&mustBeNew != 0 {
				return fs.ErrExist
			}
			r.old = info
		}
	}
	r.beside = ".pktscope-" + rand.Text()
	r.watch() // before it is there
	if r.file, err = r.root.OpenFile(r.beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm); err != nil {
		r.unwatch()
		r.closeRoot()
		return err
	}
	r.w = r.file
	return nil
}

// watch removes the file when a signal ends the program.
func (r *replacement) watch() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endingSignals()...)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-signals:
			_ = r.root.Remove(r.beside)
			signal.Reset(s)
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
				select {} // it ends us
			}
			os.Exit(exitTrouble) // a system that cannot
		case <-done:
		}
	}()
	r.unwatch = func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
}

// endingSignals are the signals that end a program, but for those that whoever started it has it ignore, as nohup does.
func endingSignals() []os.Signal {
	var list []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

func (r *replacement) Write(b []byte) (int, error) { return r.w.Write(b) }

// commit puts the file in the target's place. After an error the target is what it was.
func (r *replacement) commit() error {
	switch {
	case r.file == nil:
		return nil
	case r.root == nil:
		return r.file.Close()
	}
	defer r.closeRoot()
	err := r.keepAttributes()
	if err == nil && r.sync {
		err = r.file.Sync()
	}
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	r.unwatch() // from here on it takes no time
	if err == nil {
		err = r.rename()
	}
	if err != nil {
		_ = r.root.Remove(r.beside) // the error that is told is the first
	}
	return err
}

// keepAttributes gives the file the mode and the owner of what it replaces.
func (r *replacement) keepAttributes() error {
	if r.old == nil || !r.old.Mode().IsRegular() {
		return nil
	}
	keepOwner(r.file, r.old)
	if r.mode&ownerOnly != 0 {
		return nil
	}
	return r.file.Chmod(r.old.Mode().Perm())
}

func (r *replacement) rename() error {
	if r.mode&mustBeNew != 0 {
		// A link, not a rename: that would take the place of a file that has come meanwhile.
		if err := r.root.Link(r.beside, r.name); err == nil || errors.Is(err, fs.ErrExist) {
			_ = r.root.Remove(r.beside) // at worst it stays beside the whole file
			return err
		}
	}
	err := r.root.Rename(r.beside, r.name)
	if errors.Is(err, syscall.EBUSY) { // a file that is mounted by itself, as into a container
		err = r.copyOver()
	}
	return err
}

// copyOver writes the target itself, where nothing can take its place.
func (r *replacement) copyOver() error {
	from, err := r.root.Open(r.beside)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := r.root.OpenFile(r.name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		_ = r.root.Remove(r.beside) // at worst it stays beside the whole file
	}
	return err
}

// abandon leaves the target as it was. What was written through is written.
func (r *replacement) abandon() {
	if r.file == nil {
		return
	}
	_ = r.file.Close()
	if r.root != nil {
		r.unwatch()
		_ = r.root.Remove(r.beside)
		r.closeRoot()
	}
}

func (r *replacement) closeRoot() {
	if r.ownsRoot {
		_ = r.root.Close()
		r.root, r.ownsRoot = nil, false
	}
}

// restrict makes an open file its owner's alone, where it is a regular file: what it will hold is traffic. A file system
// without modes is no trouble.
func restrict(f *os.File) {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
		_ = f.Chmod(0o600)
	}
}

// maxLinks is how many symbolic links lead to a file at most, as in Linux.
const maxLinks = 40

// followLinks is where a name leads, whether there is a file or not. device reports that the way goes through /dev or
// /proc: what such a name leads to is an open file, which somebody else writes as well.
func followLinks(name string) (path string, device bool, err error) {
	path = name
	for range maxLinks {
		if full, err := filepath.Abs(path); err == nil && (strings.HasPrefix(full, "/dev/") || strings.HasPrefix(full, "/proc/")) {
			device = true
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path, device, nil // it is no link
		}
		if device {
			return path, device, nil // `/proc/self/fd/1` leads to `pipe:[123]`
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", false, errors.New("too many symbolic links")
}
