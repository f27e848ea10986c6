package main

import "os"

// lateFile is a file that is made when the first byte for it is there, so that a run which fails before that leaves what
// was there. It is readable by its owner alone: it holds traffic.
type lateFile struct {
	name    string
	file    *os.File
	refused error // that the file cannot be made
}

func (l *lateFile) Write(b []byte) (int, error) {
	if l.file == nil {
		f, err := os.OpenFile(l.name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			l.refused = outputError(l.name, err)
			return 0, l.refused
		}
		l.file = f
	}
	n, err := l.file.Write(b)
	if err != nil {
		err = outputError(l.name, err)
	}
	return n, err
}

func (l *lateFile) close() error {
	if l.file == nil {
		return nil
	}
	if err := l.file.Close(); err != nil {
		return outputError(l.name, err)
	}
	return nil
}
