package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// reductions are the shapes and dims that a reduction meets: rows, columns, the middle, everything, strided.
var reductions = []struct {
	name  string
	shape []int
	view  func(*tensor.Tensor) *tensor.Tensor
	dim   int
}{
	{"last dim", []int{5, 7, 11}, asIs, -1},
	{"first dim", []int{13, 35}, asIs, 0},
	{"middle dim", []int{5, 13, 7}, asIs, 1},
	{"long rows", []int{2, 5005}, asIs, 1},
	{"packed rows", []int{67, 264}, asIs, 1},
	{"packed rows of 6000", []int{2, 6000}, asIs, 1},
	{"packed rows of 8192", []int{2, 8192}, asIs, 1},
	{"packed rows of 12288", []int{1, 12288}, asIs, 1},
	{"long columns", []int{1031, 3}, asIs, 0},
	{"many columns", []int{65, 520}, asIs, 0},
	{"many short columns", []int{5, 264}, asIs, 0},
	{"long columns of packs", []int{1100, 64}, asIs, 0},
	{"columns of blocks", []int{3, 40, 24}, asIs, 1},
	{"many columns of blocks", []int{2, 700, 16}, asIs, 1},
	{"one element", []int{7, 1}, asIs, 1},
	{"one very long row", []int{40009}, asIs, 0}, // a prime: it has no equal parts
	{"few very long rows", []int{3, 32768}, asIs, 1},
	{"few very long columns", []int{32768, 2}, asIs, 0},
	{"permuted", []int{7, 11, 13}, func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(2, 0, 1) }, 1},
	{"narrowed", []int{9, 13}, func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, 2, 5).Narrow(1, 1, 11) }, -1},
	{"broadcast", []int{7, 1, 11}, func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs(7, 5, 11) }, 1},
	{"no rows", []int{0, 3}, asIs, 1},
}

func (k kit) reduce(t T) {
	for n, op := range kernels.Reduce {
		run(t, op.Name, func(t T) {
			for i, dt := range op.On {
				for _, c := range some(k, reductions, len(op.On), n+i) {
					run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
						// Sums of infinities and of numbers of very different size say little about a sum of floats.
						// Those of integers are exact.
						// So do products, which stay near 1 with elements of this spread.
						special, spread := op.Name != "mean" && (op.Name != "sum" || dt.IsInt()), 3.0
						if op.Name == "prod" {
							special, spread = dt.IsInt(), 1.887
						}
						host, dev := k.input(dt, c.shape, 40, spread, special)
						checkReduce(t, op, dt, c.view(host), c.view(dev), c.dim)
					})
				}
			}
			for _, dt := range op.On {
				k.checkEmpty(t, op, dt)
			}
		})
	}
	k.folds(t)
}

func checkReduce(t T, op kernels.ReduceOp, dt tensor.DType, host, dev *tensor.Tensor, dim int) {
	got := call(dev, op.Method, dim)
	if dim < 0 {
		dim += host.Rank()
	}
	shape := host.Dims()
	cols := shape[dim]
	shape = slices.Delete(shape, dim, dim+1)
	out := op.Out(dt)
	if !expect(t, got, shape, out) {
		return
	}
	order := []int{}
	for d := range host.Rank() {
		if d != dim {
			order = append(order, d)
		}
	}
	rows := host.Permute(append(order, dim)...)
	describe := func(i int) string { return fmt.Sprintf("row %d", i) }
	if dt.IsInt() && op.Int != nil {
		want := []int64{}
		for row := range slices.Chunk(ints(rows), cols) {
			want = append(want, wrap(out, op.IntRef(dt)(row)))
		}
		sameInts(t, got, want, describe)
		return
	}
	var want, sums []float64
	for row := range slices.Chunk(rows.Float64s(), cols) {
		want = append(want, op.Ref(row))
		sum := 0.0
		for _, v := range row {
			sum += math.Abs(v)
		}
		sums = append(sums, sum)
	}
	if op.Arg {
		sameInts(t, got, mapped(want, func(x float64) int64 { return int64(x) }), describe)
		return
	}
	var slack func(int) float64
	if op.Name == "sum" || op.Name == "mean" { // rounding while adding, in units of the largest partial sum
		eps := math.Ldexp(1, -53)
		switch {
		case dt.IsSmallFloat():
			eps = math.Ldexp(1, -24)
		case dt == tensor.F64: // goes along with what rounding takes from it
			eps = math.Ldexp(1, -100)
		}
		slack = func(i int) float64 { return 32 * eps * sums[i] }
	}
	if op.Name == "prod" {
		slack = func(i int) float64 { return math.Ldexp(math.Abs(want[i])*float64(cols), -53) }
	}
	closeTo(t, got, want, op.ULP, slack, describe)
}

func (k kit) checkEmpty(t T, op kernels.ReduceOp, dt tensor.DType) {
	x := k.dev.Zeros(dt, 3, 0)
	got, err := tensor.Try(func() *tensor.Tensor { return call(x, op.Method, 1) })
	if op.Empty {
		if err != nil {
			t.Fatalf("no elements of %v: %v", dt, err)
		}
		expect(t, got, []int{3}, op.Out(dt))
		want := slices.Repeat([]float64{op.Ref(nil)}, 3)
		closeTo(t, got, want, 0, nil, func(int) string { return "no elements" })
	} else if !errors.Is(err, tensor.ErrShape) {
		t.Errorf("no elements of %v: got %v, want a shape error", dt, err)
	}
}

// folds checks reductions over several dims and over all.
func (k kit) folds(t T) {
	host, dev := k.input(tensor.F64, []int{5, 7, 11}, 41, 1, false)
	x := host.ToVec3()
	total, byMiddle := 0.0, make([]float64, 7)
	for i := range x {
		for j := range x[i] {
			for _, v := range x[i][j] {
				total += v
				byMiddle[j] += v
			}
		}
	}
	near := func(int) float64 { return 1e-11 }
	name := func(s string) func(int) string { return func(int) string { return s } }
	closeTo(t, dev.Sum(), []float64{total}, 0, near, name("sum of all"))
	closeTo(t, dev.T().Mean(), []float64{total / 385}, 0, near, name("mean of all"))
	closeTo(t, dev.Sum(0, -1), byMiddle, 0, near, name("sum over two dims"))
	closeTo(t, dev.SumKeepDim(2, 0).FlattenAll(), byMiddle, 0, near, name("sum over two dims"))
	expect(t, dev.SumKeepDim(2, 0), []int{1, 7, 1}, tensor.F64)
	flat := host.Float64s()
	if got := dev.Max().ToScalar(); got != slices.Max(flat) {
		t.Errorf("max of all: %v", got)
	}
	if got := dev.T().Min().ToScalar(); got != slices.Min(flat) {
		t.Errorf("min of all: %v", got)
	}
	// the index among all elements is that in row-major order, whatever their order in memory
	for _, x := range []*tensor.Tensor{dev, dev.Permute(2, 0, 1), dev.Narrow(1, 2, 3)} {
		flat := x.Float64s()
		want := []int64{int64(slices.Index(flat, slices.Max(flat))), int64(slices.Index(flat, slices.Min(flat)))}
		sameInts(t, tensor.Stack([]*tensor.Tensor{x.ArgMax(), x.ArgMin()}, 0), want, name("index among all"))
		expect(t, x.ArgMaxKeepDim(), []int{1, 1, 1}, tensor.U32)
	}
	expect(t, dev.MaxKeepDim(0, 2), []int{1, 7, 1}, tensor.F64)
	if got, want := dev.Max(0, 2).Float64s(), dev.Max(0).Max(1).Float64s(); !slices.Equal(got, want) {
		t.Errorf("max over two dims: got %v, want %v", got, want)
	}
	if _, err := tensor.Try(func() *tensor.Tensor { return dev.ArgMax(0, 2) }); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("argmax over two dims: got %v, want a shape error", err)
	}
}

// exactSum adds as the op table's reference does, which loses next to nothing.
func exactSum(x []float64) float64 {
	i := slices.IndexFunc(kernels.Reduce, func(op kernels.ReduceOp) bool { return op.Name == "sum" })
	return kernels.Reduce[i].Ref(x)
}

func (k kit) softmax(t T) {
	for i, dt := range kernels.Floats {
		for _, c := range some(k, reductions, len(kernels.Floats), i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				host, dev := k.input(dt, c.shape, 50, 4, false)
				host, dev = c.view(host), c.view(dev)
				last := host.Rank() - 1
				dim := (c.dim + host.Rank()) % host.Rank()
				if n := host.Dim(dim); n > 1000 { // as masks do: whole stretches count for nothing
					for _, x := range []*tensor.Tensor{host, dev} {
						x.Narrow(dim, 0, n/2).ConstSet(math.Inf(-1))
					}
				}
				rows := host.Transpose(dim, last)
				cols := rows.Dim(-1)
				var want, logs []float64
				for row := range slices.Chunk(rows.Float64s(), max(cols, 1)) {
					top := slices.Max(row)
					sum := exactSum(mapped(row, func(v float64) float64 { return math.Exp(v - top) }))
					for _, v := range row {
						want = append(want, math.Exp(v-top)/sum)
						logs = append(logs, v-top-math.Log(sum))
					}
				}
				got := dev.Softmax(c.dim)
				expect(t, got, host.Dims(), dt)
				eps := ulp(dt, 1)
				if dt.IsSmallFloat() {
					eps = ulp(tensor.F32, 1)
				}
				// x - max is rounded before exp, which makes a relative error of its size.
				closeTo(t, got.Transpose(dim, last), want, 4,
					func(i int) float64 { return eps * (16 + math.Abs(logs[i])) * want[i] },
					func(i int) string { return fmt.Sprint("softmax ", i) })
				closeTo(t, dev.LogSoftmax(c.dim).Transpose(dim, last), logs, 4,
					func(i int) float64 { return 16 * eps * (1 + math.Abs(logs[i])) },
					func(i int) string { return fmt.Sprint("log softmax ", i) })
			})
		}
	}
}
