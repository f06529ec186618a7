package devicetest

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// maskForms are forms, and more elements than a tile and a stretch have.
var maskForms = append([]form{
	{"tiles", []int{3, 7000}, asIs},
	{"columns", []int{300, 70}, func(t *tensor.Tensor) *tensor.Tensor { return t.T() }},
	{"one kept", []int{1}, asIs},
}, forms...)

func (k kit) masks(t T) {
	for _, dt := range kernels.Numbers {
		for _, f := range maskForms {
			run(t, fmt.Sprintf("%v/%s", dt, f.name), func(t T) {
				host, dev := k.input(dt, f.shape, 96, 3, true)
				host, dev = f.view(host), f.view(dev)
				k.checkNonzero(t, host, dev)
				mask, devMask := k.input(tensor.I32, host.Dims(), 97, 3, false)
				mask, devMask = mask.Gt(60), devMask.Gt(60)
				checkSelect(t, host, dev, mask, devMask)
				sameElements(t, dev.MaskedFill(devMask, 3), mask.WhereCond(3, host))
			})
		}
	}
	for _, c := range []struct{ x, mask []int }{{[]int{5, 1, 3}, []int{4, 1}}, {[]int{2, 3}, []int{3}},
		{[]int{}, []int{7}}, {[]int{7}, []int{}}, {[]int{0, 3}, []int{1}}} {
		for _, dt := range []tensor.DType{tensor.Bool, tensor.U8, tensor.I16, tensor.U32, tensor.U64, tensor.I64} {
			run(t, fmt.Sprintf("%v by %v of %v", c.x, c.mask, dt), func(t T) {
				host, dev := k.input(tensor.F32, c.x, 98, 3, false)
				mask, devMask := k.input(tensor.I32, c.mask, 99, 3, false)
				mask, devMask = mask.Gt(30).Mul(2).ToDType(dt), devMask.Gt(30).Mul(2).ToDType(dt)
				checkSelect(t, host, dev, mask, devMask)
			})
		}
	}
	for _, value := range []int{0, 1} {
		run(t, fmt.Sprintf("all are %d", value), func(t T) {
			x := k.dev.Arange(tensor.F32, 9000)
			mask := k.dev.Full(tensor.U8, value, 9000)
			expect(t, x.MaskedSelect(mask), []int{9000 * value}, tensor.F32)
			expect(t, mask.Reshape(3, 3000).Nonzero(), []int{9000 * value, 2}, tensor.U32)
		})
	}
}

// pickedBy checks Tensor.I with masks of one dim and of several, among other indices.
func (k kit) pickedBy(t T) {
	for _, dt := range kernels.Numbers {
		run(t, dt.String(), func(t T) {
			host, dev := k.input(dt, []int{7, 6, 5}, 120, 3, false)
			mask := func(shape ...int) (host, dev *tensor.Tensor) {
				m, d := k.input(tensor.I32, shape, 121, 3, false)
				return m.Gt(30), d.Gt(30)
			}
			of := func(m *tensor.Tensor) *tensor.Tensor { // the ids of what a mask marks
				at, _ := truths(m)
				return tensor.CPU().FromSlice(toInt64(at), len(at))
			}
			one, devOne := mask(7)
			last, devLast := mask(5)
			two, devTwo := mask(7, 6)
			all, devAll := mask(7, 6, 5)
			flags := make([]bool, 7)
			for i, v := range ints(one) {
				flags[i] = v != 0
			}
			rows := host.IndexSelect(of(one), 0)
			for _, c := range []struct {
				name      string
				got, want *tensor.Tensor
			}{
				{"rows", dev.I(devOne), rows},
				{"flags", dev.I(flags), rows},
				{"last dim", dev.I("...", devLast), host.IndexSelect(of(last), 2)},
				{"after a number", dev.I(-1, tensor.All, devLast), host.Get(6).IndexSelect(of(last), 1)},
				{"two dims", dev.I(devTwo), host.Reshape(42, 5).IndexSelect(of(two), 0)},
				{"two dims and a range", dev.I(devTwo, tensor.From(2)),
					host.Reshape(42, 5).IndexSelect(of(two), 0).Narrow(1, 2, 3)},
				{"two dims of a permutation", dev.Permute(1, 2, 0).I("..., None").I(tensor.All, tensor.All, devOne),
					host.Permute(1, 2, 0).IndexSelect(of(one), 2).Unsqueeze(3)},
				{"all", dev.I(devAll), host.FlattenAll().IndexSelect(of(all), 0)},
				{"a new dim before", dev.I(tensor.NewAxis, devOne), rows.Unsqueeze(0)},
				{"one mask after the other", dev.I(devOne).I("...", devLast), rows.IndexSelect(of(last), 2)},
				{"a mask and one id", dev.I(devOne, "...", []int{-1}),
					rows.IndexSelect(tensor.CPU().New([]int64{4}), 2).Squeeze(2)},
				{"none", dev.I(devOne.ZerosLike()), host.Narrow(0, 0, 0)},
				{"ones", dev.I(devOne.OnesLike()), host},
			} {
				run(t, c.name, func(t T) { sameElements(t, c.got, c.want) })
			}
		})
	}
	x, m := k.dev.Zeros(tensor.F32, 3, 2), k.dev.Zeros(tensor.Bool, 2)
	for name, f := range map[string]func() *tensor.Tensor{
		"sizes":    func() *tensor.Tensor { return x.I(m) },
		"dims":     func() *tensor.Tensor { return x.I(tensor.All, m, m) },
		"too many": func() *tensor.Tensor { return x.I(0, x.Gt(0)) },
		"rank 0":   func() *tensor.Tensor { return x.I(m.Get(0)) },
	} {
		if err := k.try(f); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: got %v, want an error about the shape", name, err)
		}
	}
}

// truths are the elements that are not 0, and each element's indices.
func truths(mask *tensor.Tensor) (at []int, places [][]int64) {
	dims := mask.Dims()
	for i, v := range ints(mask.Ne(0)) {
		if v == 0 {
			continue
		}
		place := make([]int64, len(dims))
		for d, rest := len(dims)-1, i; d >= 0; d-- {
			place[d], rest = int64(rest%dims[d]), rest/dims[d]
		}
		at, places = append(at, i), append(places, place)
	}
	return at, places
}

func (k kit) checkNonzero(t T, host, dev *tensor.Tensor) {
	t.Helper()
	_, places := truths(host)
	if host.Rank() > kernels.MaxDims && !k.dev.IsCPU() {
		if _, err := tensor.Try(func() *tensor.Tensor { return dev.Nonzero() }); err == nil {
			t.Error("more dims than kernels take are not an error")
		}
		return
	}
	got := dev.Nonzero()
	if !expect(t, got, []int{len(places), host.Rank()}, tensor.U32) {
		return
	}
	var want []int64
	for _, p := range places {
		want = append(want, p...)
	}
	sameInts(t, got, want, func(i int) string { return fmt.Sprint("index ", i) })
}

// checkSelect compares MaskedSelect with picking the elements one by one.
func checkSelect(t T, host, dev, mask, devMask *tensor.Tensor) {
	t.Helper()
	got := dev.MaskedSelect(devMask)
	shape := host.Ne(0).Mul(mask.Ne(0)).Dims() // as both broadcast
	at, _ := truths(mask.BroadcastAs(shape...))
	if !expect(t, got, []int{len(at)}, host.DType()) {
		return
	}
	ids := tensor.CPU().FromSlice(toInt64(at), len(at))
	sameElements(t, got, host.BroadcastAs(shape...).FlattenAll().IndexSelect(ids, 0))
}

func toInt64(s []int) []int64 {
	out := make([]int64, len(s))
	for i, v := range s {
		out[i] = int64(v)
	}
	return out
}
