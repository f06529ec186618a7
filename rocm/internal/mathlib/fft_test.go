package mathlib

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// argumentsPlan does not move, as plans do not that Transform makes.
var argumentsPlan = &fftPlan{plan: 9}

// TestFFTArguments compares the arguments with those of the prototypes, one by one.
func TestFFTArguments(t *testing.T) {
	p := argumentsPlan
	s := FFTShape{Elem: "f64", Kind: FFTForward, Rank: 2, Sizes: [3]int{4, 6}, Batch: 5, Stride: 1, InDist: 24, OutDist: 16}
	got := p.arguments(&s)
	// (plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, workSize)
	want := []uintptr{9, 2, address(&p.sizes), address(&p.ins), 1, 24, address(&p.outs), 1, 16, 0x6a, 5, address(&p.workspace)}
	if !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
	if p.sizes != [3]int32{4, 6, 0} || p.ins != [3]int32{4, 6, 0} || p.outs != [3]int32{4, 4, 0} {
		t.Errorf("sizes %v in %v, out %v", p.sizes, p.ins, p.outs)
	}
	s.Kind = FFTBackward
	if p.arguments(&s); p.ins != [3]int32{4, 4, 0} || p.outs != [3]int32{4, 6, 0} {
		t.Errorf("backward: in %v, out %v", p.ins, p.outs)
	}
	for _, s := range []FFTShape{
		{Elem: "f16", Rank: 1, Sizes: [3]int{4}, Batch: 1, Stride: 1},
		{Elem: "f32", Rank: 1, Sizes: [3]int{0}, Batch: 1, Stride: 1},
		{Elem: "f32", Rank: 1, Sizes: [3]int{1 << 20}, Batch: 1 << 12, Stride: 1, InDist: 1 << 20, OutDist: 1 << 20},
		{Elem: "f32", Rank: 1, Sizes: [3]int{1 << 10}, Batch: 1, Stride: 1 << 22},
	} {
		if s.regular() {
			t.Errorf("%+v is beyond what libraries count with", s)
		}
	}
	for _, s := range []FFTShape{
		{Elem: "f32", Rank: 1, Sizes: [3]int{1 << 24}, Batch: 1, Stride: 1, InDist: 1 << 24, OutDist: 1 << 24},
		{Elem: "f64", Rank: 2, Sizes: [3]int{4096, 4096}, Batch: 2, Stride: 1, InDist: 1 << 24, OutDist: 1 << 24},
		{Elem: "f32", Rank: 1, Sizes: [3]int{100_003}, Batch: 64, Stride: 1, InDist: 100_003, OutDist: 100_003},
		{Elem: "f32", Rank: 1, Sizes: [3]int{1 << 16}, Batch: 1 << 14, Stride: 1 << 14, InDist: 1, OutDist: 1},
	} {
		if !s.regular() {
			t.Errorf("%+v is not what libraries count with", s)
		}
	}
}

func TestRealHipFFTChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	lib, err := hipfft.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("hipFFT %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	if lib.VendorLibrary.Version == "" {
		t.Error("it has no version")
	}
	refusesPlans(t, lib)
}

// TestRealCuFFT asks NVIDIA's own library, where it is installed, without a GPU.
func TestRealCuFFT(t *testing.T) {
	lib, err := cufft.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("cuFFT %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	refusesPlans(t, lib)
}

// refusesPlans: a plan that was not created is refused, with the status that the table names.
func refusesPlans(t *testing.T, lib *fftLibrary) {
	t.Helper()
	const invalidPlan driver.Code = 1
	if c := lib.autoAllocate(0, 0); c != invalidPlan {
		t.Errorf("autoAllocate of no plan gives %d, want %d", c, invalidPlan)
	}
}
