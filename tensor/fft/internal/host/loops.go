package host

// loops are vector loops over the parts of numbers of a type. Where one is nil, the loop in Go beside its caller runs,
// which is the reference for tests. Groups are complete: width transforms.
type loops[T number] struct {
	pass passLoops[T]
	// multiply is x *= w.
	multiply func(xr, xi, wr, wi []T)
	// weigh is y = x·w, of interleaved numbers, whose parts are a multiple of width.
	weigh func(y, x, w []T)
	// fold does n vectors of 32 bytes of fold, from both ends: those at the high pointers move down.
	fold func(yLow, yHigh, xLow, xHigh, w []T, n int, scale T)
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

// passLoops do a pass, by its radix. s is a multiple of width.
type passLoops[T number] [14]func(yr, yi, xr, xi, w []T, m, s int)

const rowsTogether = 4

// level is the loops for an instruction set.
type level struct {
	name string
	f32  loops[float32]
	f64  loops[float64]
}

// best are the loops to use: those of the first of levels, which lists what this processor has, or of none.
var best = append(levels(), level{name: "Go"})[0]

func fast[T number]() *loops[T] {
	if l, ok := any(&best.f32).(*loops[T]); ok {
		return l
	}
	return any(&best.f64).(*loops[T])
}
