package syntax

import (
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	words := []string{"uint8", "uint16", "int8", "int16", "bool", "bits", "bytes", "PlayerState", "lsb"}
	for _, row := range []struct{ word, want string }{
		{"unit8", "uint8"}, {"uint88", "uint8"}, {"uin16", "uint16"}, {"Uint8", "uint8"}, {"INT16", "int16"},
		{"boool", "bool"}, {"bist", "bits"}, {"bytse", "bytes"}, {"playerstate", "PlayerState"},
		{"PlayrStaet", "PlayerState"}, {"lbs", "lsb"},
		{"uint", "uint8"}, {"", ""}, {"x", ""}, {"quaternion", ""}, {"bool", ""}, {"zzz", ""}, {strings.Repeat("uint8", 100), ""},
	} {
		if got := Suggest(row.word, words); got != row.want {
			t.Errorf("%q: got %q, want %q", row.word, got, row.want)
		}
	}
	if got := Suggest("rtyp", []string{"rtcp", "rtp", "rtype"}); got != "rtype" {
		t.Errorf("of equals want the one that begins with the word, got %q", got)
	}
	if got := Suggest("abc", nil); got != "" {
		t.Errorf("nothing to suggest: got %q", got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "dcba", 3}} {
		for limit := range 6 {
			want := min(row.want, limit+1)
			if got := editDistance(row.a, row.b, limit); got != want {
				t.Errorf("%q %q limit %d: got %d, want %d", row.a, row.b, limit, got, want)
			}
			if got := editDistance(row.b, row.a, limit); got != want {
				t.Errorf("%q %q limit %d: got %d, want %d", row.b, row.a, limit, got, want)
			}
		}
	}
}

func TestCases(t *testing.T) {
	for _, row := range []struct{ name, snake, camel string }{
		{"playerCount", "player_count", "PlayerCount"}, {"HTTPServer", "http_server", "HTTPServer"},
		{"MAX_PLAYERS", "max_players", "MAXPLAYERS"}, {"player_state", "player_state", "PlayerState"},
		{"x", "x", "X"}, {"_", "_", "Name"}, {"_9a", "_9a", "T9a"}, {"X1Y", "x1_y", "X1Y"},
	} {
		if snake(row.name) != row.snake || camel(row.name) != row.camel {
			t.Errorf("%q: got %q and %q", row.name, snake(row.name), camel(row.name))
		}
	}
}
