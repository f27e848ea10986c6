package clusterfuzzlite

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/harness"
)

// File is a file of a user's repository.
type File struct {
	Name string // its slash path below the root
	Text []byte
}

// Languages are the languages that ClusterFuzzLite builds and a harness can be written in.
func Languages() []string { return []string{"c", "cpp"} }

//go:embed templates
var templates embed.FS

// layout names the templates, and where their texts go.
var layout = []struct{ template, file string }{
	{"Dockerfile", ".clusterfuzzlite/Dockerfile"},
	{"build.sh", ".clusterfuzzlite/build.sh"},
	{"project.yaml", ".clusterfuzzlite/project.yaml"},
	{"cflite_pr.yml", ".github/workflows/cflite_pr.yml"},
	{"cflite_batch.yml", ".github/workflows/cflite_batch.yml"},
}

// compile is the line of build.sh that makes the binary, by the language.
var compile = map[string]string{
	"c": `$CC $CFLAGS -std=c99 -g -DPKTSCOPE_LIBFUZZER -c @HARNESS@ -o "$WORK/@NAME@_harness.o"
$CXX $CXXFLAGS "$WORK/@NAME@_harness.o" $LIB_FUZZING_ENGINE -o "$OUT/@NAME@_harness"`,
	"cpp": `$CXX $CXXFLAGS -std=c++17 -g -DPKTSCOPE_LIBFUZZER @HARNESS@ $LIB_FUZZING_ENGINE -o "$OUT/@NAME@_harness"`,
}

// Files are the files for a decoder's protocol, of which protocol is the flags that name it to a command, as a shell
// takes them. The same protocol gives the same files. The error says that no valid packet could be made to begin with.
// The language must be one of Languages.
func Files(d *decode.Decoder, language, protocol string) ([]File, error) {
	line, ok := compile[language]
	if !ok {
		panic(fmt.Sprintf("pktscope: internal error: ClusterFuzzLite with %q", language))
	}
	name := strings.ToLower(strings.ReplaceAll(d.Plan().Schema.Name, ".", "_")) // of a message reliable_game
	seeds, words, err := gather(d)
	if err != nil {
		return nil, err
	}
	source := "fuzz/" + name + "_" + harness.FileName(language)
	replace := strings.NewReplacer("@HARNESS@", source, "@NAME@", name)
	files := []File{
		{source, []byte(harness.Source(language, d.Plan(), protocol, source))},
		{"fuzz/" + name + ".dict", dictionary(d.Plan().Schema.Name, words)},
	}
	for i, seed := range seeds {
		files = append(files, File{fmt.Sprintf("fuzz/seeds/%s_%02d", name, i), seed})
	}
	for _, row := range layout {
		text, err := templates.ReadFile("templates/" + row.template)
		if err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
		filled := strings.ReplaceAll(string(text), "@COMPILE@", line)
		files = append(files, File{row.file, []byte(replace.Replace(filled))})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}
