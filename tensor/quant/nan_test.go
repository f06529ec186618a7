package quant_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestNaN: a NaN is not packed as a code that reads as a number.
func TestNaN(t *testing.T) {
	thorough.Slow(t)
	devices := []*tensor.Device{tensor.CPU()}
	if gpu, err := tensor.NewDevice("rocm"); err == nil {
		devices = append(devices, gpu)
	}
	for _, dev := range devices {
		for _, format := range []quant.Type{quant.Q4_0, quant.Q5_1, quant.Q8_0, quant.Q2K, quant.Q4K, quant.Q6K,
			quant.Q8K} {
			w := quant.Quantize(dev.Ones(tensor.F32, 3, 512), format)
			for _, rows := range []int{1, 5, 70} {
				for _, at := range []int{0, 13, 300, 511} {
					x := dev.Ones(tensor.F32, rows, 512)
					x.Narrow(0, rows/2, 1).Narrow(1, at, 1).ConstSet(math.NaN())
					for i, y := range w.MatMul(x).Float64s() {
						if bad := i/3 == rows/2; bad != (y != y) {
							t.Fatalf("%v, %v: NaN at %d of row %d of %d gives %v in row %d", dev, format, at, rows/2,
								rows, y, i/3)
						}
					}
				}
			}
			for _, v := range []float64{math.NaN(), math.Inf(-1)} {
				x := dev.Ones(tensor.F32, 1, 512)
				x.Narrow(1, 300, 1).ConstSet(v)
				var e *tensor.Error
				_, err := tensor.Try(func() *tensor.Tensor { quant.Quantize(x, format); return nil })
				if !errors.As(err, &e) || !errors.Is(err, tensor.ErrDType) ||
					!strings.Contains(e.Message, "element 300 is") {
					t.Errorf("%v, %v: %v among weights: %v", dev, format, v, err)
				}
			}
		}
		if y := quant.Quantize(tensor.Of(1, math.Inf(1)).ToDevice(dev),
			quant.F16).Dequantize(dev).Float64s(); !math.IsInf(y[1], 1) {
			t.Errorf("%v: an infinity as F16 is %v", dev, y)
		}
	}
}
