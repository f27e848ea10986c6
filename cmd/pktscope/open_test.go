package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// SECURITY.md names each package whose documentation says what an attacker may do, and no other.
func TestSecurityNamesThreats(t *testing.T) {
	text, err := os.ReadFile("../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, found := range regexp.MustCompile("`((?:decode|pcap|report|fuzz|corpus)(?:/[a-z]+)*)`").FindAllStringSubmatch(string(text), -1) {
		named[found[1]] = true
	}
	threat := regexp.MustCompile(`(?i)what\s+(//\s+)?an\s+(//\s+)?attacker may do|attacker chooses|are the attacker's`)
	for _, top := range []string{"decode", "pcap", "report", "fuzz", "corpus"} {
		err := filepath.WalkDir("../../"+top, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.Name() != "doc.go" {
				return err
			}
			doc, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../../"))
			// The ciphers' own attacker has no key: it can do nothing that the packages above do not say.
			if says := threat.Match(doc) && !strings.Contains(name, "/internal/"); says != named[name] && (says || name != "fuzz/ossfuzz") {
				t.Errorf("%s: its documentation says what an attacker may do: %v, SECURITY.md names it: %v", name, says, named[name])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Files and directories that CONTRIBUTING.md names exist.
func TestContributingNamesFiles(t *testing.T) {
	text, err := os.ReadFile("../../.github/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, found := range regexp.MustCompile("`((?:cmd|decode|pcap|report|fuzz|corpus|\\.ci)/[A-Za-z0-9_./]+)`").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(found[1], "NAME") {
			continue
		}
		n++
		if _, err := os.Stat("../../" + found[1]); err != nil {
			t.Error(err)
		}
	}
	if n < 15 {
		t.Errorf("only %d files are named: the pattern does not fit any more", n)
	}
}
