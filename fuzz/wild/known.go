package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// mistake is one that a reader is known to have: the rows of known.tsv with its id.
type mistake struct {
	id    string
	class string // see the package's doc
	by    string
	what  string
	shows []func(f *finding) bool
}

var (
	classes = []string{"mistake", "policy"}
	finders = []string{"audit", "fuzz", "source"}
)

// readKnown reads the mistakes of tables. One that does not exist has none.
func readKnown(paths ...string) (known []*mistake, err error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		rows, err := parseKnown(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s:%w", path, err)
		}
		known = append(known, rows...)
	}
	return known, nil
}

// parseKnown reads rows; lines that begin with # are comments. An error begins with its line's number.
func parseKnown(text string) (known []*mistake, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 5 {
			return nil, fmt.Errorf("%d: want 5 columns, got %d", number, len(columns))
		}
		m := &mistake{id: columns[0], class: columns[1], by: columns[2], what: columns[4]}
		if !slices.Contains(classes, m.class) {
			return nil, fmt.Errorf("%d: class: want one of %s, got %q", number, strings.Join(classes, ", "), m.class)
		}
		if !slices.Contains(finders, m.by) {
			return nil, fmt.Errorf("%d: by: want one of %s, got %q", number, strings.Join(finders, ", "), m.by)
		}
		shows, err := matcher(m, columns[3])
		if err != nil {
			return nil, fmt.Errorf("%d: shows: %w", number, err)
		}
		switch at := slices.IndexFunc(known, func(k *mistake) bool { return k.id == m.id }); {
		case at < 0:
			known = append(known, m)
		case known[at].class != m.class || known[at].by != m.by || known[at].what != m.what:
			return nil, fmt.Errorf("%d: %s: its class, by or what is not that of its first row", number, m.id)
		default:
			m = known[at]
		}
		if shows != nil {
			m.shows = append(m.shows, shows)
		}
	}
	return known, nil
}

// matcher is what a row says of the findings that it explains; nil of what nothing finds.
func matcher(m *mistake, shows string) (func(f *finding) bool, error) {
	if m.by == "source" {
		if shows != "-" {
			return nil, fmt.Errorf("nothing finds it: want -, got %q", shows)
		}
		return nil, nil
	}
	expression, err := regexp.Compile("^(?:" + shows + ")$")
	if err != nil {
		return nil, err
	}
	return func(f *finding) bool { return expression.MatchString(f.identity()) }, nil
}

var lineOfSource = regexp.MustCompile(`:[0-9]+`)

// identity is what is the same for findings that are one mistake, in every version of the reader's file: no line is in it.
func (f *finding) identity() string {
	if f.Cause != "" {
		return f.Kind + " " + lineOfSource.ReplaceAllString(f.Cause, "")
	}
	return f.Kind + " " + f.Rule + " " + f.Reject
}

// lethal reports whether a finding is of the kinds that may end a reader: they are counted, and nothing is printed of them.
func (f *finding) lethal() bool {
	switch f.Kind {
	case "crash", "hang", "leak", "slow":
		return true
	}
	return false
}
