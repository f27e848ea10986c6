package process

import (
	"strings"
	"testing"
)

// What a program answers is in no error where it may hold a secret.
func TestAnswersOfSecretsAreNotQuoted(t *testing.T) {
	p := &child{in: []byte(`hunter2 {"key":7}`)}
	if got := p.quoted(); !strings.Contains(got, "hunter2") {
		t.Errorf("got %s", got)
	}
	p.secrets = true
	if got := p.quoted(); strings.Contains(got, "hunter2") || !strings.Contains(got, "secret") {
		t.Errorf("got %s", got)
	}
}
