package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// TestBuffer launches a kernel on a tensor's memory through package rocm, as a kernel writer does.
func TestBuffer(t *testing.T) {
	dev := device(t, "rocm")
	d, err := rocm.Open(dev.Location())
	must(t, err)
	m, err := d.Load(rocm.Program{Name: "fill",
		Source: func() (string, error) { return kernels.Source("fill") },
		Object: func(arch string) ([]byte, bool) { return kernels.Object("fill", arch) }})
	must(t, err)
	f, err := m.Function("fill_b32")
	must(t, err)

	x := dev.Zeros(tensor.U32, 4)
	b, off := x.Narrow(0, 1, 2).Buffer()
	l := kernels.Layout1{Rank: 1, Flags: kernels.FlagContiguous | kernels.FlagIndex32,
		Dims: [8]int64{2, 1, 1, 1, 1, 1, 1, 1}, A: [8]int64{1}}
	must(t, d.Launch(f, [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, rocm.NewArgs().Buffer(b, off).Struct(&l).U64(2).U64(7)))
	if got := x.ToVec1(); !slices.Equal(got, []float64{0, 7, 7, 0}) {
		t.Errorf("got %v", got)
	}

	for kind, wrong := range map[error]*tensor.Tensor{tensor.ErrDevice: tensor.Of(1),
		tensor.ErrShape: dev.Zeros(tensor.F32, 2, 3).T()} {
		_, err := tensor.Try(func() *tensor.Tensor { wrong.Buffer(); return nil })
		if !errors.Is(err, kind) {
			t.Errorf("got %v, want a %v error", err, kind)
		}
	}
}
