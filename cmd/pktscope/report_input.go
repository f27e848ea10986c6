package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
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
	against *results.Set   // of --against
	piece   func() saved.Piece
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
	if !r.sharded() && results.IsSaved(buffered) { // a piece may begin like anything
		set, err := r.saved(buffered, name)
		r.sources = append(r.sources, page.Source{Name: name, Kind: strings.Join(set.Kinds(), ", ")})
		return err
	}
	if r.cmd == nil {
		return fmt.Errorf("%s: no saved results: want what -T json of stats, budget, audit, fuzz or report wrote", name)
	}
	if err := r.open(); err != nil {
		return err
	}
	err = r.counter.capture(r.readCapture(nil, buffered, in), name)
	r.counted.Add(name, max(in.total, in.Bytes), in.Head)
	r.sources = append(r.sources, page.Source{Name: name, Kind: "capture"})
	if errors.Is(err, pcap.ErrNotCapture) && !r.sharded() {
		return fmt.Errorf("%s: neither saved results (-T json) nor a capture (pcap, pcapng)", name)
	}
	if err != nil {
		err = inputError(name, err)
		r.cut = append(r.cut, err.Error())
	}
	return err
}

// compareWith reads the results of another run.
func (r *reportRun) compareWith(name string) error {
	in, closer, err := r.openCapture(name)
	if err != nil {
		return err
	}
	defer closer()
	buffered := bufio.NewReader(in)
	if !results.IsSaved(buffered) {
		return fmt.Errorf("--against: %s: no saved results: want what report -o FILE.json, or -T json of stats, budget, audit or fuzz wrote", name)
	}
	if r.against, err = results.Read(buffered, name, results.Limits{Bytes: maxSaved}); err == nil {
		r.against.Merge()
	}
	return err
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

// directory reads the saved results of a directory.
func (r *reportRun) directory(name string) error {
	files, err := results.Files(os.DirFS(name))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %s", name, reason(err))
	case len(files) == 0:
		return fmt.Errorf("%s: no .json file in it: want findings (fuzz --findings) or other saved results", name)
	}
	r.sources = append(r.sources, page.Source{Name: name, Kind: "directory"})
	for _, file := range files {
		f, err := decode.Dir(name).Open(file) // a FIFO that takes its place is not waited for
		file = filepath.Join(name, file)
		if err != nil {
			return fmt.Errorf("%s: %s", file, reason(err))
		}
		_, err = r.saved(f, file)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
