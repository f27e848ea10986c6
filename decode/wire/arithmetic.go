package wire

// The arithmetic of expressions in which it matters whether a number is an int64's or a uint64's: sx and sy say that x
// and y are an int64's.

// Less compares two whole numbers.
func Less(x, y uint64, sx, sy bool) bool {
	nx, ny := sx && int64(x) < 0, sy && int64(y) < 0
	if nx != ny {
		return nx
	}
	return x < y // both negative: two's complement keeps the order
}

// Divide truncates towards zero; rest asks for what is left. What is divided by zero is 0, and never used: it is on a
// dead side of && or ||.
func Divide(x, y uint64, sx, sy, rest bool) uint64 {
	nx, ny := sx && int64(x) < 0, sy && int64(y) < 0
	if nx {
		x = -x
	}
	if ny {
		y = -y
	}
	if y == 0 {
		return 0
	}
	v, negative := x/y, nx != ny
	if rest {
		v, negative = x%y, nx
	}
	if negative {
		return -v
	}
	return v
}
