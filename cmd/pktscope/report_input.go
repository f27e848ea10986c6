package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
)

// maxSaved bounds all saved results of a run, unpacked, in bytes.
const maxSaved = 512 << 20

// reportRun is what a report is made of.
type reportRun struct {
	*program
	flags   *reportFlags
	cmd     *cobra.Command // nil where captures are not taken
	set     *results.Set
	counter *reportCounter // nil until there is a capture
	cut     []string       // captures that were not read to their end
	read    int64          // bytes of saved results, unpacked
	sources []page.Source  // the inputs, in the user's order
	page    bool           // packets are kept for a page
}

// input reads one INPUT. Errors name it.
func (r *reportRun) input(name string) error {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		return r.directory(name)
	}
	in, closer, err := r.openCapture(name)
	if err != nil {
		return err
	}
	defer closer()
	buffered := bufio.NewReaderSize(in, 64<<10)
	if isSaved(buffered) {
		set, err := r.saved(buffered, name)
		r.sources = append(r.sources, page.Source{Name: name, Kind: kindsOf(set)})
		return err
	}
	if r.cmd == nil {
		return fmt.Errorf("%s: no saved results: want what -T json of stats, budget, audit, fuzz or report wrote", name)
	}
	if err := r.open(); err != nil {
		return err
	}
	err = r.counter.capture(r.readCapture(nil, buffered, in), name)
	r.sources = append(r.sources, page.Source{Name: name, Kind: "capture"})
	if errors.Is(err, pcap.ErrNotCapture) {
		return fmt.Errorf("%s: neither saved results (-T json) nor a capture (pcap, pcapng)", name)
	}
	if err != nil {
		err = inputError(name, err)
		r.cut = append(r.cut, err.Error())
	}
	return err
}

// isSaved reports whether a file, packed or not, begins like an object.
func isSaved(in *bufio.Reader) bool {
	head, _ := in.Peek(4096) // of a shorter file all
	plain := pcap.Decompress(bytes.NewReader(head))
	defer plain.Close()
	for buf := make([]byte, 1); ; {
		if n, err := plain.Read(buf); n == 0 && err != nil {
			return false
		} else if n == 0 {
			continue
		}
		switch buf[0] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return true
		default:
			return false
		}
	}
}

// saved reads saved results.
func (r *reportRun) saved(in io.Reader, name string) (*results.Set, error) {
	left := maxSaved - r.read
	if left <= 0 {
		return &results.Set{}, fmt.Errorf("%s: more than %d MiB of saved results", name, maxSaved>>20)
	}
	set, err := results.Read(in, name, results.Limits{Bytes: left})
	r.read += set.Bytes()
	for _, f := range set.Findings {
		if info, err := os.Lstat(f.Capture); f.Capture != "" && (err != nil || !info.Mode().IsRegular()) {
			f.Capture = ""
		}
	}
	for _, line := range set.Incomplete() {
		r.complain("%s: is not of all its input: %s", name, line)
	}
	if added := r.set.Add(set); err == nil && added != nil {
		err = fmt.Errorf("%s: %w", name, added)
	}
	return set, err
}

// kindsOf names what saved results are.
func kindsOf(s *results.Set) string {
	var kinds []string
	for _, one := range []struct {
		n    int
		word string
	}{
		{len(s.Statistics), "statistics"}, {len(s.Budgets), "budget"}, {len(s.Rejects), "rejects"}, {len(s.Audits), "audit"}, {len(s.Campaigns), "campaign"},
		{len(s.Findings), "finding"},
	} {
		if one.n > 0 {
			kinds = append(kinds, one.word)
		}
	}
	return strings.Join(kinds, ", ")
}

// directory reads the .json files of a directory: files of its own, and no links, which lead elsewhere, nor pipes, which do not
// end.
func (r *reportRun) directory(name string) error {
	entries, err := os.ReadDir(name)
	if err != nil {
		return fmt.Errorf("%s: %s", name, reason(err))
	}
	found := 0
	r.sources = append(r.sources, page.Source{Name: name, Kind: "directory"})
	for _, e := range entries { // in the order of their names
		if !strings.HasSuffix(e.Name(), ".json") || !e.Type().IsRegular() {
			continue
		}
		found++
		file := filepath.Join(name, e.Name())
		f, err := openFile(file)
		if err != nil {
			return err
		}
		_, err = r.saved(f, file)
		f.Close()
		if err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("%s: no .json file in it: want findings (fuzz --findings) or other saved results", name)
	}
	return nil
}
