package vector

import (
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// seriesExpi are 32^k/(k·k!) from k = 1 on, of powers of x/32.
var seriesExpi = func() (c []float64) {
	term := 1.0
	for k := 1.0; k <= 200; k++ {
		term *= 32 / k
		c = append(c, term/k)
	}
	return enough(c, mostExpi/32)
}()

const mostExpi = 40.0

// expi is the power series from 0 to mostExpi.
func expi(r *room, y, x []float64) {
	for i, v := range x {
		r.class[i] = 1
		if v > 1e-300 && v < mostExpi {
			r.class[i] = 0
		}
	}
	r.pieces(y, x, expiSeries, each(scalar.Expi))
}

func expiSeries(r *room, y, x []float64) {
	const euler = 0.5772156649015329
	logs, t := r.a[:len(x)], r.b[:len(x)]
	for i, v := range x {
		t[i] = v / 32
	}
	polynomial(y, t, seriesExpi)
	simd.Fast.Doubles.Log(logs, x)
	for i := range x {
		y[i] = euler + logs[i] + t[i]*y[i]
	}
}
