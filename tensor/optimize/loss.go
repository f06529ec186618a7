package optimize

import (
	"fmt"
	"math"
)

// Loss is what LeastSquares sums instead of the squares z of residuals, so that few large residuals, outliers, do not
// determine the result.
type Loss int

// The losses ρ(z).
const (
	Linear Loss = iota // z: least squares
	SoftL1             // 2·(√(1+z) - 1), a smooth absolute value
	Huber              // z up to 1, then 2·√z - 1
	Cauchy             // log(1+z)
	Arctan             // atan(z), which bounds what a residual adds
)

func (l Loss) String() string {
	names := [...]string{"Linear", "SoftL1", "Huber", "Cauchy", "Arctan"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Loss(%d)", int(l))
	}
	return names[l]
}

// of returns ρ(z) and its first two derivatives.
func (l Loss) of(z float64) (rho, first, second float64) {
	switch l {
	case SoftL1:
		t := math.Sqrt(1 + z)
		return 2 * (t - 1), 1 / t, -0.5 / (t * t * t)
	case Huber:
		if z > 1 {
			t := math.Sqrt(z)
			return 2*t - 1, 1 / t, -0.5 / (z * t)
		}
	case Cauchy:
		return math.Log1p(z), 1 / (1 + z), -1 / ((1 + z) * (1 + z))
	case Arctan:
		t := 1 + z*z
		return math.Atan(z), 1 / t, -2 * z / (t * t)
	}
	return z, 1, 0
}
