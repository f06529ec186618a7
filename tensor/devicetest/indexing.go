package devicetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// places are views of a tensor of shape [5 6 7] whose elements are all different.
var places = []struct {
	name string
	view func(*tensor.Tensor) *tensor.Tensor
}{
	{"all", asIs},
	{"row", func(t *tensor.Tensor) *tensor.Tensor { return t.I(2) }},
	{"column", func(t *tensor.Tensor) *tensor.Tensor { return t.I("..., 3") }},
	{"middle", func(t *tensor.Tensor) *tensor.Tensor { return t.I(tensor.All, tensor.R(1, 4)) }},
	{"steps", func(t *tensor.Tensor) *tensor.Tensor { return t.I("::2, 1::3") }},
	{"transposed", func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(2, 0, 1) }},
	{"corner", func(t *tensor.Tensor) *tensor.Tensor { return t.I("-2:, -3:, :2").T() }},
	{"windows", func(t *tensor.Tensor) *tensor.Tensor { return t.Unfold(2, 3, 4) }},
	{"one", func(t *tensor.Tensor) *tensor.Tensor { return t.I(4, 5, 6) }},
	{"none", func(t *tensor.Tensor) *tensor.Tensor { return t.I("1:1") }},
}

// inPlace writes through views, and compares the tensor below with a loop over the elements' positions.
func (k kit) inPlace(t T) {
	for _, dt := range kernels.Numbers {
		for _, p := range places {
			run(t, fmt.Sprintf("%v/%s", dt, p.name), func(t T) {
				host, _ := k.input(dt, []int{5, 6, 7}, 100, 9, false)
				at := p.view(host).StridedIndex()
				shape := p.view(host).Dims()
				fresh := func() *tensor.Tensor { return host.Copy().ToDevice(k.dev).Copy() }
				check := func(name string, got *tensor.Tensor, value func(i int) float64) {
					t.Helper()
					want := host.Float64s()
					for i, place := range at {
						want[place] = value(i)
					}
					if !slices.Equal(got.Float64s(), want) {
						t.Errorf("%s: got\n%v", name, got)
					}
				}
				for _, v := range []float64{0, 1, 3} {
					x := fresh()
					p.view(x).ConstSet(v)
					check("const set", x, func(int) float64 { return v })
				}
				x := fresh()
				p.view(x).ZeroSet()
				check("zero set", x, func(int) float64 { return 0 })
				x = fresh()
				p.view(x).OneSet()
				check("one set", x, func(int) float64 { return 1 })

				src, dev := k.input(dt, shape, 101, 9, false)
				values := src.Float64s()
				x = fresh()
				p.view(x).CopySet(dev)
				check("copy set", x, func(i int) float64 { return values[i] })
				if len(shape) > 1 && shape[0] > 0 { // the first row, repeated
					row := len(values) / shape[0]
					x = fresh()
					p.view(x).CopySet(dev.Get(0))
					check("broadcast copy set", x, func(i int) float64 { return values[i%row] })
				}
			})
		}
		k.slices(t, dt)
	}
	k.refusals(t)
}

// slices checks the operations that set a part, in place and in a copy.
func (k kit) slices(t T, dt tensor.DType) {
	for dim := range 3 {
		run(t, fmt.Sprintf("%v/slices of dim %d", dt, dim), func(t T) {
			host, x := k.input(dt, []int{5, 6, 7}, 102, 9, false)
			src, dev := k.input(dt, []int{5, 6, 7}, 103, 9, false)
			part := func(s *tensor.Tensor) *tensor.Tensor { return s.Narrow(dim, 1, 3) }
			want := tensor.Cat([]*tensor.Tensor{host.Narrow(dim, 0, 2), part(src),
				host.Narrow(dim, 5, host.Dim(dim)-5)}, dim).Float64s()
			ranges := slices.Repeat([]tensor.Range{tensor.All}, 3)
			ranges[dim] = tensor.R(2, 5)
			for name, got := range map[string]*tensor.Tensor{
				"slice scatter": x.SliceScatter(part(dev), dim, 2),
				"slice assign":  x.SliceAssign(ranges, part(dev)),
			} {
				if !slices.Equal(got.Float64s(), want) {
					t.Errorf("%s: got\n%v", name, got)
				}
			}
			if !slices.Equal(x.Float64s(), host.Float64s()) {
				t.Error("the operand was written to")
			}
			y := x.Copy()
			y.SliceSet(part(dev), dim, 2)
			if !slices.Equal(y.Float64s(), want) {
				t.Errorf("slice set: got\n%v", y)
			}
			transposed := x.Copy() // of which a transposed view is set
			transposed.T().SliceSet(part(dev).Permute(0, 2, 1), []int{0, 2, 1}[dim], 2)
			if !slices.Equal(transposed.Float64s(), want) {
				t.Errorf("slice set of a view: got\n%v", transposed)
			}
			ids := tensor.New([]int64{4, 0, 4}, k.dev)
			line := slices.Repeat([]int{1}, 3)
			line[dim] = 3
			ids = ids.Reshape(line).BroadcastAs(part(dev).Dims())
			z := x.Copy()
			z.ScatterSet(ids, part(dev), dim)
			if !slices.Equal(z.Float64s(), x.Scatter(ids, part(dev), dim).Float64s()) {
				t.Errorf("scatter set: got\n%v", z)
			}
			z = x.Copy()
			z.ScatterAddSet(ids, part(dev), dim)
			if !slices.Equal(z.Float64s(), x.ScatterAdd(ids, part(dev), dim).Float64s()) {
				t.Errorf("scatter add set: got\n%v", z)
			}
		})
	}
}

// refusals are writes without a meaning.
func (k kit) refusals(t T) {
	x := tensor.Zeros([]int{3, 4}, tensor.F32, k.dev)
	ids := tensor.Zeros([]int{3, 4}, tensor.I64, k.dev)
	for _, c := range []struct {
		name string
		kind error
		do   func()
	}{
		{"a fraction in integers", tensor.ErrDType, func() { ids.ConstSet(0.5) }},
		{"its own elements", tensor.ErrShape, func() { x.SliceSet(x, 0, 0) }},
		{"a view of its own elements", tensor.ErrShape, func() { x.T().CopySet(x.Get(0).Narrow(0, 0, 3)) }},
		{"another dtype", tensor.ErrDType, func() { x.CopySet(ids) }},
		{"another shape", tensor.ErrShape, func() { x.CopySet(tensor.Zeros([]int{2, 4}, tensor.F32, k.dev)) }},
		{"beyond the end", tensor.ErrShape, func() { x.SliceSet(tensor.Zeros([]int{2, 4}, tensor.F32, k.dev), 0, 2) }},
		{"repeated elements", tensor.ErrShape,
			func() { x.Get(0).BroadcastAs([]int{3, 4}).CopySet(tensor.Ones([]int{3, 4}, tensor.F32, k.dev)) }},
		{"windows that overlap", tensor.ErrShape, func() {
			x.Unfold(1, 2, 1).ScatterSet(ids.Unfold(1, 2, 1).Copy(), tensor.Ones([]int{3, 3, 2}, tensor.F32, k.dev), 0)
		}},
		{"ids among the elements", tensor.ErrShape, func() { ids.ScatterSet(ids, ids.Copy(), 0) }},
	} {
		if err := k.try(func() *tensor.Tensor { c.do(); return nil }); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want an error about the %v", c.name, err, c.kind)
		}
	}
	if sum := x.Sum().ToScalar() + ids.Sum().ToScalar(); sum != 0 {
		t.Errorf("a refused write left %v", sum)
	}
}

// picks compares I with the definition, element by element, for random indices.
func (k kit) picks(t T) {
	r := rand.New(rand.NewPCG(5, 6))
	host, dev := k.input(tensor.I32, []int{4, 5, 6}, 104, 0, false)
	elements := ints(host)
	for trial := range 300 {
		var index []any
		lists := make([][]int, 0, 3) // the positions that are selected along each dim of the result
		var stay []bool
		for d := range r.IntN(4) {
			n := host.Dim(d)
			switch r.IntN(5) {
			case 0:
				i := r.IntN(2*n) - n
				index, lists, stay = append(index, i), append(lists, []int{(i + n) % n}), append(stay, false)
			case 1:
				index, lists, stay = append(index, tensor.All), append(lists, steps(0, n, 1)), append(stay, true)
			case 2:
				a, b, by := r.IntN(n+1), r.IntN(n+1), 1+r.IntN(3)
				index, lists, stay = append(index, tensor.R(a, b).By(by)), append(lists, steps(a, b, by)),
					append(stay, true)
			case 3:
				a, b := r.IntN(n+1), r.IntN(n)
				index = append(index, fmt.Sprintf("%d:%d", a, b-n))
				lists, stay = append(lists, steps(a, b, 1)), append(stay, true)
			case 4:
				list := []int{r.IntN(n), r.IntN(n), r.IntN(n)}
				index, lists, stay = append(index, list), append(lists, list), append(stay, true)
			}
		}
		for d := len(lists); d < 3; d++ {
			lists, stay = append(lists, steps(0, host.Dim(d), 1)), append(stay, true)
		}
		want, shape := []int64{}, []int{}
		for d, keep := range stay {
			if keep {
				shape = append(shape, len(lists[d]))
			}
		}
		for _, a := range lists[0] {
			for _, b := range lists[1] {
				for _, c := range lists[2] {
					want = append(want, elements[(a*5+b)*6+c])
				}
			}
		}
		got := dev.I(index...)
		if !slices.Equal(got.Dims(), shape) || !slices.Equal(ints(got), want) {
			t.Fatalf("trial %d: I(%v): got %v of shape %v, want %v of shape %v", trial, index, ints(got), got.Dims(),
				want, shape)
		}
	}
	for _, c := range []struct {
		index []any
		shape []int
	}{
		{[]any{tensor.NewAxis, 0, tensor.Ellipsis, tensor.NewAxis}, []int{1, 5, 6, 1}},
		{[]any{"..., 2:4"}, []int{4, 5, 2}},
		{[]any{"1, None, :, -1"}, []int{1, 5}},
		{[]any{}, []int{4, 5, 6}},
	} {
		if got := dev.I(c.index...); !slices.Equal(got.Dims(), c.shape) {
			t.Errorf("I(%v): shape %v, want %v", c.index, got.Dims(), c.shape)
		}
	}
	for _, c := range []struct {
		index []any
		kind  error
	}{
		{[]any{4}, tensor.ErrIndex}, {[]any{0, -6}, tensor.ErrIndex}, {[]any{tensor.R(0, 5)}, tensor.ErrIndex},
		{[]any{tensor.From(-5)}, tensor.ErrIndex},
		{[]any{"0, 0, 0, 0"}, tensor.ErrShape}, {[]any{"a"}, tensor.ErrShape}, {[]any{"1:2:3:4"}, tensor.ErrShape},
		{[]any{"..., ..."}, tensor.ErrShape},
		{[]any{1.5}, tensor.ErrDType}, {[]any{"::-1"}, tensor.ErrIndex}, {[]any{[]int{4}}, tensor.ErrIndex},
	} {
		if err := k.try(func() *tensor.Tensor { return dev.I(c.index...) }); !errors.Is(err, c.kind) {
			t.Errorf("I(%v): got %v, want an error about the %v", c.index, err, c.kind)
		}
	}
}

func steps(from, to, by int) (list []int) {
	for i := from; i < to; i += by {
		list = append(list, i)
	}
	return list
}

// lateIDs checks that a GPU reports an index out of range asynchronously, once, when something waits for it.
func (k kit) lateIDs(t T) {
	if k.dev.IsCPU() {
		t.Skip("the CPU looks at ids at once")
	}
	x := tensor.Arange(0, 12, tensor.F32, k.dev).Reshape([]int{3, 4})
	good, bad := tensor.New([]int64{2, 0}, k.dev), tensor.New([]int64{1, 3}, k.dev)
	k.dev.Synchronize()
	x.IndexSelect(good, 0)
	x.IndexSelect(bad, 0)
	x.IndexSelect(tensor.New([]int64{7}, k.dev), 1)
	_, err := tensor.Try(func() *tensor.Tensor { x.ToVec2(); return nil })
	var e *tensor.Error
	if want := "index select: ids[1] = 3 is out of range for dim 0 of shape [3 4]"; !errors.As(err, &e) ||
		e.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	x.Gather(bad.Reshape([]int{2, 1}), 0)
	if err := k.dev.CheckIDs(); !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("CheckIDs gives %v, want an index error", err)
	}
	if err := k.dev.CheckIDs(); err != nil {
		t.Errorf("an error is reported twice: %v", err)
	}
	if got := x.IndexSelect(good, 0).Float64s(); !slices.Equal(got, []float64{8, 9, 10, 11, 0, 1, 2, 3}) {
		t.Errorf("after the error: %v", got)
	}
	var several sync.WaitGroup
	for range 4 {
		several.Go(func() {
			for i := range 200 {
				if y := x.IndexSelect(good, 0); i%50 == 0 && y.Float64s()[0] != 8 {
					t.Error("elements of another goroutine")
				}
			}
		})
	}
	several.Wait()
	for range 1500 { // more than may be pending
		x.Gather(good.Reshape([]int{2, 1}), 0)
	}
	k.dev.Synchronize()
}

func (k kit) index(t T) {
	for _, it := range []tensor.DType{tensor.U8, tensor.U32, tensor.I64, tensor.I32} {
		for _, dt := range kernels.Numbers {
			run(t, fmt.Sprintf("%v/%v", it, dt), func(t T) {
				host, dev := k.input(dt, []int{5, 7, 3}, 70, 30, false)
				ids := []int64{6, 0, 0, 3, 5, 2, 2, 1, 4, 6, 6}
				idT := tensor.New(ids, k.dev).ToDType(it)
				for dim := range 3 {
					in, size := dev, host.Dim(dim)
					picked := idT.Narrow(0, 1, 2) // 0, 0
					list := ids[1:3]
					if size == 7 {
						picked, list = idT, ids
					}
					got := in.IndexSelect(picked, dim)
					var want []*tensor.Tensor
					for _, id := range list {
						want = append(want, host.Narrow(dim, int(id), 1))
					}
					all := tensor.Cat(want, dim)
					expect(t, got, all.Dims(), dt)
					if !slices.Equal(got.Float64s(), all.Float64s()) {
						t.Errorf("dim %d: got %v, want %v", dim, got, all)
					}
				}
				strided := dev.Permute(1, 2, 0).IndexSelect(idT, 0)
				if want := host.Permute(1, 2, 0).IndexSelect(tensor.New(ids, tensor.CPU()),
					0); !slices.Equal(strided.Float64s(), want.Float64s()) {
					t.Errorf("strided: got %v, want %v", strided, want)
				}
				err := k.try(func() *tensor.Tensor {
					return dev.IndexSelect(tensor.New([]int64{1, 0, 7},
						k.dev).ToDType(it), 1)
				})
				if !errors.Is(err, tensor.ErrIndex) {
					t.Errorf("id 7 of 7: got %v, want an index error", err)
				}
			})
		}
	}
	x := tensor.Arange(0, 12, tensor.F32, k.dev).Reshape([]int{3, 4})
	got := x.Gather(tensor.New([][]int64{{3, 0}, {1, 1}}, k.dev), 1).Float64s()
	if want := []float64{3, 0, 5, 5}; !slices.Equal(got, want) {
		t.Errorf("gather: got %v, want %v", got, want)
	}
	err := k.try(func() *tensor.Tensor { return x.IndexSelect(tensor.New([]int64{-1}, k.dev), 0) })
	if !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("id -1: got %v, want an index error", err)
	}
}
