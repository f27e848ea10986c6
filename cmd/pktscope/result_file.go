package main

import (
	"os"

	"github.com/pktscope/pktscope/report/saved"
)

// lateFile is a file that is replaced when all of it was written. It is begun with the first byte, so that a run which
// fails before that says no more than why. It is readable by its owner alone: it holds traffic.
type lateFile struct {
	program *program
	name    string
	file    *saved.File
	refused error // that the file cannot be written
}

func (l *lateFile) Write(b []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = l.program.replace(l.name, saved.OwnerOnly); err != nil {
			l.file, l.refused = nil, outputError(l.name, err)
			return 0, l.refused
		}
	}
	if n, err = l.file.Write(b); err != nil && l.refused == nil {
		l.refused = outputError(l.name, err)
	}
	return n, err
}

// end puts the file in its place, or after an error leaves what was there.
func (l *lateFile) end(err error) error {
	switch {
	case l.file == nil:
		return err
	case err != nil:
		l.file.Abandon()
		return err
	}
	if err := l.file.Commit(); err != nil {
		return outputError(l.name, err)
	}
	return nil
}

// replace begins to replace a file that the user named, which must be no input. What is stdout, too, is written in its place among the rest.
func (p *program) replace(name string, mode saved.Mode) (*saved.File, error) {
	there, err := os.Stat(name)
	if out, failed := p.stdout.Stat(); err == nil && failed == nil && !there.IsDir() && os.SameFile(there, out) {
		return saved.Through(p.out), nil
	}
	if err := p.spare(name); err != nil {
		return nil, err
	}
	return saved.Replace(name, mode)
}

// writeFile puts text in a file's place.
func (p *program) writeFile(name string, text []byte, mode saved.Mode) error {
	f, err := p.replace(name, mode)
	if err != nil {
		return err
	}
	return f.WriteAll(text)
}
