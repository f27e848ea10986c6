package sessions

import "encoding/hex"

// words are what players say.
var words = []string{"alice", "bob", "carol", "dave the brave", "eve", "mallory", "trent", "go left", "behind you", "gg", "wait for me", "who has the flag?",
	"need ammo", "nice shot", "again", "hold the bridge", "sorry", "ready", "two of them", "at the old tower"}

func hexOf(s string) string { return hex.EncodeToString([]byte(s)) }

func hundredths(n int) float64 { return float64(n) / 100 }
