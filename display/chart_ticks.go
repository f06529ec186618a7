package display

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks divides an axis into four to eight parts of 1, 2 or 5 times a power of ten, with as few digits as distinguish
// them.
func ticks(low, high float64) (list []plot.Tick) {
	if !(low < high) {
		return nil
	}
	size := high - low
	step := math.Pow(10, math.Floor(math.Log10(size)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if size/(step*part) <= 8 {
			step *= part
			break
		}
	}
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	large := max(math.Abs(low), math.Abs(high))
	for n := first; n <= last && len(list) < 32; n++ {
		list = append(list, plot.Tick{Value: n * step, Label: tickText(n*step, step, large)})
	}
	return list
}

// tickText formats a multiple of step on an axis that ends at large.
func tickText(v, step, large float64) string {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	switch {
	case v == 0:
		return "0"
	case large >= 1e6 || digits > 5:
		significant := max(1, int(math.Floor(math.Log10(math.Abs(v))))-int(math.Floor(math.Log10(step)+1e-9))+1)
		return strconv.FormatFloat(v, 'g', significant, 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
