package tensor_test

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// ggml is the block format that a case names.
func ggml(args map[string]any) quant.Type {
	t, err := quant.ParseType(args["ggml"].(string))
	need(err)
	return t
}

func checkDequantize(c conformanceCase, dev *tensor.Device) {
	var want []dataTensor
	need(json.Unmarshal(c.Expect, &want))
	q, err := quant.New(ggml(c.Args), want[0].Shape, c.Inputs[0].Bytes)
	need(err)
	c.compare(q.Dequantize(dev), want[0])
}

func checkQuantize(c conformanceCase, dev *tensor.Device) {
	var want []dataTensor
	need(json.Unmarshal(c.Expect, &want))
	if got := quant.Quantize(c.Inputs[0].build(dev), ggml(c.Args)).Data(); !bytes.Equal(got, want[0].Bytes) {
		fail("got %x, want %x", got, want[0].Bytes)
	}
}

// wave is the vector 0.1 + 2·cos(i + shift), in single precision.
func wave(shift, n int, dev *tensor.Device) *tensor.Tensor {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(0.1 + 2*math.Cos(float64(i+shift)))
	}
	return dev.FromSlice(values, 1, n)
}

func checkQuantizeError(c conformanceCase, dev *tensor.Device) {
	var want []struct {
		MaxError float64 `json:"max_error"`
	}
	need(json.Unmarshal(c.Expect, &want))
	x := wave(0, 4096, dev)
	off := quant.Quantize(x, ggml(c.Args)).Dequantize(dev).Sub(x).Norm().ToScalar() / 4096
	if !(off <= want[0].MaxError) {
		fail("the error is %g, want at most %g", off, want[0].MaxError)
	}
}

func checkDotError(c conformanceCase, dev *tensor.Device) {
	var want []struct{ Bounds map[string]float64 }
	need(json.Unmarshal(c.Expect, &want))
	n := int(c.Args["n"].(float64))
	a, b := wave(0, n, dev), wave(1, n, dev)
	line := dev.Arange(tensor.F32, float64(n)).Mul(1/float64(n)).Reshape(1, n)
	for name, bound := range want[0].Bounds {
		t, err := quant.ParseType(name)
		need(err)
		for w, limit := range map[*tensor.Tensor]float64{a: bound, line: 2 * bound} {
			off := quant.Quantize(w, t).MatMul(b).Sub(b.MatMul(w.T())).Abs().Sum().ToScalar() / float64(n)
			if !(off <= limit+c.Atol) {
				fail("%s: the error of a product is %g, want at most %g", name, off, limit)
			}
		}
	}
}
