package quant_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// A linear layer whose weights take a seventh of the memory.
func ExampleQuantize() {
	dev := tensor.CPU() // or tensor.NewDevice("rocm")
	dev.SetSeed(1)
	weights := dev.Randn(tensor.F32, 4, 256)
	w := quant.Quantize(weights, quant.Q4_0)
	x := dev.Randn(tensor.F32, 8, 256)
	y, exact := w.MatMul(x), x.MatMul(weights.T())
	off := y.Sub(exact).Norm().ToScalar() / exact.Norm().ToScalar()
	fmt.Println(w, w.Bytes(), "bytes of", weights.Bytes())
	fmt.Println(y.Dims(), y.DType(), off < 0.15)
	// Output:
	// QTensor[[4, 256], Q4_0] 576 bytes of 4096
	// [8 4] f32 true
}

// Blocks that other code packed, as bytes.
func ExampleNew() {
	data, err := quant.Q8_0.Encode(make([]float32, 64))
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := quant.New(quant.Q8_0, []int{2, 32}, data)
	fmt.Println(w, err)
	_, err = quant.New(quant.Q8_0, []int{3, 32}, data)
	fmt.Println(err)
	// Output:
	// QTensor[[2, 32], Q8_0] <nil>
	// quant: 68 bytes of Q8_0 do not fit shape [3 32], which takes 102
}
