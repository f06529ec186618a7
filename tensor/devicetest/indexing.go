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
			ids := k.dev.New([]int64{4, 0, 4})
			line := slices.Repeat([]int{1}, 3)
			line[dim] = 3
			ids = ids.Reshape(line...).BroadcastAs(part(dev).Dims()...)
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
	x := k.dev.Zeros(tensor.F32, 3, 4)
	ids := k.dev.Zeros(tensor.I64, 3, 4)
	for _, c := range []struct {
		name string
		kind error
		do   func()
	}{
		{"a fraction in integers", tensor.ErrDType, func() { ids.ConstSet(0.5) }},
		{"its own elements", tensor.ErrShape, func() { x.SliceSet(x, 0, 0) }},
		{"a view of its own elements", tensor.ErrShape, func() { x.T().CopySet(x.Get(0).Narrow(0, 0, 3)) }},
		{"another dtype", tensor.ErrDType, func() { x.CopySet(ids) }},
		{"another shape", tensor.ErrShape, func() { x.CopySet(k.dev.Zeros(tensor.F32, 2, 4)) }},
		{"beyond the end", tensor.ErrShape, func() { x.SliceSet(k.dev.Zeros(tensor.F32, 2, 4), 0, 2) }},
		{"repeated elements", tensor.ErrShape,
			func() { x.Get(0).BroadcastAs(3, 4).CopySet(k.dev.Ones(tensor.F32, 3, 4)) }},
		{"windows that overlap", tensor.ErrShape, func() {
			x.Unfold(1, 2, 1).ScatterSet(ids.Unfold(1, 2, 1).Copy(), k.dev.Ones(tensor.F32, 3, 3, 2), 0)
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

// selection is an index of random parts for shape [4 5 6], and what it selects by definition.
type selection struct {
	index []any
	lists [3][]int // the positions that are selected along each dim
	drop  [3]bool  // by a number
	ids   [3]bool  // by ids, which are paired
}

// randomSelection chooses ranges, numbers and ids at random; the ids are on dev.
func randomSelection(r *rand.Rand, dev *tensor.Device) (s selection) {
	sizes := []int{4, 5, 6}
	for d, n := range sizes {
		s.lists[d] = steps(0, n, 1)
	}
	for d := range r.IntN(4) {
		n := sizes[d]
		switch r.IntN(7) {
		case 0:
			i := r.IntN(2*n) - n
			s.index, s.lists[d], s.drop[d] = append(s.index, i), []int{(i + n) % n}, true
		case 1:
			s.index = append(s.index, tensor.All)
		case 2:
			a, b, by := r.IntN(n+1), r.IntN(n+1), 1+r.IntN(3)
			s.index, s.lists[d] = append(s.index, tensor.R(a, b).By(by)), steps(a, b, by)
		case 3:
			a, b := r.IntN(n+1), r.IntN(n)
			s.index, s.lists[d] = append(s.index, fmt.Sprintf("%d:%d", a, b-n)), steps(a, b, 1)
		case 4: // backwards
			a, b, by := 1+r.IntN(n-1), r.IntN(n), 1+r.IntN(3)
			s.index, s.lists[d] = append(s.index, tensor.R(a, b).By(-by)), steps(a, b, -by)
		case 5:
			list := []int{r.IntN(n), r.IntN(n), r.IntN(n)}
			s.index, s.lists[d], s.ids[d] = append(s.index, []int{list[0], list[1] - n, list[2]}), list, true
		case 6:
			list := []int{r.IntN(n), r.IntN(n), r.IntN(n)}
			s.index, s.lists[d], s.ids[d] = append(s.index, dev.New(list).ToDType(tensor.U32)), list, true
		}
	}
	return s
}

// backwards reports whether a step is negative.
func (s selection) backwards() bool {
	return slices.ContainsFunc(s.index, func(x any) bool { r, ok := x.(tensor.Range); return ok && r.Step < 0 })
}

// elements returns the shape of the selection, and the position of each of its elements in row-major order.
func (s selection) elements() (shape, positions []int) {
	pair := -1 // where the dim of paired ids is in the result: at the first of them, or in front of all
	var loops []int
	for d := range 3 {
		switch {
		case s.ids[d] && pair < 0:
			pair = len(loops)
			loops = append(loops, d)
		case s.ids[d] && slices.ContainsFunc(loops[pair:], func(e int) bool { return !s.ids[e] && !s.drop[e] }):
			first := loops[pair]
			loops, pair = slices.Insert(slices.Delete(loops, pair, pair+1), 0, first), 0
		case !s.ids[d] && !s.drop[d]:
			loops = append(loops, d)
		}
	}
	for _, d := range loops {
		shape = append(shape, len(s.lists[d]))
	}
	var walk func(depth int, at [3]int)
	walk = func(depth int, at [3]int) {
		if depth == len(loops) {
			positions = append(positions, (at[0]*5+at[1])*6+at[2])
			return
		}
		for i := range s.lists[loops[depth]] {
			for d := range 3 {
				if d == loops[depth] || s.ids[d] && s.ids[loops[depth]] {
					at[d] = s.lists[d][i]
				}
			}
			walk(depth+1, at)
		}
	}
	var start [3]int
	for d := range 3 {
		if s.drop[d] {
			start[d] = s.lists[d][0]
		}
	}
	walk(0, start)
	return shape, positions
}

// picks compares I, SetI and AddI with the definition, element by element, for random indices.
func (k kit) picks(t T) {
	r := rand.New(rand.NewPCG(5, 6))
	host, dev := k.input(tensor.I32, []int{4, 5, 6}, 104, 0, false)
	elements := ints(host)
	for trial := range 300 {
		s := randomSelection(r, k.dev)
		shape, positions := s.elements()
		want := mapped(positions, func(p int) int64 { return elements[p] })
		got := dev.I(s.index...)
		if !slices.Equal(got.Dims(), shape) || !slices.Equal(ints(got), want) {
			t.Fatalf("trial %d: I(%v): got %v of shape %v, want %v of shape %v", trial, s.index, ints(got), got.Dims(),
				want, shape)
		}
		if s.backwards() && slices.Contains(s.ids[:], true) {
			continue // which SetI refuses
		}
		set, sum := slices.Clone(elements), slices.Clone(elements)
		for i, p := range positions {
			set[p] = int64(i)
			sum[p] += int64(i)
		}
		value := k.dev.Arange(tensor.I16, float64(len(positions))).Reshape(shape...)
		x, y := dev.Copy(), dev.Copy()
		x.SetI(value, s.index...)
		y.AddI(value, s.index...)
		if !slices.Equal(ints(x), set) || !slices.Equal(ints(y), sum) {
			t.Fatalf("trial %d: SetI or AddI(…, %v): got %v and %v, want %v and %v", trial, s.index, ints(x), ints(y),
				set, sum)
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
		{[]any{1.5}, tensor.ErrDType}, {[]any{"1:2:0"}, tensor.ErrShape}, {[]any{[]int{4}}, tensor.ErrIndex},
		{[]any{tensor.R(4, 0).By(-1)}, tensor.ErrIndex}, {[]any{[]int{-5}}, tensor.ErrIndex},
		{[]any{[]int{0, 1}, []int{0, 1, 2}}, tensor.ErrShape}, {[]any{[]int{0, 1}, []int{0, 5}}, tensor.ErrIndex},
	} {
		if err := k.try(func() *tensor.Tensor { return dev.I(c.index...) }); !errors.Is(err, c.kind) {
			t.Errorf("I(%v): got %v, want an error about the %v", c.index, err, c.kind)
		}
	}
}

func steps(from, to, by int) (list []int) {
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		list = append(list, i)
	}
	return list
}

// lateIDs checks that a GPU reports an index out of range asynchronously, once, when something waits for it.
func (k kit) lateIDs(t T) {
	if k.dev.IsCPU() {
		t.Skip("the CPU looks at ids at once")
	}
	x := k.dev.Arange(tensor.F32, 12).Reshape(3, 4)
	good, bad := k.dev.New([]int64{2, 0}), k.dev.New([]int64{1, 3})
	k.dev.Synchronize()
	x.IndexSelect(good, 0)
	x.IndexSelect(bad, 0)
	x.IndexSelect(k.dev.New([]int64{7}), 1)
	_, err := tensor.Try(func() *tensor.Tensor { x.ToVec2(); return nil })
	var e *tensor.Error
	if want := "index select: ids[1] = 3 is out of range for dim 0 of shape [3 4]"; !errors.As(err, &e) ||
		e.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	x.Gather(bad.Reshape(2, 1), 0)
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
		x.Gather(good.Reshape(2, 1), 0)
	}
	k.dev.Synchronize()
}

func (k kit) index(t T) {
	for _, it := range []tensor.DType{tensor.U8, tensor.U32, tensor.I64, tensor.I32} {
		for _, dt := range kernels.Numbers {
			run(t, fmt.Sprintf("%v/%v", it, dt), func(t T) {
				host, dev := k.input(dt, []int{5, 7, 3}, 70, 30, false)
				ids := []int64{6, 0, 0, 3, 5, 2, 2, 1, 4, 6, 6}
				idT := k.dev.New(ids).ToDType(it)
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
				if want := host.Permute(1, 2, 0).IndexSelect(tensor.CPU().New(ids),
					0); !slices.Equal(strided.Float64s(), want.Float64s()) {
					t.Errorf("strided: got %v, want %v", strided, want)
				}
				err := k.try(func() *tensor.Tensor {
					return dev.IndexSelect(k.dev.New([]int64{1, 0, 7}).ToDType(it), 1)
				})
				if !errors.Is(err, tensor.ErrIndex) {
					t.Errorf("id 7 of 7: got %v, want an index error", err)
				}
			})
		}
	}
	x := k.dev.Arange(tensor.F32, 12).Reshape(3, 4)
	got := x.Gather(k.dev.New([][]int64{{3, 0}, {1, 1}}), 1).Float64s()
	if want := []float64{3, 0, 5, 5}; !slices.Equal(got, want) {
		t.Errorf("gather: got %v, want %v", got, want)
	}
	err := k.try(func() *tensor.Tensor { return x.IndexSelect(k.dev.New([]int64{-1}), 0) })
	if !errors.Is(err, tensor.ErrIndex) {
		t.Errorf("id -1: got %v, want an index error", err)
	}
}
