package csr_test

import (
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/gpu/gputest"
	"github.com/gorocm/gorocm/tensor/sparse/internal/csr"
)

// TestLibrary multiplies with the stand-in of hipSPARSE.
func TestLibrary(t *testing.T) { gputest.StandIns(t, "../../../..", "TestLibraryChild") }

// TestLibraryChild has what needs no kernels, which the stand-in of the HIP runtime does not run.
func TestLibraryChild(t *testing.T) {
	if os.Getenv("GOROCM_TEST_STAND_INS") != t.Name() {
		t.Skip("run by TestLibrary, in a process of its own")
	}
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	csr.ForLibrary(1)
	matrix := func(d *tensor.Device, dt tensor.DType) csr.Matrix {
		values := tensor.CPU().New([]complex128{1, -2 + 1i, 3, 0.5i, 4, -1}).ToDType(tensor.C128)
		if !dt.IsComplex() {
			values = values.Real().Contiguous()
		}
		return csr.Matrix{Rows: 4, Offsets: d.New([]int64{0, 2, 2, 5, 6}), Cols: d.New([]uint32{1, 4, 0, 2, 3, 4}),
			Short: func() *tensor.Tensor { return d.New([]int32{0, 2, 2, 5, 6}) }, Values: values.ToDType(dt).ToDevice(d)}
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.C64, tensor.C128} {
		for _, shape := range [][]int{{5}, {5, 3}, {5, 1}} {
			x := tensor.CPU().Arange(tensor.F64, 16).Narrow(0, 1, tensor.CPU().Zeros(tensor.F32, shape...).ElemCount())
			x = x.Contiguous().Reshape(shape...).ToDType(dt)
			got := csr.MatMul("test", matrix(dev, dt), x.ToDevice(dev)).ToDevice(tensor.CPU())
			want := csr.MatMul("test", matrix(tensor.CPU(), dt), x)
			if !slices.Equal(got.Dims(), want.Dims()) || !got.Equal(want) {
				t.Errorf("%v × %v: got %v, want %v", dt, shape, got, want)
			}
		}
	}
}
