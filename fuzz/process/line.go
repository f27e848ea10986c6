package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// The bounds of a command of LineOf: what it may print, in bytes, and how long it may take.
const (
	maxPrinted = 64 << 10
	maxLining  = 10 * time.Second
)

// LineOf is what runs a command, split into words as a target's is, and gives the first line that it prints. What it
// prints is in no error: it may be a secret. A command that takes longer than 10 s is ended, with what it started.
func LineOf(command string) (func() (string, error), error) {
	args, err := Split(command)
	if err != nil {
		return nil, err
	}
	return func() (string, error) {
		out, err := printed(args, maxLining)
		if err != nil {
			return "", fmt.Errorf("%s: %w", args[0], err)
		}
		line, _, _ := strings.Cut(string(out), "\n")
		return strings.TrimSuffix(line, "\r"), nil
	}, nil
}

// printed is what a command prints, which ends within a time.
func printed(args []string, within time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stderr, c.WaitDelay = os.Stderr, time.Second
	ownGroup(c)
	c.Cancel = func() error { kill(c.Process.Pid); return nil }
	pipe, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(pipe, maxPrinted+1))
	tooMuch := len(out) > maxPrinted
	if tooMuch {
		cancel()
	}
	ended := c.Wait()
	switch {
	case tooMuch:
		return nil, fmt.Errorf("it printed more than %d bytes", maxPrinted)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it took longer than %v", within)
	}
	return out, errors.Join(err, ended)
}
