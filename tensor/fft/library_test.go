package fft_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/gpu/gputest"
)

// TestLibrary transforms with the stand-in of hipFFT.
func TestLibrary(t *testing.T) { gputest.StandIns(t, "../..", "TestLibraryChild") }

// TestLibraryChild has what needs no kernels, which the stand-in of the HIP runtime does not run.
func TestLibraryChild(t *testing.T) {
	if os.Getenv("GOROCM_TEST_STAND_INS") != t.Name() {
		t.Skip("run by TestLibrary, in a process of its own")
	}
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	shape := []int{2, 3, 5, 4}
	for _, dt := range []tensor.DType{tensor.C64, tensor.C128} {
		x := draw(120, 3, false)
		for _, dims := range [][]int{{3}, {2, 3}, {3, 1, 2}, {0}, {1, 0}} {
			y := fft.FFT(put(x, shape, dt, tensor.CPU()).ToDevice(dev), dims...)
			near(t, fmt.Sprint(dt, dims), y.ToDevice(tensor.CPU()), direct(x, shape, dims, -1))
		}
		real := put(x, shape, dt, tensor.CPU()).Real().Contiguous()
		near(t, fmt.Sprint(dt, " of real numbers"), fft.RFFT(real.ToDevice(dev)).ToDevice(tensor.CPU()), get(fft.RFFT(real)))
		near(t, fmt.Sprint(dt, " of real numbers, two dims"), fft.RFFT(real.ToDevice(dev), 2, 3).ToDevice(tensor.CPU()),
			get(fft.RFFT(real, 2, 3)))
		f := fft.Form{Norm: fft.Forward, Dims: []int{1, 2, 3}}
		three := f.RFFT(real)
		near(t, fmt.Sprint(dt, " to real numbers, three dims"), f.IRFFT(three.ToDevice(dev)).ToDevice(tensor.CPU()),
			get(f.IRFFT(three)))
		half := fft.RFFT(real)
		f = fft.Form{Norm: fft.Forward, Sizes: []int{4}}
		near(t, fmt.Sprint(dt, " to real numbers"), f.IRFFT(half.ToDevice(dev)).ToDevice(tensor.CPU()),
			get(f.IRFFT(half)))
	}
}
