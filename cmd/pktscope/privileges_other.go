//go:build !unix

package main

import "fmt"

// account is whom --user names; there is none on this system.
type account struct{}

func findUser(name string) (account, error) {
	if name != "" {
		return account{}, fmt.Errorf("--user %s: this system has no users to become", name)
	}
	return account{}, nil
}

func (account) become() error { return nil }
