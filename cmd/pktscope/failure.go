package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
)

// findings is the error of a run that did its work and found what --fail-on names.
type findings struct{}

func (findings) Error() string { return "findings" }

// told is the error of a run whose trouble has been printed already.
type told struct{}

func (told) Error() string { return "trouble, as printed" }

// usage is a mistake in the command line.
type usage struct{ command, message string }

func (u *usage) Error() string { return u.message }

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usage{cmd.CommandPath(), fmt.Sprintf(format, args...)}
}

// reason is an error about a file without the operation and the name, which the message has already. The text around
// them, such as the byte that a capture was read to, stays.
func reason(err error) string {
	var stopped *interrupted
	if errors.As(err, &stopped) {
		return stopped.Error() // says itself at which byte
	}
	text := err.Error()
	if errors.Is(err, pcap.ErrExpands) {
		return text + "; --max-expansion allows more"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		text = strings.Replace(text, path.Error(), path.Err.Error(), 1)
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		text = strings.Replace(text, link.Error(), link.Err.Error(), 1)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such file"
	}
	return text
}

// createReason is reason for a file that is made where there is none: then its directory is what is missing.
func createReason(name string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no directory " + filepath.Dir(name)
	}
	return reason(err)
}

// openFile opens a file to read. A directory is an error here, with a clearer message than reading it would have.
func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	return f, nil
}
