package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// scatterForms are ids of shape ids in a tensor of shape t, along dim, both seen through view.
var scatterForms = []struct {
	name    string
	t, ids  []int
	dim     int
	view    func(*tensor.Tensor) *tensor.Tensor
	checked bool // an id out of range is an error: there is one
}{
	{"vector", []int{9}, []int{23}, 0, asIs, true},
	{"first dim", []int{5, 7, 3}, []int{11, 7, 3}, 0, asIs, true},
	{"middle dim", []int{5, 7, 3}, []int{4, 11, 2}, 1, asIs, true},
	{"last dim", []int{5, 7, 100}, []int{5, 7, 2}, 2, asIs, true},
	{"transposed", []int{7, 5, 3}, []int{4, 5, 3}, 1,
		func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(2, 0, 1) }, true},
	{"every other", []int{8, 6, 4}, []int{6, 6, 4}, 0, func(t *tensor.Tensor) *tensor.Tensor {
		return t.Reshape(t.Dim(0)/2, 2, t.Dim(1), t.Dim(2)).Narrow(1, 1, 1).Squeeze(1)
	}, true},
	{"nine dims", []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 4,
		func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(8, 7, 6, 5, 4, 3, 2, 1, 0) }, true},
	{"many ids", []int{2, 9}, []int{2, 700}, 1, asIs, true},
	{"many ids for few lines", []int{3, 40, 2}, []int{3, 1100, 2}, 1, asIs, true},
	{"many ids, transposed", []int{3, 5, 4}, []int{3, 300, 4}, 1,
		func(t *tensor.Tensor) *tensor.Tensor { return t.Transpose(0, 2) }, true},
	{"no ids", []int{3, 4}, []int{3, 0}, 1, asIs, false},
}

func (k kit) scatter(t T) {
	for n, it := range []tensor.DType{tensor.U8, tensor.U32, tensor.I64, tensor.I16} {
		for i, dt := range kernels.Numbers {
			for _, c := range some(k, scatterForms, len(kernels.Numbers), 3*n+i) {
				run(t, fmt.Sprintf("%v/%v/%s", it, dt, c.name), func(t T) {
					host, dev := k.input(dt, c.t, 80, 9, false)
					host, dev = c.view(host), c.view(dev)
					raw, _ := k.input(tensor.I64, c.ids, 81, 0, false)
					size := host.Dim(c.dim)
					ids := tensor.CPU().FromSlice(mapped(ints(raw),
						func(v int64) int64 { return (v%int64(size) + int64(size)) % int64(size) }), c.ids...)
					src, devSrc := k.input(dt, c.ids, 82, 9, false)
					ids, src, devSrc = c.view(ids), c.view(src), c.view(devSrc)
					devIDs := ids.ToDevice(k.dev).ToDType(it)
					checkScatter(t, dt, host, dev, ids, devIDs, src, devSrc, c.dim)
					for _, r := range some(k, scatterReductions, 5, n+i) {
						checkScatterReduce(t, dt, r, host, dev, ids, devIDs, src, devSrc, c.dim)
					}
					if c.checked {
						bad := ids.ToDevice(k.dev).Affine(0, float64(size)).ToDType(it)
						for name, f := range map[string]func() *tensor.Tensor{
							"gather":      func() *tensor.Tensor { return dev.Gather(bad, c.dim) },
							"scatter":     func() *tensor.Tensor { return dev.Scatter(bad, devSrc, c.dim) },
							"scatter add": func() *tensor.Tensor { return dev.ScatterAdd(bad, devSrc, c.dim) },
						} {
							if err := k.try(f); !errors.Is(err, tensor.ErrIndex) {
								t.Errorf("%s: id %d of %d: got %v, want an index error", name, size, size, err)
							}
						}
					}
				})
			}
		}
	}
	k.indexAdd(t)
	k.oneBadID(t)
}

// checkScatter compares with loops over the definition.
func checkScatter(t T, dt tensor.DType, host, dev, ids, devIDs, src, devSrc *tensor.Tensor, dim int) {
	shape, small := host.Dims(), ids.Dims()
	t0, index, s := host.Float64s(), ints(ids), src.Float64s()
	place := placeOf(shape, small, index, dim)
	gathered := make([]float64, len(index))
	set, sums := slices.Clone(t0), slices.Clone(t0)
	for i := range index {
		p := place(i)
		gathered[i] = t0[p]
		set[p] = s[i]
		sums[p] = sumOf(dt, sums[p], s[i])
	}
	got := dev.Gather(devIDs, dim)
	expect(t, got, small, dt)
	if !slices.Equal(got.Float64s(), gathered) {
		t.Errorf("gather differs from the definition:\n%v", got)
	}
	got = dev.Scatter(devIDs, devSrc, dim)
	expect(t, got, shape, dt)
	if !slices.Equal(got.Float64s(), set) {
		t.Errorf("scatter differs from the definition:\n%v", got)
	}
	got = dev.ScatterAdd(devIDs, devSrc, dim)
	expect(t, got, shape, dt)
	for i, v := range got.Float64s() {
		if v != kernels.Round(dt, sums[i]) {
			t.Fatalf("scatter add: element %d: got %v, want %v", i, v, kernels.Round(dt, sums[i]))
		}
	}
	if !slices.Equal(dev.Float64s(), t0) {
		t.Error("the operand was written to")
	}
}

// placeOf returns the function to the position in a tensor to which element i of ids leads.
func placeOf(shape, small []int, index []int64, dim int) func(i int) int {
	return func(i int) int {
		at, step := 0, 1
		for d := len(shape) - 1; d >= 0; d-- {
			p := 0
			if small[d] > 0 {
				p = i / count(small[d+1:]) % small[d]
			}
			if d == dim {
				p = int(index[i])
			}
			at += p * step
			step *= shape[d]
		}
		return at
	}
}

// checkScatterReduce compares with a loop over the definition.
func checkScatterReduce(
	t T, dt tensor.DType, r scatterReduction, host, dev, ids, devIDs, src, devSrc *tensor.Tensor, dim int,
) {
	t0, index, s := host.Float64s(), ints(ids), src.Float64s()
	place := placeOf(host.Dims(), ids.Dims(), index, dim)
	want, n := slices.Clone(t0), make([]float64, len(t0))
	for i := range index {
		p := place(i)
		if n[p]++; n[p] == 1 && !r.self {
			want[p] = s[i]
			continue
		}
		want[p] = r.join(dt, want[p], s[i])
	}
	for i, v := range want {
		if r.self {
			n[i]++
		}
		if r.name == "mean" && n[i] > 0 {
			want[i] = meanOf(dt, v, n[i])
		}
	}
	got := dev.ScatterReduce(devIDs, devSrc, dim, r.name, r.self)
	expect(t, got, host.Dims(), dt)
	for i, v := range got.Float64s() {
		if want[i] == want[i] && v != kernels.Round(dt, want[i]) {
			t.Fatalf("scatter reduce to %s, %v: element %d: got %v, want %v", r.name, r.self, i, v, want[i])
		}
	}
}

type scatterReduction struct {
	name string
	join func(dt tensor.DType, a, b float64) float64 // NaN for what float64 does not hold
	self bool
}

var scatterReductions = func() (all []scatterReduction) {
	for _, self := range []bool{true, false} {
		all = append(all, scatterReduction{"sum", sumOf, self}, scatterReduction{"amax", larger, self},
			scatterReduction{"prod", productOf, self}, scatterReduction{"mean", sumWide, self},
			scatterReduction{"amin", smaller, self})
	}
	return all
}()

func larger(_ tensor.DType, a, b float64) float64 { return max(a, b) }

func smaller(_ tensor.DType, a, b float64) float64 { return min(a, b) }

// productOf multiplies as a device does, integers modulo their range.
func productOf(dt tensor.DType, a, b float64) float64 {
	switch {
	case dt == tensor.F64:
		return a * b
	case dt.IsFloat():
		return float64(float32(a) * float32(b))
	case a != a || math.Abs(a*b) > 1<<53 || dt == tensor.U64 && a*b < 0:
		return math.NaN()
	}
	return float64(wrap(dt, int64(a)*int64(b)))
}

// sumWide adds integers as I64.
func sumWide(dt tensor.DType, a, b float64) float64 {
	if dt.IsInt() {
		return a + b
	}
	return sumOf(dt, a, b)
}

func meanOf(dt tensor.DType, sum, n float64) float64 {
	switch {
	case dt.IsInt():
		return math.Floor(sum / n)
	case dt == tensor.F64:
		return sum / n
	}
	return float64(float32(sum) / float32(n))
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// sumOf adds as a device does: F32, F16 and BF16 in F32, integers modulo their range.
func sumOf(dt tensor.DType, a, b float64) float64 {
	switch {
	case dt == tensor.F64:
		return a + b
	case dt.IsFloat():
		return float64(float32(a) + float32(b))
	}
	return float64(wrap(dt, int64(a)+int64(b)))
}

func (k kit) indexAdd(t T) {
	for _, dt := range kernels.Numbers {
		run(t, fmt.Sprintf("index add/%v", dt), func(t T) {
			for dim := range 3 {
				host, dev := k.input(dt, []int{4, 5, 6}, 83, 5, false)
				list := slices.Repeat([]int64{3, 0, 3, 3, 1, 2, 0}, 1+100*(dim%2)) // many of them for dim 1
				shape := host.Dims()
				shape[dim] = len(list)
				src, devSrc := k.input(dt, shape, 84, 5, false)
				got := dev.IndexAdd(k.dev.New(list), devSrc, dim)
				ids := slices.Repeat([]int{1}, 3)
				ids[dim] = len(list)
				want := host.ScatterAdd(tensor.CPU().New(list).Reshape(ids...).BroadcastAs(shape...), src, dim)
				expect(t, got, host.Dims(), dt)
				if !slices.Equal(got.Float64s(), want.Float64s()) {
					t.Errorf("dim %d: got %v, want %v", dim, got, want)
				}
			}
		})
	}
	x := k.dev.Zeros(tensor.F32, 3, 2)
	if err := k.try(func() *tensor.Tensor {
		return x.IndexAdd(k.dev.New([]int64{0, 3}), x.Narrow(0, 0, 2),
			0)
	}); !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("index add with id 3 of 3: got %v, want an index error", err)
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		return x.IndexAdd(k.dev.New([]int64{0}), x,
			0)
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("index add of three slices with one id: got %v, want a shape error", err)
	}
}

// oneBadID: the error names the id and its position, whatever the layout.
func (k kit) oneBadID(t T) {
	ids := k.dev.New([][]int64{{0, 1}, {2, 7}, {1, 0}}).T() // [2 3]: id 7 at 1 1
	x := k.dev.Zeros(tensor.F32, 2, 3)
	want := "ids[1 1] = 7 is out of range for dim 1 of shape [2 3]"
	for name, f := range map[string]func() *tensor.Tensor{
		"gather":      func() *tensor.Tensor { return x.Gather(ids, 1) },
		"scatter":     func() *tensor.Tensor { return x.Scatter(ids, x, 1) },
		"scatter add": func() *tensor.Tensor { return x.T().ScatterAdd(ids.T(), x.T(), 0).T() },
	} {
		err := k.try(f)
		var e *tensor.Error
		text := want
		if name == "scatter add" {
			text = "ids[1 1] = 7 is out of range for dim 0 of shape [3 2]"
		}
		if !errors.As(err, &e) || e.Message != text {
			t.Errorf("%s: got %v, want %q", name, err, text)
		}
	}
}
