package dialogue

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/message"
)

// MaxValueLines is how many values a param can have from a file: one a session, and then from the first again.
const MaxValueLines = 1 << 16

// Values are the values of a dialogue's params, for one session after the other.
type Values struct {
	dialogue *Dialogue
	lists    [][]message.Value
	makers   []func() (string, error)
	// Secrets are those of the sessions that have such values.
	Secrets Secrets
}

// NewValues makes Values without any.
func (d *Dialogue) NewValues() *Values {
	n := len(d.file.Params)
	return &Values{dialogue: d, lists: make([][]message.Value, n), makers: make([]func() (string, error), n)}
}

// Set gives a param its value for all sessions, or with several values one for each session. The error does not hold
// the text: it may be a secret.
func (v *Values) Set(name string, texts ...string) error {
	i, err := v.find(name)
	if err != nil {
		return err
	}
	if len(texts) == 0 || len(texts) > MaxValueLines {
		return fmt.Errorf("%s: want 1..%d values, got %d", name, MaxValueLines, len(texts))
	}
	var list []message.Value
	for n, text := range texts {
		one, err := v.dialogue.file.Params[i].parse(text)
		if err != nil && len(texts) > 1 {
			return fmt.Errorf("%s: line %d: %w", name, n+1, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, one)
	}
	v.lists[i] = list
	return nil
}

// SetText is Set for NAME=VALUE, or NAME=@FILE with a line for each session. read reads the file, and reason says why it
// could not.
func (v *Values) SetText(text string, read func(name string) ([]byte, error), reason func(error) string) error {
	name, value, ok := strings.Cut(text, "=")
	file, isFile := strings.CutPrefix(value, "@")
	switch {
	case !ok:
		return errors.New("NAME: want NAME=VALUE or NAME=@FILE")
	case !isFile:
		return v.Set(name, value)
	}
	content, err := read(file)
	if err != nil {
		return fmt.Errorf("%s=@%s: %s", name, file, reason(err))
	}
	var lines []string
	for line := range strings.Lines(string(content)) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return v.Set(name, lines...)
}

// SetMaker gives a param what a function makes for each session: one line.
func (v *Values) SetMaker(name string, make func() (string, error)) error {
	i, err := v.find(name)
	if err == nil {
		v.makers[i] = make
	}
	return err
}

func (v *Values) find(name string) (int, error) {
	var all []string
	for i, p := range v.dialogue.file.Params {
		if p.Name.Text == name {
			return i, nil
		}
		all = append(all, p.Name.Text)
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("%s: the dialogue has no params", name)
	}
	return 0, fmt.Errorf("%s: want one of %s", name, strings.Join(all, ", "))
}

// Missing names the first param without a value; "" for none.
func (v *Values) Missing() string {
	for i, p := range v.dialogue.file.Params {
		if v.lists[i] == nil && v.makers[i] == nil {
			return p.Name.Text
		}
	}
	return ""
}

// Of are the values of session number n, from 0, in the order of the params.
func (v *Values) Of(n int) ([]message.Value, error) {
	out := make([]message.Value, len(v.lists))
	defer func() {
		for _, one := range out {
			v.Secrets.addValue(one)
		}
	}()
	for i, list := range v.lists {
		p := v.dialogue.file.Params[i]
		if make := v.makers[i]; make != nil {
			text, err := make()
			if err == nil {
				out[i], err = p.parse(text)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name.Text, err)
			}
			continue
		}
		if list == nil {
			return nil, fmt.Errorf("param %s has no value: want --set %s=VALUE", p.Name.Text, p.Name.Text)
		}
		out[i] = list[n%len(list)]
	}
	return out, nil
}

// parse reads a value as people type it: a number, hexadecimal bytes, or text.
func (p *Param) parse(text string) (message.Value, error) {
	switch p.Type.Kind {
	case Uint:
		n, ok := new(big.Int).SetString(strings.TrimSpace(text), 0)
		if !ok || n.Sign() < 0 || n.BitLen() > p.Type.Size {
			return message.Value{}, fmt.Errorf("want a number, 0..%s", ones(p.Type.Size))
		}
		return numberOf(n), nil
	case Bytes:
		data, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil || len(data) != p.Type.Size {
			return message.Value{}, fmt.Errorf("want %d bytes in hexadecimal", p.Type.Size)
		}
		return message.Value{Kind: message.Bytes, Data: data}, nil
	}
	if len(text) > p.Type.Size || !utf8.ValidString(text) {
		return message.Value{}, fmt.Errorf("want a text of at most %d bytes", p.Type.Size)
	}
	return message.Value{Kind: message.Bytes, Data: bytes.Clone([]byte(text))}, nil
}
