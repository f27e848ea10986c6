//go:build !linux || libpcap

package live

import "fmt"

// openRings opens the one ring that there is.
func openRings(name string, opts Options) ([]*Source, error) {
	if opts.Rings > 1 {
		return nil, fmt.Errorf("interface %q: want 1 ring, got %d: more are of Linux, without libpcap", name, opts.Rings)
	}
	one, err := Open(name, opts)
	return []*Source{one}, err
}
