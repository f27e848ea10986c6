package schema

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckAcceptsExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/check/ok/*.pks")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, diags := Load(file, src, nil)
		for _, d := range diags {
			t.Errorf("%s:%s: %s (%s)", file, d.Pos, d.Message, d.Fix)
		}
		if s == nil {
			t.Errorf("%s: no schema", file)
		}
	}
}
