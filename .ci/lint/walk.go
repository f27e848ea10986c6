package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// walk parses the Go files of the module, tests included, of one directory after the other. A file that does not parse
// ends the program.
func walk(do func(dir string, files *token.FileSet, file *ast.File, test bool)) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if _, module := os.Stat(filepath.Join(path, "go.mod")); path != "." && (module == nil || entry.Name() == "testdata" || entry.Name()[0] == '.') {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err == nil {
			do("./"+filepath.ToSlash(filepath.Dir(path)), files, file, strings.HasSuffix(path, "_test.go"))
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
