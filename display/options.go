package display

import "github.com/gorocm/gorocm/internal/printing"

// Options are the number format, with the names of PyTorch's. In Set a zero field leaves its option unchanged.
type Options struct {
	// Precision is the number of digits after the decimal point of floats in tensors: 4. A negative number means none.
	Precision int
	// Threshold is the number of elements above which a tensor is summarised: 1000.
	Threshold int
	// EdgeItems is the number of elements that a summary shows at the start and at the end of each dim: 3.
	EdgeItems int
	// LineWidth is the number of columns of a line of text: 80.
	LineWidth int
}

// Set changes the number format of this session and returns the previous one:
//
//	old := display.Set(display.Options{Precision: 8})
//	defer display.Set(old)
//
// Options are clamped to sensible ranges (17 digits, 1<<20 elements, 1024 edge items, 20 to 4096 columns).
func Set(o Options) (before Options) {
	before = Options(printing.Set(printing.Options(o)))
	if before.Precision == 0 {
		before.Precision = -1 // so that it can be set again
	}
	return before
}

// lineWidth is the number of columns of text.
func lineWidth() int { return printing.Get().LineWidth }
