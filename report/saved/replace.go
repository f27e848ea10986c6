package saved

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// File is a file that takes another's place when it is whole: who reads the file, and who finds it after a crash, a
// signal or on a full disk, has the old text or the new one. Every result that goes to a file goes through it, but for
// captures that grow while others read them.
//
// What is no regular file, such as a pipe or /dev/stdout, is written through. A symbolic link stays: the file that it
// leads to is replaced.
type File struct {
	w        io.Writer
	file     *os.File // the file beside the target, or the target where it is written through; nil where that is stdout
	root     *os.Root // the target's directory; nil where the target is written through
	ownsRoot bool
	beside   string      // the file's name in root until it is whole
	name     string      // the target's
	old      fs.FileInfo // what is replaced; nil where there is nothing
	mode     Mode
	sync     bool                  // the text is on the disk before the name leads to it
	unwatch  func()                // no signal removes the file any more
	gone     <-chan struct{}       // closed when no goroutine watches for signals any more
	ended    atomic.Pointer[error] // the signal that ended the replacement, where it could not end the program
}

// Mode says who reads a file, and what it may replace.
type Mode uint8

const (
	// OwnerOnly is the mode 0600, whatever the mode was before: the file holds traffic. Without it the umask decides,
	// and what is replaced keeps its mode.
	OwnerOnly Mode = 1 << iota
	// MustBeNew makes an existing file an error, fs.ErrExist.
	MustBeNew
)

// WriteIn puts text in the place of a file of a directory, and touches nothing outside it. It is for files that come
// by the hundred: it does not wait for the disk.
func WriteIn(root *os.Root, name string, text []byte, mode Mode) error {
	f := &File{root: root, name: name, mode: mode}
	if err := f.create(); err != nil {
		return err
	}
	return f.WriteAll(text)
}

// WriteAll writes all of the text, and ends the replacement.
func (f *File) WriteAll(text []byte) error {
	if _, err := f.Write(text); err != nil {
		f.Abandon()
		return err
	}
	return f.Commit()
}

// Replace begins to replace a file that the user named, or to make one. It ends with Commit or Abandon.
func Replace(name string, mode Mode) (*File, error) {
	path, device, err := followLinks(name)
	if err != nil {
		return nil, err
	}
	f := &File{name: filepath.Base(path), mode: mode, sync: true}
	if info, err := os.Stat(path); err == nil {
		f.old = info
	}
	switch {
	case f.old == nil:
	case f.old.IsDir():
		return nil, errors.New("is a directory")
	case mode&MustBeNew != 0:
		return nil, fs.ErrExist
	case device || !f.old.Mode().IsRegular():
		return f, f.openThrough(path)
	default: // A file that may not be written is not replaced either, although its directory would allow that.
		there, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		there.Close()
	}
	if f.root, err = os.OpenRoot(filepath.Dir(path)); err == nil {
		f.ownsRoot = true
		err = f.create()
	}
	if err != nil && f.old != nil && errors.Is(err, fs.ErrPermission) {
		return f, f.openThrough(path) // the file is ours to write, its directory is not
	}
	return f, err
}

// Through is a File in name alone: what is written goes to w at once, and stays.
func Through(w io.Writer) *File { return &File{w: w} }

// openThrough makes the target itself the file that is written.
func (f *File) openThrough(path string) (err error) {
	f.closeRoot()
	if f.file, err = os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0); err != nil {
		return err
	}
	if f.mode&OwnerOnly != 0 {
		restrict(f.file)
	}
	f.w = f.file
	return nil
}

// create makes the file beside the target.
func (f *File) create() (err error) {
	perm := fs.FileMode(0o666)
	if f.mode&OwnerOnly != 0 {
		perm = 0o600
	}
	if f.old == nil {
		if info, err := f.root.Lstat(f.name); err == nil {
			if f.mode&MustBeNew != 0 {
				return fs.ErrExist
			}
			f.old = info
		}
	}
	f.beside = ".pktscope-" + rand.Text()
	f.watch() // before it is there
	if f.file, err = f.root.OpenFile(f.beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm); err != nil {
		f.unwatch()
		f.closeRoot()
		return err
	}
	f.w = f.file
	return nil
}

// watch removes the file when a signal ends the program. On a system where a process cannot signal itself the program
// goes on: the next Write, or Commit, returns an error that says so.
func (f *File) watch() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, EndingSignals()...)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case s := <-signals:
			_ = f.root.Remove(f.beside)
			signal.Reset(s)
			if signalSelf(s) == nil {
				select {} // it ends us
			}
			err := fmt.Errorf("stopped by a signal: %s", s)
			f.ended.Store(&err)
		case <-done:
		}
	}()
	f.gone = gone
	f.unwatch = func() {
		signal.Stop(signals)
		close(done)
		<-gone
	}
}

// signalSelf sends a signal to this process. A test replaces it by one that cannot.
var signalSelf = func(s os.Signal) error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(s)
}

// EndingSignals are the signals that end a program, but for those that whoever started it has it ignore, as nohup does.
func EndingSignals() []os.Signal {
	var list []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// Write writes a part of the text.
func (f *File) Write(b []byte) (int, error) {
	if err := f.ended.Load(); err != nil {
		return 0, *err
	}
	return f.w.Write(b)
}

// Commit puts the file in the target's place. After an error the target is what it was.
func (f *File) Commit() error {
	switch {
	case f.file == nil:
		return nil
	case f.root == nil:
		return f.file.Close()
	}
	defer f.closeRoot()
	err := f.keepAttributes()
	if err == nil && f.sync {
		err = f.file.Sync()
	}
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	f.unwatch() // from here on it takes no time
	if ended := f.ended.Load(); err == nil && ended != nil {
		err = *ended
	}
	if err == nil {
		err = f.rename()
	}
	if err != nil {
		_ = f.root.Remove(f.beside) // the error that is told is the first
	}
	return err
}

// keepAttributes gives the file the mode and the owner of what it replaces.
func (f *File) keepAttributes() error {
	if f.old == nil || !f.old.Mode().IsRegular() {
		return nil
	}
	keepOwner(f.file, f.old)
	if f.mode&OwnerOnly != 0 {
		return nil
	}
	return f.file.Chmod(f.old.Mode().Perm())
}

func (f *File) rename() error {
	if f.mode&MustBeNew != 0 {
		// A link, not a rename: that would take the place of a file that has come meanwhile.
		if err := f.root.Link(f.beside, f.name); err == nil || errors.Is(err, fs.ErrExist) {
			_ = f.root.Remove(f.beside) // at worst it stays beside the whole file
			return err
		}
	}
	err := f.root.Rename(f.beside, f.name)
	if errors.Is(err, syscall.EBUSY) { // a file that is mounted by itself, as into a container
		err = f.copyOver()
	}
	if err == nil && f.sync {
		f.syncName()
	}
	return err
}

// syncName has the new name on the disk, too, where a directory can be synced; the text is there in any case.
func (f *File) syncName() {
	if dir, err := f.root.Open("."); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

// copyOver writes the target itself, where nothing can take its place.
func (f *File) copyOver() error {
	from, err := f.root.Open(f.beside)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := f.root.OpenFile(f.name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		_ = f.root.Remove(f.beside) // at worst it stays beside the whole file
	}
	return err
}

// Abandon leaves the target as it was. What was written through is written.
func (f *File) Abandon() {
	if f.file == nil {
		return
	}
	_ = f.file.Close()
	if f.root != nil {
		f.unwatch()
		_ = f.root.Remove(f.beside)
		f.closeRoot()
	}
}

func (f *File) closeRoot() {
	if f.ownsRoot {
		_ = f.root.Close()
		f.root, f.ownsRoot = nil, false
	}
}

// restrict makes an open file its owner's alone, where it is a regular file: what it will hold is traffic. A file
// system without modes is no trouble.
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
