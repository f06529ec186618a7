package signal_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/signal"
)

func ExampleLFilter() {
	x := tensor.Of(1, 0, 0, 0)
	fmt.Println(signal.LFilter([]float64{1}, []float64{1, -0.5}, x, -1).ToVec1())
	// Output: [1 0.5 0.25 0.125]
}

func ExampleButter() {
	b, a := signal.Butter(2, signal.Lowpass, 0.5).BA()
	fmt.Printf("%.4f %.4f\n", b, a)
	// Output: [0.2929 0.5858 0.2929] [1.0000 0.0000 0.1716]
}

func ExampleConvolve() {
	fmt.Println(signal.Convolve(tensor.Of(1, 2, 3), tensor.Of(1, 1), fft.Full).ToVec1())
	// Output: [1 3 5 3]
}

func ExampleFindPeaks() {
	x := tensor.Of(0, 1, 0, 3, 2, 2.5, 0)
	ids, found := signal.FindPeaks(x, signal.Peaks{Prominence: signal.AtLeast(1)})
	fmt.Println(tensor.ToVec1[int64](ids), found.Prominences.ToVec1())
	// Output: [1 3] [1 3]
}
