package importer

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// File is one source: its name, for messages and its extension, and its text.
type File struct {
	Name string
	Src  []byte
}

// Options say what is made of the files.
type Options struct {
	From   string // a word of Languages; "" is chosen by the extension of the first file
	Packet string // the type that is the packet by itself; "" for what the language has as one
	Order  string // of numbers in packed structs, "lsb" or "msb"; "" is lsb, with a doubt
}

// Language is a language that drafts are made from.
type Language struct {
	Word       string   // as --from has it
	Extensions []string // of its files
	About      string   // what they say, in a few words
	read       func(*draft, []*syntax.File)
}

// Languages are all of them.
var Languages = []Language{
	{"schema", []string{".schema"}, "descriptions of mas-bandwidth/schema", readSchema},
	{"cpp", []string{".hpp", ".h", ".hh", ".hxx", ".cpp", ".cc"}, "Serialize functions, and packed structs", readCpp},
}

// Words are the words of Languages.
func Words() []string {
	var words []string
	for i := range Languages {
		words = append(words, Languages[i].Word)
	}
	return words
}

// Draft is what came out.
type Draft struct {
	Source   []byte             // a .pks file: formatted, checked
	Warnings syntax.Diagnostics // what the source leaves open and what could not be said, at their places in the files
}

// Import drafts a schema. The error is a *syntax.Diagnostics where it has a place in a file: one mistake, after the
// warnings that came before it.
func Import(files []File, o Options) (*Draft, error) {
	language, err := languageOf(files, o.From)
	if err != nil {
		return nil, err
	}
	d := &draft{packet: o.Packet, order: o.Order, taken: names{}, rawFloats: map[syntax.Pos]bool{}}
	size := 0
	for _, f := range files {
		if size += len(f.Src) + 1; size > syntax.MaxSource {
			return nil, fmt.Errorf("%s: the files have more than 1 MiB", f.Name)
		}
		d.files = append(d.files, &syntax.File{Name: f.Name, Src: f.Src, Base: int32(size - len(f.Src) - 1)})
	}
	// A float that the checker refuses becomes an integer, and the text is made again. Each round has one such float
	// more, and the checker names all that it sees in one.
	const maxRounds = 8
	for range maxRounds {
		d.reset()
		language.read(d, d.files)
		if d.failed != nil {
			return nil, &syntax.Diagnostics{Files: d.files, List: append(d.list, *d.failed)}
		}
		again, err := d.check()
		if err != nil {
			return nil, err
		}
		if !again {
			return d.finish()
		}
	}
	return nil, errors.New("too many floats with more steps than a float32 can tell apart")
}

func languageOf(files []File, from string) (*Language, error) {
	if len(files) == 0 || len(files) > schema.MaxFiles {
		return nil, fmt.Errorf("want 1 to %d files, got %d", schema.MaxFiles, len(files))
	}
	extension := filepath.Ext(files[0].Name)
	for i := range Languages {
		l := &Languages[i]
		if l.Word == from || from == "" && slices.Contains(l.Extensions, extension) {
			return l, nil
		}
	}
	words := strings.Join(Words(), " or ")
	if from != "" {
		return nil, fmt.Errorf("unknown language %q: want %s", from, words)
	}
	return nil, fmt.Errorf("%s: no language has files that end so: want --from %s", files[0].Name, words)
}
