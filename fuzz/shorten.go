package fuzz

// ShortenSequence leaves packets out of a sequence as long as what is left still does it: halves, quarters and so on down
// to single packets (delta debugging). The last packet stays. does is asked at most tries times; its error ends the search,
// with the shortest so far.
func ShortenSequence[P any](packets []P, tries int, does func([]P) (bool, error)) ([]P, error) {
	best := packets
	for size := (len(best) + 1) / 2; size > 0; {
		removed := false
		for at := 0; at < len(best)-1 && tries > 0; {
			end := min(at+size, len(best)-1)
			try := append(append([]P(nil), best[:at]...), best[end:]...)
			tries--
			ok, err := does(try)
			if err != nil {
				return best, err
			}
			if ok {
				best, removed = try, true
			} else {
				at = end
			}
		}
		if tries == 0 {
			break
		}
		if !removed || size > 1 {
			size /= 2
		}
	}
	return best, nil
}
