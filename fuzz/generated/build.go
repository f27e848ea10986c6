package generated

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/plan"
)

//go:embed program.go.txt
var program string

// module names the program's module, and what its code may use: the language that the generator writes.
const module = "module generated\n\ngo 1.26\n"

// Program is the generated reader of a protocol as a program, in a directory of its own until Close.
type Program struct {
	plan *plan.Plan
	dir  string
	bin  string
}

// Build generates the reader of a plan and builds it, in a new directory below the one for temporary files. It takes
// seconds the first time on a machine. It is an error, of one line, when there is no Go toolchain, and when what was
// generated does not compile, which is a mistake of the generator's. ctx ends it.
func Build(ctx context.Context, p *plan.Plan) (*Program, error) { return build(ctx, p, nil) }

// build is Build with a mistake put into the generated files, for the tests.
func build(ctx context.Context, p *plan.Plan, spoil func(source []byte) []byte) (_ *Program, err error) {
	toolchain, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("the generated reader is built with the Go toolchain: go is not in PATH")
	}
	out, err := gogen.Generate(p, gogen.Options{Package: "reader"})
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pktscope-generated-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	files := map[string][]byte{"go.mod": []byte(module), "main.go": []byte(program)}
	for _, f := range out.Files {
		if strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		if spoil != nil {
			f.Source = spoil(f.Source)
		}
		files[filepath.Join("reader", f.Name)] = f.Source
	}
	if err := os.Mkdir(filepath.Join(dir, "reader"), 0o700); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	g := &Program{plan: p, dir: dir, bin: filepath.Join(dir, "target.exe")}
	cmd := exec.CommandContext(ctx, toolchain, "build", "-buildvcs=false", "-ldflags=-s -w", "-o", g.bin, ".")
	cmd.Dir = dir
	// Nothing of the user's own settings for Go, and nothing from elsewhere: the reader needs the standard library. Without
	// the paths of its temporary directory, a reader that was built before is in the build cache.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off", "GO111MODULE=on", "GOENV=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOOS=", "GOARCH=",
		"GOTMPDIR="+dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it has files and compilers of its own to end
	cmd.WaitDelay = 10 * time.Second
	if text, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the generated reader does not build: %s", firstError(text, err))
	}
	return g, nil
}

// firstError is the line of a compiler's output that says what is wrong.
func firstError(text []byte, err error) string {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			const most = 300
			return string(line[:min(len(line), most)])
		}
	}
	return err.Error()
}

// Close removes the program and its directory. Its targets must be closed first.
func (p *Program) Close() error { return os.RemoveAll(p.dir) }
