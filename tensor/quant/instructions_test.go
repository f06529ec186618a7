package quant_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

var instructions = flag.Bool("instructions", false,
	"print the table of instructions in docs/quantized.md; it takes a minute")

// TestInstructions counts what waves of the emulated GPU execute for products with w of 1024 × 1024: on packed blocks,
// and on w unpacked. Packed blocks must take fewer instructions than w unpacked to F32.
func TestInstructions(t *testing.T) {
	thorough.Slow(t)
	dev, d := emulated(t)
	size, types, counts := 256, []quant.Type{quant.Q4_0, quant.Q4K, quant.Q6K}, []int{1, 8, 65}
	if *instructions {
		size, types, counts = 1024, []quant.Type{quant.Q4_0, quant.Q4K}, []int{1, 8, 64, 256}
	}
	executed := func(run func()) (n uint64) {
		if err := d.StartProfile(); err != nil {
			t.Fatal(err)
		}
		run()
		dev.Synchronize()
		list, err := d.StopProfile()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			n += p.Executed()
		}
		return n / 1000
	}
	for _, format := range types {
		w := noise(format, size, size, 1).To(dev)
		for _, columns := range counts {
			x := dev.Randn(tensor.F32, columns, size)
			packed := executed(func() { w.MatMul(x) })
			unpacked := executed(func() { x.MatMul(w.Dequantize(dev).T()) })
			if packed >= unpacked {
				t.Errorf("%v, %d rows of x: %d thousand instructions on packed blocks, %d on F32", format, columns,
					packed, unpacked)
			}
			if *instructions {
				half := executed(func() { x.To(tensor.F16).MatMul(w.DequantizeAs(tensor.F16, dev).T()).To(tensor.F32) })
				fmt.Printf("| %v | %d | %d | %d | %d |\n", format, columns, packed, unpacked, half)
			}
		}
	}
}
