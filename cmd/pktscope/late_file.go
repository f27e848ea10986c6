package main

// lateFile is a file that is replaced when all of it was written. It is begun with the first byte, so that a run which
// fails before that says no more than why. It is readable by its owner alone: it holds traffic.
type lateFile struct {
	program *program
	name    string
	file    *replacement
	refused error // that the file cannot be written
}

func (l *lateFile) Write(b []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = l.program.newReplacement(l.name, ownerOnly); err != nil {
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
		l.file.abandon()
		return err
	}
	if err := l.file.commit(); err != nil {
		return outputError(l.name, err)
	}
	return nil
}
