package shards

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strconv"

	"github.com/pktscope/pktscope/pcap"
)

// The bounds of a plan.
const (
	MaxShards = 1 << 20
	maxLine   = 128 << 10
	maxName   = 16 << 10 // bytes of a file's name
	kind      = "shards"
	version   = 1
)

// Shard is one piece of one capture.
type Shard struct {
	I    int    `json:"i"`
	File string `json:"file"` // as it was named
	Size int64  `json:"size"` // of the file, in bytes
	From int64  `json:"from"` // see pcap.Part
	To   int64  `json:"to"`
	Base int64  `json:"base"`
	Head []byte `json:"head,omitempty"`
	CRC  uint32 `json:"crc,omitempty"` // CRC-32 of the file's first pcap.HeadBytes; in a plan only of the file's first shard

	Warm     int64 `json:"warm"`
	WarmBase int64 `json:"warm_base"`
}

// Part is what of its file it is.
func (s *Shard) Part() *pcap.Part {
	return &pcap.Part{From: s.From, To: s.To, Base: s.Base, Warm: s.Warm, WarmBase: s.WarmBase, Head: s.Head}
}

// check says what is wrong with it.
func (s *Shard) check(i int) error {
	switch {
	case s.I != i:
		return fmt.Errorf("want shard %d, got %d", i, s.I)
	case s.File == "" || len(s.File) > maxName:
		return fmt.Errorf("shard %d has no file", i)
	case s.Warm < 0 || s.From < s.Warm || s.To < s.From || s.Size < s.To || s.WarmBase < 0 || s.Base < s.WarmBase || len(s.Head) > pcap.MaxHead:
		return fmt.Errorf("shard %d is no piece of a file", i)
	}
	return nil
}

// Plan is of which captures shards are, and how they were cut.
type Plan struct {
	Stream uint64 // the captures: see pcap.Origin
	Cut    uint64 // how they were cut: the first 8 bytes of the SHA-256 of the shards' lines
	N      int    // shards
}

type planLine struct {
	Version int    `json:"schema_version"`
	Kind    string `json:"kind"`
	Stream  string `json:"stream"`
	N       int    `json:"n"`
}

// File is an open capture, such as an *os.File.
type File interface {
	io.ReadSeeker
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Builder makes a plan. The zero Builder has no capture.
type Builder struct {
	Stop <-chan struct{} // ends Add with pcap.ErrInterrupted, once it is closed

	origin pcap.Origin
	lines  bytes.Buffer
	n      int
}

// Add cuts a file into shards of about so many bytes; what is compressed is one. An error of the capture names no file;
// its shards are in the plan, the last one to the end of the file, so that whoever reads that says the same.
func (b *Builder) Add(name string, file File, size int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("want a file: what is no file is read once")
	}
	crc, err := sumOf(file)
	if err != nil {
		return err
	}
	in := &pcap.Interruptible{R: file, Stop: b.Stop}
	err = pcap.Cut(in, info.Size(), size, func(p pcap.Part) error {
		if b.n == MaxShards {
			return fmt.Errorf("more than %d shards: want a larger --size", MaxShards)
		}
		s := Shard{I: b.n, File: name, Size: info.Size(), From: p.From, To: p.To, Base: p.Base, Head: p.Head, Warm: p.Warm, WarmBase: p.WarmBase}
		if p.From == 0 {
			s.CRC = crc
		}
		line, err := json.Marshal(&s)
		if err != nil {
			return err
		}
		b.n++
		b.lines.Write(line)
		b.lines.WriteByte('\n')
		return nil
	})
	b.origin.Add(name, info.Size(), in.Head)
	return err
}

// Shards is how many there are so far.
func (b *Builder) Shards() int { return b.n }

// AppendJSON appends the plan.
func (b *Builder) AppendJSON(to []byte) []byte {
	line, err := json.Marshal(planLine{version, kind, fmt.Sprintf("%016x", b.origin.Stream()), b.n})
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	return append(append(append(to, line...), '\n'), b.lines.Bytes()...)
}

// Read reads a plan and finds its shard number i, from 0. The error is one line with the number of the line.
func Read(r io.Reader, i int) (*Plan, *Shard, error) {
	var found, first Shard
	p, err := read(r, func(n int, line []byte, of int) error {
		if i < 0 || i >= of {
			return fmt.Errorf("want shard 0..%d, got %d", of-1, i)
		}
		if n != i && (n > i || !bytes.Contains(line, []byte(`"from":0,`))) {
			return nil
		}
		s, err := parse(n, line)
		if err == nil {
			found, first = s.after(first)
		}
		return err
	})
	if err == nil {
		err = found.begun(i)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, &found, nil
}

// ReadAll reads a plan with all its shards, of which it keeps 128 KiB each at most.
func ReadAll(r io.Reader) (*Plan, []Shard, error) {
	var all []Shard
	var first Shard
	p, err := read(r, func(n int, line []byte, of int) error {
		s, err := parse(n, line)
		if err == nil {
			s, first = s.after(first)
			err = s.begun(n)
		}
		all = append(all, s)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return p, all, nil
}

// read reads a plan, and has each line of a shard taken: number n of so many.
func read(r io.Reader, take func(n int, line []byte, of int) error) (*Plan, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	var head planLine
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Kind != kind {
		return nil, errors.New("line 1: want a plan, as pktscope shards writes it")
	}
	stream, err := strconv.ParseUint(head.Stream, 16, 64)
	switch {
	case head.Version != version:
		return nil, fmt.Errorf("line 1: a plan of version %d: want %d", head.Version, version)
	case err != nil || len(head.Stream) != 16 || head.N < 1 || head.N > MaxShards:
		return nil, fmt.Errorf("line 1: want a stream of 16 digits, and 1..%d shards", MaxShards)
	}
	n, sum := 0, sha256.New()
	for ; lines.Scan(); n++ {
		sum.Write(lines.Bytes())
		sum.Write([]byte{'\n'})
		if n >= head.N {
			continue
		}
		if err := take(n, lines.Bytes(), head.N); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+2, err)
	}
	if n != head.N {
		return nil, fmt.Errorf("line %d: want %d shards, got %d", n+1, head.N, n)
	}
	return &Plan{Stream: stream, Cut: binary.BigEndian.Uint64(sum.Sum(nil)), N: head.N}, nil
}

// parse reads the line of shard n.
func parse(n int, line []byte) (s Shard, err error) {
	if json.Unmarshal(line, &s) != nil {
		return s, fmt.Errorf("line %d: no shard", n+2)
	}
	if err := s.check(n); err != nil {
		return s, fmt.Errorf("line %d: %w", n+2, err)
	}
	return s, nil
}

// after gives a shard what only the first of its file says. first is the last one before it that begins a file.
func (s Shard) after(first Shard) (_, _ Shard) {
	if s.From == 0 {
		return s, s
	}
	if s.CRC = first.CRC; s.File != first.File || s.Size != first.Size {
		s.File = ""
	}
	return s, first
}

// begun says that no shard before it begins its file.
func (s *Shard) begun(i int) error {
	if s.File == "" {
		return fmt.Errorf("line %d: the file of shard %d does not begin before it", i+2, i)
	}
	return nil
}

// Open makes file, which is the shard's, ready to be read: what it returns has the bytes for pcap.Reader.ResetPart. The
// error is that it is not what the plan was made of.
func (s *Shard) Open(file File) (io.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if crc, err := sumOf(file); err != nil || info.Size() != s.Size || crc != s.CRC {
		return nil, errors.New("is not what the plan was made of")
	}
	if _, err := file.Seek(s.Warm, io.SeekStart); err != nil {
		return nil, err
	}
	return io.LimitReader(file, s.To-s.Warm), nil
}

// sumOf is the CRC of a file's first bytes.
func sumOf(file File) (uint32, error) {
	head := make([]byte, pcap.HeadBytes)
	n, err := file.ReadAt(head, 0)
	if err == io.EOF {
		err = nil
	}
	return crc32.ChecksumIEEE(head[:n]), err
}

// Files picks the files of shard i of n: of all of them, sorted by name, the ith part.
func Files(sorted []string, i, n int) []string {
	return sorted[len(sorted)*i/n : len(sorted)*(i+1)/n]
}
