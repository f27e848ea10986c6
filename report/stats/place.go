package stats

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
)

// place is a record of a capture.
type place struct {
	file string // the capture's name, at most maxFile bytes and "…"; "" where nobody knows it
	n    int64  // the record's number in it
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.file, o.file), cmp.Compare(p.n, o.n))
}

const (
	maxFile  = 1024    // of a capture's name is kept: a part may have thousands of them
	maxFiles = 1 << 17 // that a part names; one piece has 4 for each of its peers at most, and 2 for each silence
)

func newPlace(file string, n int64) place { return place{table.Clip(file, maxFile), n} }

// sighting is a stretch with the records that it begins and ends with.
type sighting struct {
	stretch
	from, until place
}

func (s *sighting) see(at int64, p place) {
	if s.first == 0 {
		s.from = p
	}
	s.until = p
	s.stretch.see(at)
}

// merge continues s with o.
func (s *sighting) merge(o *sighting) {
	if o.first == 0 {
		return
	}
	if s.first == 0 {
		s.from = o.from
	}
	s.until = o.until
	s.stretch.merge(&o.stretch)
}

// code has the places only where a silence can come of them.
func (s *sighting) code(c *coder, sh *shape) {
	s.stretch.code(c)
	if s.first != 0 && (c.version < partFiles || sh.timeout != 0) {
		c.place(&s.from)
		c.place(&s.until)
	}
}

// files are the names of all captures that the pieces name, in their order, each once.
func (s *Segments) files() []string {
	names := map[string]bool{}
	for _, one := range s.list {
		if one.shape.timeout == 0 {
			continue
		}
		one.silences.trim()
		for i := range one.silences.list {
			names[one.silences.list[i].after.file], names[one.silences.list[i].before.file] = true, true
		}
		for _, p := range one.peers.table {
			for h := range p.halves {
				if seen := &p.halves[h].seen; seen.first != 0 {
					names[seen.from.file], names[seen.until.file] = true, true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// names is the names that places give by number. A name is whatever its user made it; who shows one escapes it.
func (c *coder) names(list []string) {
	n := c.length(len(list), maxFiles, 1)
	if !c.writing {
		list = make([]string, n)
	}
	for i := range list {
		size := c.length(len(list[i]), maxFile+len("…"), 1)
		if c.writing {
			c.b = append(c.b, list[i]...)
			continue
		}
		list[i], c.b = string(c.b[:size]), c.b[size:]
		c.check(i == 0 || list[i-1] < list[i], "the files of the saved part are not in order")
	}
	c.files = list
}

func (c *coder) place(p *place) {
	if c.version >= partFiles {
		at, _ := slices.BinarySearch(c.files, p.file)
		index := uint64(at)
		c.uint(&index, saved.MaxCount)
		switch {
		case c.writing:
		case index >= uint64(len(c.files)):
			c.fail(errors.New("the saved part names a file that it has not"))
		default:
			p.file = c.files[index]
		}
	}
	c.int(&p.n)
}

// instant is a time, which is little more or less than the one that was coded before it.
func (c *coder) instant(at *int64) {
	if c.version < partFiles {
		c.int(at)
		return
	}
	step := *at - c.clock
	c.int(&step)
	*at = c.clock + step
	c.clock = *at
}
