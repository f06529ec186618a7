package gpu

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// bigLayouts have more than 2³¹ elements, or places beyond that. No memory is behind them.
var bigLayouts = []backend.Layout{
	backend.Dense([]int{1<<31 + 5}),
	{Shape: []int{3, 1<<31 + 1}, Strides: []int{1<<31 + 1, 1}, Offset: 0},
	{Shape: []int{1 << 17, 1 << 16, 3}, Strides: []int{1, 1 << 17, 0}, Offset: 0},
	{Shape: []int{5, 1 << 20, 7, 1 << 9}, Strides: []int{0, 1 << 9, 1 << 29, 1}, Offset: 0},
	{Shape: []int{7, 3, 11}, Strides: []int{1 << 40, 1 << 33, 5}, Offset: 0},
	{Shape: []int{1<<31 - 1}, Strides: []int{2}, Offset: 0},
}

// naive is the place of an element of a layout, by the definition.
func naive(l backend.Layout, flat int) int {
	at := l.Offset
	for d := len(l.Shape) - 1; d >= 0; d-- {
		at += flat % l.Shape[d] * l.Strides[d]
		flat /= l.Shape[d]
	}
	return at
}

// probes are flat indices at both ends, near powers of two, and anywhere.
func probes(l backend.Layout) []int {
	r := rand.New(rand.NewPCG(7, 8))
	n := l.ElemCount()
	list := []int{0, 1, n - 1, n / 2}
	for _, p := range []int{1 << 31, 1 << 32, 1 << 33, 1 << 34} {
		for _, i := range []int{p - 1, p, p + 1} {
			if i < n {
				list = append(list, i)
			}
		}
	}
	for range 200 {
		list = append(list, r.IntN(n))
	}
	return list
}

// TestBigLayouts checks the walk of host loops.
func TestBigLayouts(t *testing.T) {
	for _, l := range bigLayouts {
		m := backend.Coalesce(l.Shape, l.Strides)
		step := m.Strides[0][len(m.Dims)-1]
		for _, first := range probes(l) {
			m.EachRun(first, min(first+20, l.ElemCount()), func(r backend.Run) {
				for i := range r.Len {
					if got, want := l.Offset+r.Offsets[0]+i*step, naive(l, r.Index+i); got != want {
						t.Fatalf("%v: element %d is at %d, want %d", l, r.Index+i, got, want)
					}
				}
			})
		}
		if fits32(m) {
			t.Errorf("%v: indices of 32 bits are not enough", l)
		}
	}
	for _, l := range []backend.Layout{backend.Dense([]int{1<<31 - 1}),
		{Shape: []int{2}, Strides: []int{1<<31 - 1}, Offset: 0}} {
		if !fits32(backend.Coalesce(l.Shape, l.Strides)) {
			t.Errorf("%v: indices of 32 bits are enough", l)
		}
	}
}

// TestBigLayoutsOnDevice checks the index arithmetic that all kernels share, as AMD machine code.
func TestBigLayoutsOnDevice(t *testing.T) {
	dev, err := rocm.Open("rocm:0")
	if err != nil {
		t.Skipf("no rocm device: %v", err)
	}
	source, err := kernels.Source("fill")
	if err != nil {
		t.Fatal(err)
	}
	source += `namespace gr {
KERNEL probe(const u64* flat, i64* at, Layout1 l, u64 n) {
  for (u64 i = first(); i < n; i += stride()) at[i] = offsets(l, flat[i]).of[0];
}
}`
	module, err := dev.Compile("probe", source)
	if errors.Is(err, rocm.ErrNoLibrary) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	probe, err := module.Function("probe")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range bigLayouts {
		list := probes(l)
		raw := make([]byte, 8*len(list))
		for i, flat := range list {
			binary.LittleEndian.PutUint64(raw[8*i:], uint64(flat))
		}
		in, err := dev.Alloc(len(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Upload(0, raw); err != nil {
			t.Fatal(err)
		}
		args := rocm.NewArgs().Buffer(in, 0).Buffer(in,
			0).Struct(layout1(backend.Operand{Layout: l})).U64(uint64(len(list)))
		if err := dev.Launch(probe, [3]int{2, 1, 1}, [3]int{block, 1, 1}, 0, args); err != nil {
			t.Fatal(err)
		}
		if err := in.Download(raw, 0); err != nil {
			t.Fatal(err)
		}
		for i, flat := range list {
			if got, want := int(binary.LittleEndian.Uint64(raw[8*i:])), naive(l, flat); got != want {
				t.Fatalf("%v: element %d is at %d, want %d", l, flat, got, want)
			}
		}
	}
}
