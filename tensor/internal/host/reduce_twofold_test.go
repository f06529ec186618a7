package host_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestSpacedRows: reductions of long rows whose elements are apart are those of a copy, to the bit, and so are sums of
// few columns those of the columns.
func TestSpacedRows(t *testing.T) {
	x := random.New(3).Normal(0, 1, []int{3, 100_001}, tensor.F64, tensor.CPU())
	for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.I64} {
		x := x.Mul(1000).ToDType(dt)
		views := map[string]*tensor.Tensor{
			"every second":      x.I("...", tensor.R(1, 100_000).By(2)),
			"every third":       x.I(2, tensor.R(0, 100_001).By(3)),
			"rows across":       x.Narrow(1, 0, 100_000).Reshape(100_000, 3).T(),
			"halves of a row":   x.I(1, tensor.R(0, 80_000).By(2)).Reshape(2, 20_000),
			"a few of the rows": x.I(tensor.R(0, 3).By(2), tensor.R(3, 90_000).By(2)),
		}
		for name, v := range views {
			for op, f := range map[string]func(*tensor.Tensor) *tensor.Tensor{
				"sum":  func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(-1) },
				"mean": func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F64).Mean(-1) },
				"max":  func(x *tensor.Tensor) *tensor.Tensor { return x.Max(-1) },
			} {
				got, want := f(v).Float64s(), f(tensor.CPU().New(v.Contiguous().Data()).Reshape(v.Dims()...)).Float64s()
				for i, w := range want {
					off := 0.0 // sums of columns are made along another tree
					if name == "rows across" && op != "max" {
						off = 1e-6 * (1 + max(w, -w))
					}
					if !(got[i]-w <= off && w-got[i] <= off) {
						t.Errorf("%v: %s of %s: row %d is %v, that of a copy %v", dt, op, name, i, got[i], w)
					}
				}
			}
		}
	}
}
