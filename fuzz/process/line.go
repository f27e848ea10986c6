package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// maxPrinted is the most that a command of LineOf may print, in bytes.
const maxPrinted = 64 << 10

// LineOf is what runs a command, split into words as a target's is, and gives the first line that it prints. What it
// prints is in no error: it may be a secret.
func LineOf(command string) (func() (string, error), error) {
	args, err := Split(command)
	if err != nil {
		return nil, err
	}
	return func() (string, error) {
		c := exec.Command(args[0], args[1:]...)
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err == nil && len(out) > maxPrinted {
			err = fmt.Errorf("it printed more than %d bytes", maxPrinted)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", args[0], err)
		}
		line, _, _ := strings.Cut(string(out), "\n")
		return strings.TrimSuffix(line, "\r"), nil
	}, nil
}
