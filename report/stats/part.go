package stats

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
)

// A saved part is the JSON of a summary, on one line, with one key more: `part`, which has everything that Union needs,
// in base64. Only that is read back, and `schema` and `incomplete`; the rest is there for everybody else. It begins
// with its version and ends with a CRC-32 of what is before that, so that a part that was cut or edited is refused and
// not half believed. Equal Segments are saved as equal bytes.

// MaxParts is the most protocols whose statistics are read, of one file and of what is merged: each costs megabytes,
// whatever its file says.
const MaxParts = saved.MaxProtocols

const (
	partVersion = 7
	partFlows   = 7        // the first that tells apart the flows of two ends
	partTimed   = 6        // the first with a timeline
	partBare    = 4        // the last without what is known of messages
	partOldest  = 1        // without the series by case and kind
	partOne     = 2        // of one Stats, which does not say what it was counted of
	partFiles   = 4        // the first whose silences name their files, and whose times are steps
	maxPart     = 32 << 20 // bytes
)

// partLine is a line of a saved part.
type partLine struct {
	*Summary
	Part []byte `json:"part,omitempty"`
}

// AppendJSON appends the summary with everything that Union needs, as one line. Where many peers had much to remember,
// those with the fewest packets are left out first, of s as well: they are in the sums alone. The error is that there
// are too many pieces for that.
func (s *Segments) AppendJSON(b []byte) ([]byte, error) {
	part, err := s.AppendPart(nil)
	if err != nil {
		return b, err
	}
	line, err := json.Marshal(partLine{s.Summary(), part})
	if err != nil {
		return b, fmt.Errorf("statistics of %s: %w", s.Protocol(), err)
	}
	return append(syntax.AppendEscapedJSON(b, line), '\n'), nil
}

// AppendPart appends what Union needs, without the summary, the schema and what is incomplete: for programs that pass
// parts on by the million. Peers are left out as by AppendJSON.
func (s *Segments) AppendPart(b []byte) ([]byte, error) {
	c := s.coded(nil)
	if len(c.files) > maxFiles {
		return b, tooManyGaps(s)
	}
	for tries := 0; len(c.b) > maxPart-4; tries++ {
		if tries == 8 {
			return b, tooManyGaps(s)
		}
		s.leaveOut(len(c.b) - (maxPart - 4))
		c = s.coded(c.b[:0])
	}
	return binary.BigEndian.AppendUint32(append(b, c.b...), crc32.ChecksumIEEE(c.b)), nil
}

// coded appends the part without its checksum.
func (s *Segments) coded(b []byte) coder {
	c := coder{writing: true, version: partVersion, b: append(b, partVersion)}
	s.code(&c)
	return c
}

func tooManyGaps(s *Segments) error {
	return fmt.Errorf("statistics of %s: %w", s.Protocol(), saved.ErrTooManyGaps)
}

// Read reads what AppendJSON wrote: a line for each protocol. The file may come from anyone; it is read in memory
// bounded by 64 MiB a line and some times 32 MiB a part. The error says in one line what is wrong, with the number of
// the line.
func Read(r io.Reader) ([]*Segments, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), saved.MaxObject)
	var list []*Segments
	n := 0
	for lines.Scan() {
		n++
		if n > MaxParts {
			return nil, fmt.Errorf("line %d: want %d lines at most, one for each protocol", n, MaxParts)
		}
		s, err := readLine(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		for _, o := range list {
			if o.Protocol() == s.Protocol() {
				return nil, fmt.Errorf("line %d: the protocol %q comes twice", n, s.Protocol())
			}
		}
		list = append(list, s)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: want %d bytes at most", n+1, saved.MaxObject)
	} else if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errors.New("no saved statistics: the file is empty")
	}
	return list, nil
}

func readLine(line []byte) (*Segments, error) {
	var head struct {
		saved.Header
		Incomplete []string `json:"incomplete"`
		Part       string   `json:"part"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, errors.New("no saved statistics: want what `pktscope stats -T json` wrote")
	}
	switch {
	case head.Kind != Kind:
		return nil, errors.New("no saved statistics: want what `pktscope stats -T json` wrote")
	case head.SchemaVersion != saved.Version:
		return nil, fmt.Errorf("saved statistics of version %d: want %d", head.SchemaVersion, saved.Version)
	case head.Part == "":
		return nil, errors.New("the saved statistics have no part to merge")
	}
	var part struct {
		Part []byte `json:"part"`
	}
	if len(head.Part) > maxPart/3*4+4 {
		return nil, fmt.Errorf("the saved part is too large: want %d bytes at most", maxPart)
	}
	if err := json.Unmarshal(line, &part); err != nil {
		return nil, errors.New("the saved part is no base64")
	}
	s, err := ReadPart(part.Part)
	if err != nil {
		return nil, err
	}
	if err := head.Schema.Check(); err != nil {
		return nil, err
	}
	for _, one := range s.list {
		one.schema = head.Schema
	}
	s.gaps.Add(head.Incomplete...)
	return s, nil
}

// ReadPart reads what AppendPart appended, which may come from anyone.
func ReadPart(b []byte) (*Segments, error) {
	if len(b) < 5 {
		return nil, errPartEnds
	}
	if b[0] < partOldest || b[0] > partVersion {
		return nil, fmt.Errorf("the saved part has version %d: want %d to %d", b[0], partOldest, partVersion)
	}
	body, tail := b[:len(b)-4], b[len(b)-4:]
	if crc32.ChecksumIEEE(body) != uint32(tail[0])<<24|uint32(tail[1])<<16|uint32(tail[2])<<8|uint32(tail[3]) {
		return nil, errors.New("the saved part is damaged: its checksum does not fit")
	}
	return decodeBody(b[0], body[1:])
}

func decodeBody(version byte, body []byte) (*Segments, error) {
	s := new(Segments)
	c := coder{version: version, b: body}
	if version <= partOne {
		sum := sha256.Sum256(body)
		s.list = []segment{{saved.Whole(binary.BigEndian.Uint64(sum[:])), new(Stats)}}
		s.list[0].Stats.code(&c)
	} else {
		s.code(&c)
	}
	if c.err == nil && len(c.b) > 0 {
		c.fail(errPartRest)
	}
	if c.err != nil {
		return nil, c.err
	}
	if c.crowded > 0 {
		s.gaps.Add(fmt.Sprintf("a part of an older pktscope has not counted %d of its latencies", c.crowded))
	}
	return s, nil
}
