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

// wholeTicks are the ticks of an axis that counts rows or columns.
func wholeTicks(low, high float64) (list []plot.Tick) {
	if high-low <= 8 {
		for n := math.Ceil(low); n <= high; n++ {
			list = append(list, plot.Tick{Value: n, Label: tickText(n, 1, high)})
		}
		return list
	}
	return ticks(low, high)
}

// tickText formats a multiple of step on an axis that ends at large.
func tickText(v, step, large float64) string {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	switch {
	case v == 0 && (large >= 1e6 || digits > 5):
		return "0"
	case v == 0:
		v = 0 // without the sign of a negative zero
	case large >= 1e6 || digits > 5:
		significant := max(1, int(math.Floor(math.Log10(math.Abs(v))))-int(math.Floor(math.Log10(step)+1e-9))+1)
		return strconv.FormatFloat(v, 'g', significant, 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// logTicks has a tick at each power of ten and at its multiples, on an axis with logarithmic scale. It labels at most
// eleven powers, and the multiples where less than two powers are on the axis. plot.LogTicks multiplies by ten again
// and again, and so labels a tick 9.999999999999999e-05.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) (list []plot.Tick) {
	first, last := int(math.Floor(math.Log10(low))), int(math.Floor(math.Log10(high)))
	powers := last - first
	if math.Pow10(first) >= low {
		powers++
	}
	every := (powers-1)/11 + 1
	for e := first; e <= last; e++ {
		for i := 1.0; i < 10; i++ {
			tick := plot.Tick{Value: math.Pow10(e) * i}
			if tick.Value < low || tick.Value > high || i > 1 && powers > 7 {
				continue // on a long axis the multiples would touch
			}
			if powers < 2 || i == 1 && e%every == 0 {
				tick.Label = strconv.FormatFloat(tick.Value, 'g', 4, 64)
			}
			list = append(list, tick)
		}
	}
	return list
}
