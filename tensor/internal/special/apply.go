package special

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/host"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
	"github.com/gorocm/gorocm/tensor/internal/special/vector"
)

// function is a function of numbers, its kernel, and its derivatives by its arguments, times g; nil for none.
type function struct {
	op, kernel string
	each       each
	back       []func(g, y *tensor.Tensor, x []*tensor.Tensor) *tensor.Tensor
}

// of returns the function of each element of F64 tensors, which are broadcast.
func (f function) of(x ...*tensor.Tensor) *tensor.Tensor {
	extend.SameDevice(f.op, x...)
	shape := x[0].Dims()
	for _, t := range x[1:] {
		both, ok := shapes.Broadcast(shape, t.Dims())
		if !ok {
			extend.Shape(f.op, x, "shapes %v and %v cannot be broadcast", shape, t.Dims())
		}
		shape = both
	}
	wide := make([]*tensor.Tensor, len(x))
	tracked := false
	for i, t := range x {
		wide[i] = t
		if t.ElemCount() != 1 {
			wide[i] = t.BroadcastAs(shape...)
		}
		tracked = tracked || extend.Tracked(t)
	}
	y := f.run(shape, wide)
	if !tracked {
		return y
	}
	var depends []bool
	for _, t := range x {
		depends = append(depends, extend.Tracked(t))
	}
	return extend.ByOperations(y, f.op, x, func(g, y *tensor.Tensor, x []*tensor.Tensor) []*tensor.Tensor {
		slopes := make([]*tensor.Tensor, len(x))
		for i, t := range x {
			switch {
			case !depends[i]:
			case f.back[i] == nil:
				extend.Fail(f.op, tensor.ErrGradient, []*tensor.Tensor{t}, "", "there is no gradient by operand %d",
					i+1)
			default:
				slopes[i] = summed(f.back[i](g, y, x), t)
			}
		}
		return slopes
	})
}

// summed is the sum of a gradient over the dims in which an operand was broadcast.
func summed(g, operand *tensor.Tensor) *tensor.Tensor {
	shape := operand.Dims()
	if lead := g.Rank() - len(shape); lead > 0 {
		var dims []int
		for d := range lead {
			dims = append(dims, d)
		}
		g = g.Sum(dims...)
	}
	for d, n := range shape {
		if n == 1 && g.Dim(d) != 1 {
			g = g.SumKeepDim(d)
		}
	}
	return g
}

func (f function) run(shape []int, x []*tensor.Tensor) *tensor.Tensor {
	dev := x[0].Device()
	launcher, isGPU := extend.Backend(dev).(backend.Launcher)
	if !isGPU {
		return f.onHost(shape, x)
	}
	n := backend.Product(shape)
	return extend.New(f.op, dev, tensor.F64, shape, func() (backend.Storage, error) {
		args := rocm.NewArgs()
		for _, t := range x {
			o := extend.Dense(f.op, t)
			args.Buffer(o.Store.(backend.DeviceMemory).DeviceBuffer(), o.Layout.Offset*8).U64(uint64(step(t)))
		}
		out, err := extend.Backend(dev).Alloc(n * 8)
		if err != nil {
			return nil, err
		}
		args.Buffer(out.(backend.DeviceMemory).DeviceBuffer(), 0).U64(uint64(n))
		const threads, maxBlocks = 256, 1 << 14
		return out, launcher.Launch("special_"+f.kernel, [3]int{min((n+threads-1)/threads, maxBlocks), 1, 1}, args)
	})
}

func (f function) onHost(shape []int, x []*tensor.Tensor) *tensor.Tensor {
	out, data := extend.OnHost[float64](f.op, tensor.F64, shape...)
	if len(data) == 0 {
		return out
	}
	operands, dense := make([]numbers, len(x)), make([]*tensor.Tensor, len(x))
	for i, t := range x {
		dense[i] = t.Detach().Contiguous()
		operands[i] = numbers{extend.Elements[float64](f.op, dense[i]), step(t)}
	}
	const work = 256 // additions that take as long as an element
	host.Parallel(len(data), work, func(lo, hi int) {
		part := make([]numbers, len(operands))
		for i, n := range operands {
			part[i] = numbers{n.list[lo*n.step:], n.step}
		}
		f.each(data[lo:hi], part)
	})
	runtime.KeepAlive(dense)
	return out
}

// step is that from the element for one result to the element for the next.
func step(t *tensor.Tensor) int {
	if t.ElemCount() == 1 {
		return 0
	}
	return 1
}

// numbers are an operand: one number for all elements, with a step of 0, or one for each.
type numbers struct {
	list []float64
	step int
}

func (n numbers) at(i int) float64 { return n.list[i*n.step] }

// each sets the elements of y to a function of those of operands.
type each func(y []float64, x []numbers)

// of1 is the function of package vector, by the name of its kernel, or else f.
func of1(name string, f func(x float64) float64) each {
	many := vector.Function(name)
	return func(y []float64, x []numbers) {
		if many != nil {
			many(y, x[0].list)
			return
		}
		for i := range y {
			y[i] = f(x[0].at(i))
		}
	}
}

func of2(f func(x, y float64) float64) each {
	return func(y []float64, x []numbers) {
		for i := range y {
			y[i] = f(x[0].at(i), x[1].at(i))
		}
	}
}

func of3(f func(x, y, z float64) float64) each {
	return func(y []float64, x []numbers) {
		for i := range y {
			y[i] = f(x[0].at(i), x[1].at(i), x[2].at(i))
		}
	}
}

// scaled2 is of2 with what f needs of the first operand alone, which is computed where that changes.
func scaled2(scale func(a float64) float64, f func(a, x, scale float64) float64) each {
	return func(y []float64, x []numbers) {
		a, s := math.NaN(), 0.0
		for i := range y {
			if v := x[0].at(i); v != a {
				a, s = v, scale(v)
			}
			y[i] = f(a, x[1].at(i), s)
		}
	}
}

// scaled3 is of3 with what f needs of the first two operands alone.
func scaled3(scale func(a, b float64) float64, f func(a, b, x, scale float64) float64) each {
	return func(y []float64, x []numbers) {
		a, b, s := math.NaN(), math.NaN(), 0.0
		for i := range y {
			if v, w := x[0].at(i), x[1].at(i); v != a || w != b {
				a, b, s = v, w, scale(v, w)
			}
			y[i] = f(a, b, x[2].at(i), s)
		}
	}
}
