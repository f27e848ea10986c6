package line

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// MaxFile is the longest file of a profile, in bytes.
const MaxFile = 64 << 10

//go:embed profiles
var shipped embed.FS

// Both are the two directions of a client.
type Both struct{ Up, Down Profile }

// Names are the profiles that [Shipped] knows.
func Names() []string {
	entries, err := shipped.ReadDir("profiles")
	if err != nil {
		panic("line: internal error: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return names
}

// Shipped is the text of a profile that comes with this package, as Parse reads it.
func Shipped(name string) (text []byte, ok bool) {
	text, err := shipped.ReadFile("profiles/" + name + ".toml")
	return text, err == nil
}

// Load reads the profile of a name, or else of a file, which open opens.
func Load(name string, open func(string) (io.ReadCloser, error)) (both Both, err error) {
	text, ok := Shipped(name)
	if !ok {
		f, err := open(name)
		if err != nil {
			return both, fmt.Errorf("%w; want a file, or one of %s", err, strings.Join(Names(), ", "))
		}
		defer f.Close()
		if text, err = io.ReadAll(io.LimitReader(f, MaxFile+1)); err != nil {
			return both, err
		}
	}
	if both, err = Parse(text); err != nil {
		return both, fmt.Errorf("%s: %w", name, err)
	}
	return both, nil
}

// Parse reads a profile from TOML: settings of both directions, and tables [up], from the client to the server, and
// [down] with what is different there. Errors have the line, or the key.
func Parse(text []byte) (both Both, err error) {
	if len(text) > MaxFile {
		return both, fmt.Errorf("want at most %d bytes", MaxFile)
	}
	var keys map[string]any
	if err := toml.Unmarshal(text, &keys); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			return both, fmt.Errorf("%d:%d: %s", line, column, strings.TrimPrefix(syntax.Error(), "toml: "))
		}
		return both, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	tables := map[string]map[string]any{}
	for _, name := range []string{"up", "down"} {
		if value, ok := keys[name]; ok {
			if tables[name], ok = value.(map[string]any); !ok {
				return both, fmt.Errorf("%s: want a table, [%s]", name, name)
			}
			delete(keys, name)
		}
	}
	if err := both.Up.setAll("", keys); err != nil {
		return both, err
	}
	both.Down = both.Up
	if err := both.Up.setAll("up.", tables["up"]); err != nil {
		return both, err
	}
	if err := both.Down.setAll("down.", tables["down"]); err != nil {
		return both, err
	}
	for _, p := range []*Profile{&both.Up, &both.Down} {
		if err := p.Check(); err != nil {
			return both, err
		}
	}
	return both, nil
}

// Summary is what a profile that comes with this package sets, in a line: "delay 30ms, jitter 12ms; up: bandwidth 10mbit".
func Summary(name string) string {
	text, _ := Shipped(name)
	var keys map[string]any
	if err := toml.Unmarshal(text, &keys); err != nil {
		return ""
	}
	var parts []string
	for _, table := range []string{"", "up", "down"} {
		of, label := keys, ""
		if table != "" {
			of, _ = keys[table].(map[string]any)
			label = table + ": "
		}
		var set []string
		for _, s := range settings {
			if value, ok := of[s.Name]; ok {
				set = append(set, fmt.Sprintf("%s %v", s.Name, value))
			}
		}
		if len(set) > 0 {
			parts = append(parts, label+strings.Join(set, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// setAll sets what the keys of a table say.
func (p *Profile) setAll(path string, keys map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		switch keys[name].(type) {
		case map[string]any, []any:
			return fmt.Errorf("%s%s: want one value, got a table or a list", path, name)
		}
		if err := p.Set(name, fmt.Sprint(keys[name])); err != nil {
			return fmt.Errorf("%s%s = %.40q: %w", path, name, fmt.Sprint(keys[name]), err)
		}
	}
	return nil
}
