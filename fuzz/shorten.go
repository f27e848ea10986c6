package fuzz

import "errors"

// ErrLate is the error of a trial whose time is over.
var ErrLate = errors.New("the time for trials is over")

// ShortenSequence leaves packets out of a sequence as long as what is left still does it: halves, quarters and so on
// down to single packets (delta debugging). The last packet stays. does is asked at most tries times; its error ends
// the search, with the shortest so far. least says that each packet that is left is needed: without it alone the others
// do not do it. ErrLate is no error, and neither is the end of the tries.
func ShortenSequence[P any](packets []P, tries int, does func([]P) (bool, error)) (best []P, least bool, err error) {
	best = packets
	for size := (len(best) + 1) / 2; size > 0; {
		removed := false
		for at := 0; at < len(best)-1 && tries > 0; {
			end := min(at+size, len(best)-1)
			try := append(append([]P(nil), best[:at]...), best[end:]...)
			tries--
			ok, err := does(try)
			if errors.Is(err, ErrLate) {
				return best, false, nil
			}
			if err != nil {
				return best, false, err
			}
			if ok {
				best, removed = try, true
			} else {
				at = end
			}
		}
		if tries == 0 && len(best) > 1 {
			return best, false, nil
		}
		if !removed || size > 1 {
			size /= 2
		}
	}
	return best, true, nil
}
