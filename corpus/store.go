package corpus

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Bounds of a store. Its directory may be a stranger's, or shared with other processes.
const (
	MaxStored  = 1 << 16 // bytes of one packet
	MaxPackets = 1 << 17 // packets in a store
	MaxBytes   = 256 << 20
	maxWhy     = 200 // bytes of the reason that is kept
	maxReasons = 16 << 20
)

// reasons is the file that says why packets are there: a line for each, its name and the reason. It is only for people;
// a store without it is whole.
const reasons = "why.txt"

// Store is a directory of packets, one file each, named for the sender and the content: `client-` and 32 hex digits of
// its SHA-256. So a packet is there once, however often it is added, and by however many processes at the same time. A
// file comes under its name when it is whole, and is never written again.
//
// Files are readable by their owner alone: they hold traffic.
type Store struct {
	root  *os.Root
	count int
	bytes int64
	known map[string]bool // names that were there when it was opened, that it has added, and that News gave
}

// Stored is a packet of a Store.
type Stored struct {
	Seed        // Name is that of its file
	Why  string // why it was added, printable ASCII; often ""
}

// Create opens the store in a directory, which is made when there is none.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return Open(dir)
}

// Open opens the store in a directory that is there. Other files in it are left alone.
func Open(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, known: map[string]bool{}}
	names, _, err := s.names()
	if err != nil {
		root.Close()
		return nil, err
	}
	s.count = len(names)
	for _, name := range names {
		s.known[name] = true
		if info, err := root.Lstat(name); err == nil {
			s.bytes += info.Size()
		}
	}
	return s, nil
}

// Close gives back what the store holds of the system.
func (s *Store) Close() error { return s.root.Close() }

// Len is how many packets there are, as far as this Store knows: those that were there when it was opened, and those it
// has added since.
func (s *Store) Len() int { return s.count }

// nameOf is the name of a packet's file.
func nameOf(packet []byte, from string) string {
	sum := sha256.Sum256(packet)
	return from + "-" + hex.EncodeToString(sum[:16])
}

// senderOf is the sender in a file's name; false when it is no packet's name.
func senderOf(name string) (string, bool) {
	from, sum, ok := strings.Cut(name, "-")
	if !ok || from != Client && from != Server && from != Unknown || len(sum) != 32 {
		return "", false
	}
	for i := range len(sum) {
		if c := sum[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", false
		}
	}
	return from, true
}

// Add stores a packet unless it is there. from is Client, Server or Unknown; why says in a few words what it is good
// for.
func (s *Store) Add(packet []byte, from, why string) (added bool, err error) {
	if from != Client && from != Server && from != Unknown {
		panic("pktscope: internal error: a corpus knows no sender " + from)
	}
	if len(packet) > MaxStored {
		return false, fmt.Errorf("want packets of at most %d bytes, got %d", MaxStored, len(packet))
	}
	name := nameOf(packet, from)
	s.known[name] = true
	if _, err := s.root.Lstat(name); err == nil {
		return false, nil
	}
	if s.count >= MaxPackets {
		return false, fmt.Errorf("want at most %d packets in a corpus, got more", MaxPackets)
	}
	if s.bytes+int64(len(packet)) > MaxBytes {
		return false, fmt.Errorf("want at most %d bytes in a corpus, got more", MaxBytes)
	}
	if added, err = s.write(name, packet); err != nil || !added {
		return false, err
	}
	s.count++
	s.bytes += int64(len(packet))
	return true, s.explain(name, why)
}

// write puts a file under its name, whole or not at all; false when another process was faster.
func (s *Store) write(name string, packet []byte) (bool, error) {
	temporary := ".new-" + rand.Text()
	f, err := s.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { _ = s.root.Remove(temporary) }() // if it cannot be removed, it is skipped by its name
	_, err = f.Write(packet)
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	// A link, not a rename: that would take the place of a file that has come meanwhile.
	switch err := s.root.Link(temporary, name); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return true, s.root.Rename(temporary, name) // a file system without links
}

// explain appends a line to the reasons. Lines this short are written whole even by several processes at once.
func (s *Store) explain(name, why string) error {
	if why == "" {
		return nil
	}
	if info, err := s.root.Lstat(reasons); err == nil && (!info.Mode().IsRegular() || info.Size() > maxReasons) {
		return nil
	}
	f, err := s.root.OpenFile(reasons, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(name + " " + printable(why) + "\n")
	return errors.Join(err, f.Close())
}

// printable is a text as at most maxWhy characters of printable ASCII.
func printable(text string) string {
	b := []byte(text[:min(len(text), maxWhy)])
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}

// Remove removes a packet.
func (s *Store) Remove(name string) error {
	if _, ok := senderOf(name); !ok {
		panic("pktscope: internal error: no packet of a corpus is called " + name)
	}
	info, err := s.root.Lstat(name)
	if err != nil {
		return err
	}
	if err := s.root.Remove(name); err != nil {
		return err
	}
	s.count--
	s.bytes -= info.Size()
	return nil
}

// names lists the packets' files in alphabetical order, and how many other files there are. A directory without end is
// not read to its end.
func (s *Store) names() (names []string, others int, err error) {
	f, err := s.root.Open(".")
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	for len(names) < MaxPackets && others < MaxPackets {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			if _, ok := senderOf(e.Name()); ok {
				names = append(names, e.Name())
			} else if e.Name() != reasons && !strings.HasPrefix(e.Name(), ".new-") {
				others++
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
	}
	slices.Sort(names)
	return names[:min(len(names), MaxPackets)], others, nil
}

// All yields the packets in the order of their names: those that are there now, also other processes'. What is no
// packet is told to skip, which may be nil, in one line: a symbolic link, a file that is too large or that does not
// hold what its name says, everything with another name.
func (s *Store) All(skip func(note string)) iter.Seq[Stored] {
	if skip == nil {
		skip = func(string) {}
	}
	return func(yield func(Stored) bool) {
		names, others, err := s.names()
		if err != nil {
			skip(err.Error())
			return
		}
		if others > 0 {
			what := "1 file is no packet by its name"
			if others > 1 {
				what = fmt.Sprintf("%d files are no packets by their names", others)
			}
			skip(what)
		}
		why := s.reasons()
		total := 0
		for _, name := range names {
			data, err := s.read(name)
			if total += len(data); total > MaxBytes {
				skip(fmt.Sprintf("want at most %d bytes in a corpus, got more; the rest is left out", MaxBytes))
				return
			}
			if err != nil {
				skip(name + ": " + err.Error())
				continue
			}
			from, _ := senderOf(name)
			if !yield(Stored{Seed: Seed{Name: name, From: from, Data: data}, Why: why[name]}) {
				return
			}
		}
	}
}

// News are packets that other processes have added since the store was opened, most of them at once: the rest comes with
// the next call. What is no packet, or is gone again, is passed over.
func (s *Store) News(most int) (list []Stored) {
	names, _, err := s.names()
	if err != nil {
		return nil // the next call may have them
	}
	for _, name := range names {
		if s.known[name] || len(list) == most || len(s.known) >= 2*MaxPackets {
			continue
		}
		s.known[name] = true
		if data, err := s.read(name); err == nil {
			from, _ := senderOf(name)
			list = append(list, Stored{Seed: Seed{Name: name, From: from, Data: data}})
		}
	}
	return list
}

// open opens a file that Lstat called a regular one. It may have been exchanged since: a FIFO is not waited for, and ends
// at once.
func (s *Store) open(name string) (*os.File, error) {
	return s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// read reads a packet's file, if that is what it is.
func (s *Store) read(name string) ([]byte, error) {
	info, err := s.root.Lstat(name)
	switch {
	case err != nil:
		return nil, plain(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("is no regular file")
	case info.Size() > MaxStored:
		return nil, fmt.Errorf("want %d bytes at most, got %d", MaxStored, info.Size())
	}
	f, err := s.open(name)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxStored+1))
	if err != nil {
		return nil, plain(err)
	}
	if from, _ := senderOf(name); nameOf(data, from) != name {
		return nil, errors.New("does not hold what its name says")
	}
	return data, nil
}

// reasons reads why packets are there, as far as it can be read.
func (s *Store) reasons() map[string]string {
	info, err := s.root.Lstat(reasons)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := s.open(reasons)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxReasons)) // what was read counts
	why := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, reason, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if _, known := senderOf(name); ok && known && why[name] == "" && len(why) < MaxPackets {
			why[name] = printable(reason)
		}
	}
	return why
}

// plain is an error without the operation and the name.
func plain(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
