package dialogue

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// maxSpoken bounds the value of a name that a finding keeps, in bytes: a server may send as much as fits a packet.
const maxSpoken = 1024

// Spoken is what a finding keeps of the session: the dialogue, and the values of its names, secrets masked.
func (s *Session) Spoken() *fuzz.Spoken {
	out := &fuzz.Spoken{Text: s.dialogue.Text()}
	for i, info := range s.dialogue.names {
		n := fuzz.Named{Name: info.text, Secret: info.secret}
		if v := s.names[i]; v.set && !info.secret && len(v.v.Data) <= maxSpoken {
			switch info.class {
			case octets:
				n.Value = hex.EncodeToString(v.v.Data)
			case truth:
				n.Value = map[uint64]string{0: "false", 1: "true"}[v.v.Code]
			case anything, number, fraction, text, structure:
				n.Value = string(v.v.Data)
			}
		}
		out.Names = append(out.Names, n)
	}
	return out
}

// LoadSpoken reads the dialogue of a finding, which may be a stranger's, with the values of the params that the finding
// has. name is the finding's file. A secret that the file had in itself is an error: nothing keeps it.
func LoadSpoken(name string, spoken *fuzz.Spoken, d *decode.Decoder) (*Dialogue, *Values, error) {
	if strings.Contains(spoken.Text, hidden) {
		return nil, nil, errors.New("its dialogue has a secret in itself, which a finding does not keep: want --dialogue FILE")
	}
	talk, err := Load(name, []byte(spoken.Text), d)
	if err != nil {
		return nil, nil, err
	}
	values := talk.NewValues()
	for _, p := range talk.Params() {
		for _, n := range spoken.Names {
			if n.Name != p.Name.Text || p.Secret || n.Secret || n.Value == "" {
				continue
			}
			if err := values.Set(n.Name, n.Value); err != nil {
				return nil, nil, err
			}
		}
	}
	return talk, values, nil
}
