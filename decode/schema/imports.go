package schema

import (
	"errors"
	"io"
	"io/fs"
	"math/big"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Imports: the files that a schema names, read from its own directory. Their names come from a stranger. So each is a
// plain name, is opened through the directory that the caller gave and nothing else, and is a regular file; there are
// at most MaxFiles, syntax.MaxSource bytes together, and no circle among them.

// MaxFiles is how many files a schema has at most, itself included.
const MaxFiles = 16

// importName is a name in the schema's directory.
var importName = regexp.MustCompile(`^[A-Za-z0-9_.-]+\.pks$`)

// unit is one file of a schema, with the names that can be used in it: its own, and those that its imports lend. What
// it lends itself are its own, or one struct that is its packet.
type unit struct {
	file    *syntax.File
	schema  *Schema // of a file that is imported only to check it: what it says of ports and limits stays its own
	params  map[string]*big.Int
	main    bool
	lost    bool // a declaration could not be read, or an import: a missing name may be one of it
	reading bool // it, or what it imports
	imports []imported
	lent    *global // the packet of a file that is imported, as a struct

	names    map[string]*global
	saidBare map[string]bool   // enums of which a case was refused that stood without its name
	caseHome map[string]string // a case's name → the first enum that has it, for suggestions
	said     map[string]Pos    // what may be said once: "port", "max datagram"
	packet   *syntax.PacketDecl
	flow     *syntax.FlowDecl
	hasOrder bool
	roomSet  bool // `max datagram` rests on a param
}

// imported is an `import` whose file could be read.
type imported struct {
	at   Span // of the name
	name string
	from *unit
	used bool // something that it lends
}

func newUnit(f *syntax.File) *unit {
	return &unit{
		file: f, lost: f.Lost,
		schema: &Schema{Name: f.Protocol.Text, Doc: f.Doc, File: f, MaxDatagram: MaxUDPPayload,
			MaxFields: DefaultMaxFields, MaxSteps: DefaultMaxSteps},
		names: map[string]*global{}, caseHome: map[string]string{}, saidBare: map[string]bool{}, said: map[string]Pos{},
	}
}

// loader reads the files that a schema imports.
type loader struct {
	*checker
	dir    fs.FS            // nil where there is none
	prefix string           // before their names, in messages
	known  map[string]*unit // by the name in the directory; nil of a file that cannot be used
	parsed *[]Diagnostic
}

// load reads what the schema's own file imports, and adds what the parser says to parsed.
func (c *checker) load(dir fs.FS, parsed *[]Diagnostic) {
	prefix, name := base(c.file.Name)
	l := &loader{checker: c, dir: dir, prefix: prefix, known: map[string]*unit{name: c.unit}, parsed: parsed}
	l.follow(c.unit, []string{name})
}

// base is the name that an import would have for the schema's own file, and what is before it.
func base(name string) (prefix, file string) {
	i := strings.LastIndexAny(name, "/"+string(filepath.Separator)) + 1
	return name[:i], name[i:]
}

// follow reads the imports of u and theirs, and lists the files in an order in which each is after those that it
// imports. The nesting is at most MaxFiles.
func (l *loader) follow(u *unit, chain []string) {
	u.reading = true
	seen := map[string]Pos{}
	for _, d := range u.file.Decls {
		d, ok := d.(*syntax.ImportDecl)
		if !ok || d.File.Text == "" {
			continue
		}
		name, at := d.File.Text, d.File.Span
		if old, twice := seen[name]; twice {
			l.errorf(at, "keep one of the two", "`%s` is imported already, at %s", name, old)
			continue
		}
		seen[name] = at.Pos
		from := l.open(name, at, chain)
		if from == nil || from.lost {
			u.lost = true
		}
		if from != nil {
			u.imports = append(u.imports, imported{at: at, name: name, from: from})
		}
	}
	u.reading = false
	l.units = append(l.units, u)
}

// open gives the file of an import, nil where that is wrong.
func (l *loader) open(name string, at Span, chain []string) *unit {
	if !importName.MatchString(name) {
		fix := "want letters, digits, `_`, `.` and `-`, and `.pks` at the end"
		if _, file := base(strings.ReplaceAll(name, `\`, "/")); file != name && importName.MatchString(file) {
			fix = "put the file there and write `import \"" + file + "\"`"
		}
		l.errorf(at, fix, "want a name in this directory, got `%s`", name)
		return nil
	}
	chain = append(chain[:len(chain):len(chain)], name)
	if u, ok := l.known[name]; ok {
		if u == nil || !u.reading {
			return u
		}
		for chain[0] != name {
			chain = chain[1:]
		}
		l.errorf(at, "put what both need into a file that imports neither", "a circle of imports: %s", listing(strings.Join(cutAll(chain), " → ")))
		return nil
	}
	l.known[name] = nil
	src := l.read(name, at)
	if src == nil {
		return nil
	}
	f, diags := syntax.ParseAt(l.prefix+name, src, l.files.End())
	l.files = append(l.files, f)
	*l.parsed = append(*l.parsed, diags...)
	u := newUnit(f)
	l.known[name] = u
	l.follow(u, chain)
	return u
}

// read gives the text of a file of the directory; nil where it has none for us.
func (l *loader) read(name string, at Span) []byte {
	if l.dir == nil {
		l.errorf(at, "give the schema as a file, beside those that it imports", "`%s` cannot be imported: the schema was not read from a directory", name)
		return nil
	}
	if len(l.files) >= MaxFiles {
		l.errorf(at, "", "a schema has at most %d files, itself included", MaxFiles)
		return nil
	}
	src, err := readPlain(l.dir, name, syntax.MaxSource-l.files.Size())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.errorf(at, "an import is looked for in the schema's own directory", "there is no file `%s`", name)
	case errors.Is(err, errTooLarge):
		l.errorf(at, "", "a schema has at most %d bytes, with all that it imports: `%s` is one too many", syntax.MaxSource, name)
	case err != nil:
		l.errorf(at, "", "`%s` cannot be read: %s", name, err.Error())
	default:
		return src
	}
	return nil
}

var errTooLarge = errors.New("too large")

// readPlain reads a regular file of at most so many bytes. Anything else is not opened: a FIFO would never answer.
func readPlain(dir fs.FS, name string, most int) ([]byte, error) {
	plain := func(info fs.FileInfo, err error) error {
		if err == nil && !info.Mode().IsRegular() {
			return errors.New("it is no plain file")
		}
		return reason(err)
	}
	if err := plain(fs.Stat(dir, name)); err != nil {
		return nil, err
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	if err := plain(f.Stat()); err != nil { // it may have been exchanged
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		return nil, reason(err)
	case len(src) > most:
		return nil, errTooLarge
	case src == nil:
		src = []byte{}
	}
	return src, nil
}

// reason is an error without the name of the file, which the message has.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func cutAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = cut(s, 40)
	}
	return out
}
