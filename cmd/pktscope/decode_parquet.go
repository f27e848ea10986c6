package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/parquet"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// parquetForm is the form of -T that is no view: it is a file.
const parquetForm = "parquet (columns for SQL, into the file of -o; see pktscope help scale)"

// parquetMemory is what a row group takes, with what its packets take on their way.
const parquetMemory = 128 << 20

// digest is of what is read of a capture.
type digest struct {
	hash.Hash
	bytes int64
}

func (d *digest) Write(b []byte) (int, error) {
	d.bytes += int64(len(b))
	return d.Hash.Write(b)
}

// decodeParquet writes captures as one Parquet file, or as one each into a directory.
func (p *program) decodeParquet(cmd *cobra.Command, flags *viewFlags, output string, files []string) error {
	dir, err := p.checkParquet(cmd, flags, output, files)
	if err != nil {
		return err
	}
	plain := *flags
	plain.format, plain.protocol.opens = "text", false
	v, err := p.openView(cmd, &plain, false)
	if err != nil {
		return err
	}
	allowMemory(parquetMemory)
	outputs := map[string][]string{output: files}
	names := []string{output}
	if dir {
		if err := os.MkdirAll(output, 0o700); err != nil {
			return outputError(output, err)
		}
		names = names[:0]
		for _, file := range files {
			name := filepath.Join(output, filepath.Base(file)+".parquet")
			if outputs[name] != nil {
				return usagef(cmd, "-o %s: %s and %s would both be %s", output, outputs[name][0], file, name)
			}
			outputs[name], names = []string{file}, append(names, name)
		}
	}
	trouble := false
	for _, name := range names {
		whole, err := p.parquetFile(v, name, outputs[name])
		if errors.As(err, new(told)) {
			whole, err = false, nil
		}
		if err != nil && !dir {
			return err
		}
		if err != nil {
			p.complain("%s", err)
		}
		trouble = trouble || !whole || err != nil
		if p.stopped() || flags.count > 0 && v.shown == flags.count {
			break
		}
	}
	if err := p.summarise(&v.counts, v.flags.chosen()); err != nil {
		return err
	}
	switch {
	case trouble:
		return told{}
	case metFailure(flags.failOn, &v.counts):
		return findings{}
	}
	return nil
}

// checkParquet judges what goes with -T parquet, and reports whether -o is a directory.
func (p *program) checkParquet(cmd *cobra.Command, flags *viewFlags, output string, files []string) (dir bool, err error) {
	for _, name := range []string{"verbose", "bits", "field", "line-buffered", "write", "time"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			return false, usagef(cmd, "%s is for what is shown or saved as a capture: leave it out, or -T parquet", letterOf(f))
		}
	}
	if output == "" || output == "-" {
		return false, usagef(cmd, "-T parquet is no text: want -o FILE, or -o DIR/ for a file of each capture")
	}
	there, missing := os.Stat(output)
	switch {
	case strings.HasSuffix(output, "/") || missing == nil && there.IsDir():
		return true, nil
	case missing == nil && !there.Mode().IsRegular():
		return false, usagef(cmd, "-o %s: want a file: Parquet has its index at its end", output)
	}
	if err := p.spare(output, append([]string{flags.protocol.name}, files...)...); err != nil {
		return false, outputError(output, err)
	}
	return false, nil
}

// parquetFile writes a file of captures. whole is false where one of them could not be read to its end, which was said
// and is in the file's metadata. Of a run that was interrupted, or that read nothing, there is no file.
func (p *program) parquetFile(v *view, name string, captures []string) (whole bool, err error) {
	f, err := p.replace(name, saved.OwnerOnly)
	if err != nil {
		return false, outputError(name, err)
	}
	kept := false
	defer func() {
		if !kept {
			f.Abandon()
		}
	}()
	left := int64(0)
	if v.flags.count > 0 {
		left = v.flags.count - v.shown
	}
	w, err := parquet.NewWriter(f, v.scan.Decoders.All(), left)
	if err != nil {
		return false, err
	}
	about := &parquet.About{Version: version()}
	var counts scan.Counts
	p.digest = &digest{Hash: sha256.New()}
	defer func() { p.digest = nil }()
	about.Incomplete, err = p.eachCapture(captures, func(reader *pcap.Reader, capture string) (bool, error) {
		v.scan.Batched, v.scan.Workers = w.Batched(), 0
		if v.flags.count > 0 {
			v.scan.Workers = 1
		}
		err := scanCapture(reader, capture, v.scan, outputStage(w.Stage()), &counts)
		about.Captures = append(about.Captures, parquet.Capture{Name: capture, Size: p.digest.bytes, SHA256: hex.EncodeToString(p.digest.Sum(nil))})
		p.digest.Reset()
		p.digest.bytes = 0
		return left > 0 && w.Rows() == left, err
	})
	v.counts.Add(&counts)
	v.shown += w.Rows()
	switch {
	case err != nil:
		return false, outputError(name, err)
	case p.stopped(), len(about.Incomplete) > 0 && counts.Captured == 0:
		return false, told{}
	case counts.Unmatched(v.scan.Decoders):
		return false, unmatched(&counts, v.scan.Decoders)
	case w.Plan() == nil:
		return false, fmt.Errorf("%s: no packets, whose columns are not known: name the protocol with -p", strings.Join(captures, ", "))
	case left > 0 && w.Rows() == left:
		about.Incomplete = append(about.Incomplete, fmt.Sprintf("-c %d", v.flags.count))
	}
	if err := w.Close(about); err != nil {
		return false, outputError(name, err)
	}
	kept = true
	if err := f.Commit(); err != nil {
		return false, outputError(name, err)
	}
	if !p.quiet {
		p.complain("%s of %s written to %s", syntax.Count(w.Rows(), "row"), w.Plan().Schema.Name, name)
	}
	return len(about.Incomplete) == 0 || left > 0, nil
}

// outputStage tells what goes wrong with the output from what is wrong with the capture.
func outputStage(s scan.Stage[parquet.Batch]) scan.Stage[parquet.Batch] {
	mark := func(err error) error {
		if err == nil || errors.Is(err, batch.ErrStop) {
			return err
		}
		return &writeError{err}
	}
	drain, large := s.Drain, s.Large
	s.Drain = func(b *parquet.Batch) error { return mark(drain(b)) }
	s.Large = func(packet *scan.Packet) error { return mark(large(packet)) }
	return s
}
