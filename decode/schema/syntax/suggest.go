package syntax

import "strings"

// maxSuggestWord bounds the words that Suggest compares, in bytes: its work is their product.
const maxSuggestWord = 64

// Suggest gives the word of among that somebody who wrote word most likely meant: the nearest by edit distance
// (insertions, deletions, replacements and swaps of neighbours), of equals one that begins with word, else the first, ""
// where none is near. Near is one edit for up to four bytes, two for up to eight, else three, and never all of the word; a
// difference in case only is always near.
func Suggest(word string, among []string) string {
	if len(word) > maxSuggestWord {
		return ""
	}
	best, limit := "", min(3, (len(word)+3)/4)
	for _, other := range among {
		if other == word || len(other) > maxSuggestWord {
			continue
		}
		if strings.EqualFold(other, word) {
			return other
		}
		d := editDistance(word, other, limit)
		if d > limit || d >= max(len(word), len(other)) {
			continue
		}
		if best == "" || d < limit || strings.HasPrefix(other, word) && !strings.HasPrefix(best, word) {
			best, limit = other, d
		}
	}
	return best
}

// editDistance is the distance of a and b, or limit+1 when it is above limit. Both have at most maxSuggestWord bytes.
func editDistance(a, b string, limit int) int {
	if limit < 0 || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [3][maxSuggestWord + 1]int
	two, one, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, two[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		two, one, row = one, row, two
	}
	return min(one[len(b)], limit+1)
}
