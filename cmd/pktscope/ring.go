package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pktscope/pktscope/pcap"
)

// A ring of capture files, so that a capture that is left running does not fill the disk: -b of `live`. The files are
// named as tshark does, `game_00001_20260131120000.pcapng`: the number never repeats in a run, the time is UTC.

// maxRingFiles bounds how many names are remembered, and its number has five digits.
const maxRingFiles = 100000

// ring is the files of a captureOut with -b.
type ring struct {
	limits limits
	name   string // -w, in which number and time go before the extension
	number int64
	opened time.Time
	files  []string // those that are there, the oldest first; only with limits.files
	all    int64    // bytes of the files that are ended
}

// next is the name of the next file.
func (r *ring) next(now time.Time) string {
	r.number++
	r.opened = now
	ext := filepath.Ext(r.name)
	return fmt.Sprintf("%s_%05d_%s%s", strings.TrimSuffix(r.name, ext), r.number, now.UTC().Format("20060102150405"), ext)
}

// over reports whether the file that has so many bytes is to be ended.
func (r *ring) over(size int64, now time.Time) bool {
	return r.limits.bytes > 0 && size >= r.limits.bytes || r.limits.duration > 0 && now.Sub(r.opened) >= r.limits.duration
}

// turn ends the file and makes the next one when it is time to. It is asked between two packets, and by a timer when none
// come.
func (c *captureOut) turn(now time.Time) error {
	if c.ring == nil || c.writer == nil || !c.ring.over(c.writer.Size(), now) {
		return nil
	}
	if err := c.end(); err != nil {
		return err
	}
	return c.openNext(now)
}

// openNext makes the next file of the ring, and removes the oldest when there are too many. A file that is there already is
// never written over: whoever may write to the directory could have put a link there.
func (c *captureOut) openNext(now time.Time) error {
	r := c.ring
	name := r.next(now)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("-w %s: %s", name, reason(err))
	}
	c.start(f)
	if r.limits.files == 0 {
		return nil
	}
	r.files = append(r.files, name)
	if int64(len(r.files)) > r.limits.files {
		oldest := r.files[0]
		r.files = append(r.files[:0], r.files[1:]...)
		// One that somebody else has moved away is no trouble.
		if err := os.Remove(oldest); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("-w %s: %s", oldest, reason(err))
		}
	}
	return nil
}

// size is the bytes that all files have, as they will be.
func (c *captureOut) size() int64 {
	n := int64(0)
	if c.ring != nil {
		n = c.ring.all
	}
	if c.writer != nil {
		n += c.writer.Size()
	}
	return n
}

// repair cuts a file behind its last whole block, when the disk took only a part of one.
func (c *captureOut) repair(err error) {
	var broken *pcap.WriteError
	if c.file == nil || !errors.As(err, &broken) || broken.Whole == broken.Bytes {
		return
	}
	if info, statErr := c.file.Stat(); statErr == nil && info.Mode().IsRegular() {
		_ = c.file.Truncate(broken.Whole) // the error that is told is the one of writing
	}
}
