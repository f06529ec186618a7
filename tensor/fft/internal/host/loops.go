package host

// loops are vector loops over the parts of numbers of a type. Where one is nil, the loop in Go beside its caller runs,
// which is the reference for tests. Groups are complete: width transforms.
type loops[T number] struct {
	// pass does a pass, by its radix. s is a multiple of width.
	pass [9]func(yr, yi, xr, xi, w []T, m, s int)
	// multiply is x *= w.
	multiply func(xr, xi, wr, wi []T)
	// multiplyBoth is x *= w·h, where h has the factors of width transforms.
	multiplyBoth func(xr, xi, wr, wi, hr, hi []T)
	// loadColumns and storeColumns copy n numbers of each transform, adjacent transforms beside one another, step parts
	// from number to number.
	loadColumns  func(re, im, x []T, n, step int)
	storeColumns func(y, re, im []T, n, step int)
	// loadRows and storeRows copy n numbers of each transform, adjacent numbers beside one another, step parts from
	// transform to transform. n is a multiple of rowsTogether.
	loadRows  func(re, im, x []T, n, step int)
	storeRows func(y, re, im []T, n, step int)
}

const rowsTogether = 4

var (
	loops32 loops[float32]
	loops64 loops[float64]
)

func fast[T number]() *loops[T] {
	if l, ok := any(&loops32).(*loops[T]); ok {
		return l
	}
	return any(&loops64).(*loops[T])
}
