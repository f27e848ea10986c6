//go:build !linux && !libpcap

package live

// Interfaces returns ErrUnsupported.
func Interfaces() ([]Interface, error) { return nil, ErrUnsupported }

// Permitted returns ErrUnsupported.
func Permitted() error { return ErrUnsupported }
