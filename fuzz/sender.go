package fuzz

import (
	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
)

// senders are the corpus's words for who sent a packet.
var senders = [...]string{decode.FromUnknown: corpus.Unknown, decode.Client: corpus.Client, decode.Server: corpus.Server}

// Sender is the direction that a word of the corpus stands for. A corpus has no other words: one is a mistake of ours.
func Sender(word string) decode.Direction {
	for from, w := range senders {
		if w == word {
			return decode.Direction(from)
		}
	}
	panic("pktscope: internal error: a corpus knows no sender " + word)
}

// SenderWord is the corpus's word for a direction.
func SenderWord(from decode.Direction) string { return senders[from] }
