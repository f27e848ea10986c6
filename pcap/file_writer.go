package pcap

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Rotation says when a FileWriter ends its file and begins the next, so that a capture that is left running does not
// fill the disk. The zero Rotation is one file.
type Rotation struct {
	Bytes    int64         // end a file that has at least so many bytes; 0 is any number
	Duration time.Duration // end a file that was begun so long ago; 0 is never
	Files    int           // keep the newest Files files, at most MaxFiles; 0 keeps all
}

// MaxFiles bounds Rotation.Files: their names are remembered, and the number in a name has five digits.
const MaxFiles = 100000

// rotates reports whether there is more than one file.
func (r *Rotation) rotates() bool { return *r != Rotation{} }

// over reports whether a file of size bytes, begun at begun, is to be ended.
func (r *Rotation) over(size int64, begun, now time.Time) bool {
	return r.Bytes > 0 && size >= r.Bytes || r.Duration > 0 && now.Sub(begun) >= r.Duration
}

// A FileWriter writes packets to a capture file, or with a Rotation to a ring of files. Traffic is private: its owner
// alone can read a file.
//
// The files of a ring are named as tshark names them, game_00001_20260131120000.pcapng: the number never repeats in a
// run, the time is UTC. A file that exists already is an error and never written over: whoever may write to the
// directory could have put a link there. One file without a Rotation is written over.
//
// When the disk takes a part of a block, the file is cut after its last whole one. The first error of writing stays.
//
// A FileWriter may not be used by two goroutines at once.
type FileWriter struct {
	name     string // number and time go before its extension
	section  Section
	rotation Rotation

	file   *os.File
	w      *Writer
	begun  time.Time // of the file
	number int64     // of the file
	kept   []string  // the files that are there, oldest first; only with Rotation.Files
	ended  int64     // bytes of the files that are ended
	closed bool      // the file is ended, and no next one begun
	broken bool      // writing failed
}

// CreateFile makes the file of that name, or the first of the ring. Errors of making and removing files are
// *fs.PathError, with the file's name; errors of writing are *WriteError.
func CreateFile(name string, section Section, rotation Rotation) (*FileWriter, error) {
	if rotation.Files < 0 || rotation.Files > MaxFiles {
		return nil, fmt.Errorf("capture: want to keep 0..%d files, got %d", MaxFiles, rotation.Files)
	}
	f := &FileWriter{name: name, section: section, rotation: rotation}
	if rotation.rotates() {
		return f, f.openNext(time.Now())
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
		_ = file.Chmod(0o600) // it was another's to read before; where that cannot be changed it stays
	}
	f.begin(file)
	return f, nil
}

// begin makes file the one that is written.
func (f *FileWriter) begin(file *os.File) {
	f.file, f.w, f.closed = file, NewWriter(file, f.section), false
}

// openNext makes the next file of the ring, and removes the oldest when there are too many.
func (f *FileWriter) openNext(now time.Time) error {
	f.number++
	f.begun = now
	ext := filepath.Ext(f.name)
	name := fmt.Sprintf("%s_%05d_%s%s", strings.TrimSuffix(f.name, ext), f.number, now.UTC().Format("20060102150405"), ext)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.begin(file)
	if f.rotation.Files == 0 {
		return nil
	}
	f.kept = append(f.kept, name)
	if len(f.kept) > f.rotation.Files {
		oldest := f.kept[0]
		f.kept = append(f.kept[:0], f.kept[1:]...)
		// One that somebody else has moved away is no trouble.
		if err := os.Remove(oldest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// WriteDatagram is [Writer.WriteDatagram]; then the file may be ended and the next one begun.
func (f *FileWriter) WriteDatagram(d *DatagramReader) error { return f.wrote(f.w.WriteDatagram(d)) }

// WriteRecords writes copies of the packets that one datagram came in from src.
func (f *FileWriter) WriteRecords(src PacketSource, records []Record) error {
	return f.wrote(f.w.WriteRecords(src, records))
}

// WriteUDP is [Writer.WriteUDP]; then the file may be ended and the next one begun.
func (f *FileWriter) WriteUDP(time int64, src, dst netip.AddrPort, payload []byte, comments ...string) error {
	return f.wrote(f.w.WriteUDP(time, src, dst, payload, comments...))
}

// wrote changes the file after a packet, when it is time to.
func (f *FileWriter) wrote(err error) error {
	if err != nil {
		return f.failed(err)
	}
	if !f.rotation.rotates() {
		return nil
	}
	return f.Rotate(time.Now())
}

// Rotate ends the file and begins the next when it is time to, as every write does. Call it by a timer for
// Rotation.Duration to hold when no packet comes.
func (f *FileWriter) Rotate(now time.Time) error {
	if f.broken || !f.rotation.over(f.w.Size(), f.begun, now) {
		return nil
	}
	if err := f.Close(); err != nil {
		return err
	}
	return f.openNext(now)
}

// Flush is [Writer.Flush].
func (f *FileWriter) Flush() error { return f.failed(f.w.Flush()) }

// Size is how many bytes all files have after Flush, also those that the ring has removed.
func (f *FileWriter) Size() int64 {
	if f.closed {
		return f.ended
	}
	return f.ended + f.w.Size()
}

// Close ends the file. Errors that were returned before are not returned again.
func (f *FileWriter) Close() error {
	if f.closed {
		return nil
	}
	var err error
	if !f.broken {
		err = f.failed(f.w.Close())
	}
	f.ended, f.closed = f.Size(), true
	if closed := f.file.Close(); err == nil && !f.broken {
		err = closed
	}
	return err
}

// failed remembers that writing failed. It cuts the file after its last whole block, when the disk took a part of one.
func (f *FileWriter) failed(err error) error {
	var failure *WriteError
	if f.broken || !errors.As(err, &failure) {
		return err
	}
	f.broken = true
	if failure.Whole == failure.Bytes {
		return err
	}
	if info, statErr := f.file.Stat(); statErr == nil && info.Mode().IsRegular() {
		_ = f.file.Truncate(failure.Whole) // the error that counts is the one of writing
	}
	return err
}
