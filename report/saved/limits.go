package saved

import "math"

// The bounds of what is saved. They bound what writers write and what readers read, so that no command refuses what
// another one wrote.
const (
	// MaxObject is the most bytes of one saved object, as JSON.
	MaxObject = 64 << 20
	// MaxName is the most bytes of a name: of a file, which is as long as its user made it, of a rule or of a path.
	MaxName = 16 << 10
	// MaxProtocols is the most protocols whose statistics, or budgets, a file has: all that are built in, and as many more.
	MaxProtocols = 32
	// MaxCount is above every honest number of packets, bits or nanoseconds, a number of JSON that every reader has
	// exactly, and so far below the end of 64 bits that sums do not overflow.
	MaxCount = 1<<53 - 1
)

// Sum adds two counts and stays within MaxCount: only forged ones come there, and whatever is shown of them is no
// negative number.
func Sum[T int | int64 | uint64](a, b T) T {
	most := uint64(MaxCount)
	if uint64(T(most)) != most { // an int of 32 bits
		most = math.MaxInt32
	}
	return T(min(uint64(a)+uint64(b), most))
}
