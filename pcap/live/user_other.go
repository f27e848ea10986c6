//go:build !unix

package live

import "fmt"

// A User is whom a process can become that no longer needs root; there is none on this system.
type User struct{}

// FindUser fails: there is nobody to become.
func FindUser(name string) (User, error) {
	return User{}, fmt.Errorf("user %s: this system has no users to become", name)
}

// Become does nothing.
func (User) Become() error { return nil }
