package display

import "github.com/gorocm/gorocm/internal/printing"

// Options say how numbers are printed. They are PyTorch's, by the same names. In Set a field that is zero leaves its
// option as it is.
type Options struct {
	// Precision is how many digits follow the point of floats in tensors: 4. A negative number asks for none.
	Precision int
	// Threshold is the number of elements above which a tensor is summarised: 1000.
	Threshold int
	// EdgeItems is how many elements a summary shows at the start and at the end of each dim: 3.
	EdgeItems int
	// LineWidth is how many columns a line of text has: 80.
	LineWidth int
}

// Set changes how numbers are printed from now on, in this session, and returns how they were printed before:
//
//	old := display.Set(display.Options{Precision: 8})
//	defer display.Set(old)
//
// Options beyond what is sensible (17 digits, 1<<20 elements, 1024 edge items, 20 to 4096 columns) take the nearest
// that is.
func Set(o Options) (before Options) {
	before = Options(printing.Set(printing.Options(o)))
	if before.Precision == 0 {
		before.Precision = -1 // so that it can be set again
	}
	return before
}

// lineWidth is how many columns text may have.
func lineWidth() int { return printing.Get().LineWidth }
