// Package draw fills tensors with the numbers that package sample defines: on a GPU by the kernels of
// kernels/sample.hip, on the host by loops over its functions.
package draw

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/host"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Into is a tensor to be made: the operation that makes it, for errors, and what it is like.
type Into struct {
	Op     string
	Shape  []int
	DType  tensor.DType
	Device *tensor.Device
}

// Variate is a distribution whose numbers a kernel computes from parameters that may be tensors, a Stream, and
// Numbers.
type Variate struct {
	Kernel  string // without the type
	Thirds  int    // the third words of counters that most numbers need
	Numbers func(args *rocm.Args)
	At      func(s sample.Stream, i int, parameters [2]float64) float64
}

// Variates returns numbers of F32 or F64. Parameters are F64, each of one element or of the shape of the result, on
// its device.
func Variates(to Into, v Variate, s sample.Stream, parameters ...*tensor.Tensor) *tensor.Tensor {
	if isGPU(to.Device) {
		kernel := fmt.Sprintf("%s_%v", v.Kernel, to.DType)
		return onGPU(to, kernel, parameters, func(args *rocm.Args, n int) {
			args.U64(uint64(n)).U64(s.Seed).U64(s.Counter)
			if v.Numbers != nil {
				v.Numbers(args)
			}
		})
	}
	numbers, steps := hostNumbers(parameters)
	return onHost(to, func(lo, hi int, set func(i int, x float64)) {
		var words sample.Batch
		for ; lo < hi; lo += sample.BatchSize {
			n := min(sample.BatchSize, hi-lo)
			near := s.Prefetch(&words, lo, n, v.Thirds)
			for i := lo; i < lo+n; i++ {
				var p [2]float64
				for k, list := range numbers {
					p[k] = list[i*steps[k]]
				}
				set(i, v.At(near, i, p))
			}
		}
	})
}

// GammaSlope returns sample.GammaSlope of logarithms of gamma variates. All tensors are F64; shape has one element or
// as many as logarithms.
func GammaSlope(op string, shape, logarithms *tensor.Tensor) *tensor.Tensor {
	to := Into{op, logarithms.Dims(), tensor.F64, logarithms.Device()}
	if !isGPU(to.Device) {
		numbers, steps := hostNumbers([]*tensor.Tensor{shape, logarithms})
		return onHost(to, each(func(i int) float64 { return sample.GammaSlope(numbers[0][i*steps[0]], numbers[1][i]) }))
	}
	o := extend.Dense(op, logarithms)
	return launch(to, "gamma_slope_f64", func(args *rocm.Args, out backend.Storage, n int) {
		pointer(parameter(op, args, shape), o).Buffer(buffer(out), 0).U64(uint64(n))
	})
}

// Sobol returns points [n dims] of a sequence, from number start on, of F32 or F64. words are sample.SobolWords
// numbers of U32 for each dim, on the device.
func Sobol(to Into, words *tensor.Tensor, start uint64) *tensor.Tensor {
	dims := to.Shape[1]
	if isGPU(to.Device) {
		o := extend.Dense(to.Op, words)
		return launch(to, fmt.Sprintf("sobol_%v", to.DType), func(args *rocm.Args, out backend.Storage, n int) {
			pointer(args, o).Buffer(buffer(out), 0).U64(uint64(n)).U64(uint64(dims)).U64(start)
		})
	}
	list := words.Contiguous().Data().([]uint32)
	return onHost(to, each(func(i int) float64 {
		x := sample.Sobol(list[i%dims*sample.SobolWords:], start+uint64(i/dims))
		if to.DType == tensor.F32 {
			return float64(x>>8) * 0x1p-24
		}
		return float64(x) * 0x1p-32
	}))
}

// Integers returns integers of any integer type that has room for them.
func Integers(to Into, d sample.Integers) *tensor.Tensor {
	if isGPU(to.Device) {
		kernel := fmt.Sprintf("integers_b%d", 8*to.DType.Size())
		return launch(to, kernel, func(args *rocm.Args, out backend.Storage, n int) {
			args.Buffer(buffer(out), 0).U64(uint64(n)).U64(d.Seed).U64(d.Counter).U64(d.Low).U64(d.Range).
				U64(d.Threshold())
		})
	}
	out := to.Device.Empty(to.DType, to.Shape...)
	if out.ElemCount() == 0 {
		return out
	}
	store := extend.Operand(out).Store.(*host.Storage)
	switch to.DType.Size() {
	case 1:
		integers[uint8](d, store)
	case 2:
		integers[uint16](d, store)
	case 4:
		integers[uint32](d, store)
	default:
		integers[uint64](d, store)
	}
	return out
}

// Order returns the positions, U32, of as many random keys of 64 bits in ascending order. The keys are Integers' of
// U64.
func Order(to Into, s sample.Stream) *tensor.Tensor {
	if !isGPU(to.Device) {
		to.DType = tensor.U64
		return Integers(to, sample.Integers{Stream: s}).ArgSortLastDim(true)
	}
	// the upper halves, which are Integers' of 32 bits, take half of the passes
	halves := Integers(to, sample.Integers{Stream: s, Range: 1 << 32})
	keys, ids := halves.SortLastDim(true)
	halves.Free()
	extend.Check(to.Op, to.Device, orderTies(keys, ids, s))
	keys.Free()
	return ids
}

// orderTies sorts ids of equal keys, which are adjacent, by the lower halves of their keys of 64 bits.
func orderTies(keys, ids *tensor.Tensor, s sample.Stream) error {
	n := ids.ElemCount()
	if n < 2 {
		return nil
	}
	args := pointer(pointer(rocm.NewArgs(), extend.Operand(keys)), extend.Operand(ids)).
		U64(uint64(n)).U64(s.Seed).U64(s.Counter)
	return extend.Backend(ids.Device()).(backend.Launcher).Launch("order_ties", gridOf(n, 1), args)
}

func integers[T uint8 | uint16 | uint32 | uint64](d sample.Integers, to *host.Storage) {
	out := host.View[T](to.Data)
	host.Parallel((len(out)+3)/4, 64, func(lo, hi int) { sample.Fill(d, out, 4*lo, min(4*hi, len(out))) })
}

// hostNumbers returns the elements of parameters, and the step from one to that of the next result.
func hostNumbers(parameters []*tensor.Tensor) (numbers [][]float64, steps []int) {
	for _, p := range parameters {
		numbers = append(numbers, p.Contiguous().Data().([]float64))
		steps = append(steps, stepOf(p))
	}
	return numbers, steps
}

func stepOf(parameter *tensor.Tensor) int {
	if parameter.ElemCount() == 1 {
		return 0
	}
	return 1
}

// onHost returns a tensor whose elements fill sets, from lo to hi.
func onHost(to Into, fill func(lo, hi int, set func(i int, x float64))) *tensor.Tensor {
	const work = 512 // additions that take as long as a number
	if to.DType == tensor.F32 {
		out, data := extend.OnHost[float32](to.Op, to.DType, to.Shape...)
		host.Parallel(len(data), work, func(lo, hi int) {
			fill(lo, hi, func(i int, x float64) { data[i] = float32(x) })
		})
		return out
	}
	out, data := extend.OnHost[float64](to.Op, to.DType, to.Shape...)
	host.Parallel(len(data), work, func(lo, hi int) {
		fill(lo, hi, func(i int, x float64) { data[i] = x })
	})
	return out
}

// each fills elements that are functions of their index.
func each(at func(i int) float64) func(lo, hi int, set func(i int, x float64)) {
	return func(lo, hi int, set func(i int, x float64)) {
		for i := lo; i < hi; i++ {
			set(i, at(i))
		}
	}
}

func isGPU(d *tensor.Device) bool {
	_, ok := extend.Backend(d).(backend.Launcher)
	return ok
}

// onGPU returns a tensor that a kernel fills, whose arguments are the parameters, the result, and what rest adds.
func onGPU(to Into, kernel string, parameters []*tensor.Tensor, rest func(args *rocm.Args, n int)) *tensor.Tensor {
	return launch(to, kernel, func(args *rocm.Args, out backend.Storage, n int) {
		for _, p := range parameters {
			parameter(to.Op, args, p)
		}
		rest(args.Buffer(buffer(out), 0), n)
	})
}

// launch returns a tensor that a kernel fills.
func launch(to Into, kernel string, arguments func(args *rocm.Args, out backend.Storage, n int)) *tensor.Tensor {
	b, n := extend.Backend(to.Device), backend.Product(to.Shape)
	return extend.New(to.Op, to.Device, to.DType, to.Shape, func() (backend.Storage, error) {
		out, err := b.Alloc(n * to.DType.Size())
		if err != nil {
			return nil, err
		}
		args := rocm.NewArgs()
		arguments(args, out, n)
		return out, b.(backend.Launcher).Launch(kernel, gridOf(n, 4), args)
	})
}

// gridOf is a grid whose threads have so many of n elements each, or more.
func gridOf(n, each int) [3]int {
	const threads, maxBlocks = 256, 1 << 14
	return [3]int{min((n+threads*each-1)/(threads*each), maxBlocks), 1, 1}
}

// parameter adds the elements of a parameter, and the step between them.
func parameter(op string, args *rocm.Args, t *tensor.Tensor) *rocm.Args {
	return pointer(args, extend.Dense(op, t)).U64(uint64(stepOf(t)))
}

func pointer(args *rocm.Args, o backend.Operand) *rocm.Args {
	return args.Buffer(buffer(o.Store), o.Layout.Offset*o.DType.Size())
}

func buffer(s backend.Storage) *rocm.Buffer { return s.(backend.DeviceMemory).DeviceBuffer() }
