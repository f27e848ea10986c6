package browse

import (
	"math/bits"
	"sort"
	"sync"
)

// set is numbers of records, of which each is added after all smaller ones: a bit for each record, and a sum for each
// setBlock words, so that 20 million packets take 3 MB, and to find the millionth takes no walk.
type set struct {
	mu    sync.Mutex
	words []uint64
	sums  []int64 // sums[i] is how many are in the words before i*setBlock
	count int64
}

const setBlock = 64

// add adds numbers, each of at least 1 and above all that are there.
func (s *set) add(numbers ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range numbers {
		for int64(len(s.words)) <= n/64 {
			if len(s.words)%setBlock == 0 {
				s.sums = append(s.sums, s.count)
			}
			s.words = append(s.words, 0)
		}
		s.words[n/64] |= 1 << (n % 64)
		s.count++
	}
}

func (s *set) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *set) has(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return n >= 0 && n/64 < int64(len(s.words)) && s.words[n/64]&(1<<(n%64)) != 0
}

// rank is how many are below n.
func (s *set) rank(n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.below(n)
}

func (s *set) below(n int64) int64 {
	if n <= 0 {
		return 0
	}
	if n/64 >= int64(len(s.words)) {
		return s.count
	}
	block := n / 64 / setBlock
	sum := s.sums[block]
	for _, w := range s.words[block*setBlock : n/64] {
		sum += int64(bits.OnesCount64(w))
	}
	return sum + int64(bits.OnesCount64(s.words[n/64]&(1<<(n%64)-1)))
}

// at is number i of them, from 0; 0 where there are not so many.
func (s *set) at(i int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nth(i)
}

func (s *set) nth(i int64) int64 {
	if i < 0 || i >= s.count {
		return 0
	}
	block := sort.Search(len(s.sums), func(k int) bool { return s.sums[k] > i }) - 1
	i -= s.sums[block]
	for at := block * setBlock; ; at++ {
		w := s.words[at]
		n := int64(bits.OnesCount64(w))
		if i >= n {
			i -= n
			continue
		}
		for ; i > 0; i-- {
			w &= w - 1
		}
		return int64(at)*64 + int64(bits.TrailingZeros64(w))
	}
}

// from is the first that is n or above; 0 where there is none.
func (s *set) from(n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nth(s.below(n))
}

// upTo is the last that is n or below; 0 where there is none.
func (s *set) upTo(n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nth(s.below(n+1) - 1)
}
