package editors

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// words are the words of the language page's grammar and the names of checksums.
func words(t *testing.T) map[string]bool {
	t.Helper()
	_, grammar, ok := strings.Cut(schema.Language, "## Grammar")
	if !ok {
		t.Fatal("the language page has no grammar")
	}
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`"([a-z0-9]{2,})"`).FindAllStringSubmatch(grammar, -1) {
		all[m[1]] = true
	}
	delete(all, "fragment") // of @fragment: an annotation like all others
	for i := range wire.Algorithms {
		all[wire.Algorithms[i].Name] = true
	}
	if len(all) < 140 {
		t.Fatalf("the language has %d words", len(all))
	}
	return all
}

// schemas are the paths of all schemas of the repository but the broken ones.
func schemas(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".pks" && !strings.Contains(path, "hostile") && !strings.Contains(path, "errors") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 70 {
		t.Fatalf("%v: %d schemas", err, len(files))
	}
	return files
}

// A mark is what our parser takes the word of a place for.
type mark int

const (
	markField mark = iota
	markType
	markChecksum
)

// marked is a place and its mark.
type marked struct {
	pos syntax.Pos
	is  mark
}

// marks are the names of a file's fields, and the words that begin their types.
func marks(file *syntax.File) (all []marked) {
	file.Walk(func(node any) {
		switch node := node.(type) {
		case *syntax.FieldItem:
			all = append(all, marked{node.Name.Pos, markField})
		case *syntax.ValueExpr:
			switch typ := node.Type.(type) {
			case *syntax.SimpleType:
				all = append(all, marked{typ.Pos, markType})
			case *syntax.SizedType:
				all = append(all, marked{typ.Pos, markType})
			case *syntax.QuantizedType:
				all = append(all, marked{typ.Pos, markType})
			case *syntax.BlobType:
				all = append(all, marked{typ.Pos, markType})
			case *syntax.ChecksumType:
				all = append(all, marked{typ.Pos, markChecksum})
			}
		}
	})
	return all
}
