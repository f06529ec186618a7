package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// transfer brings every dtype to the device and back, and copies every form.
func (k kit) transfer(t T) {
	each(t, kernels.All, func(t T, dt tensor.DType, fm form) {
		host, dev := k.input(dt, fm.shape, 20, 50, true)
		host, dev = fm.view(host), fm.view(dev)
		for name, got := range map[string]*tensor.Tensor{"back": dev.ToDevice(tensor.CPU()), "copy": dev.Copy(), "contiguous": dev.Contiguous()} {
			if !expect(t, got, host.Dims(), dt) {
				continue
			}
			if dt.IsInt() {
				sameInts(t, got, ints(host), func(int) string { return name })
			} else {
				closeTo(t, got, host.Float64s(), 0, nil, func(int) string { return name })
			}
		}
	})
}

func (k kit) create(t T) {
	for _, dt := range kernels.All {
		run(t, dt.String(), func(t T) {
			for _, c := range []struct {
				name string
				got  *tensor.Tensor
				want []float64
			}{
				{"zeros", tensor.Zeros([]int{3, 5}, dt, k.dev), slices.Repeat([]float64{0}, 15)},
				{"ones", tensor.Ones([]int{7}, dt, k.dev), slices.Repeat([]float64{1}, 7)},
				{"full", tensor.Full(44, []int{1031}, dt, k.dev), slices.Repeat([]float64{44}, 1031)},
				{"arange", tensor.Arange(3, 8, dt, k.dev), []float64{3, 4, 5, 6, 7}},
				{"arange step", tensor.ArangeStep(10, 0, -4, tensor.I32, k.dev).ToDType(dt), []float64{10, 6, 2}},
				{"eye", tensor.Eye(2, dt, k.dev), []float64{1, 0, 0, 1}},
				{"linspace", tensor.Linspace(0, 8, 3, dt, k.dev), []float64{0, 4, 8}},
				{"ones like", tensor.Zeros([]int{2}, dt, k.dev).OnesLike(), []float64{1, 1}},
				{"full like", tensor.Zeros([]int{2}, dt, k.dev).FullLike(3), []float64{3, 3}},
				{"tril", tensor.Tril2(2, dt, k.dev), []float64{1, 0, 1, 1}},
				{"pad", tensor.Ones([]int{2}, dt, k.dev).PadWithZeros(0, 1, 2), []float64{0, 1, 1, 0, 0}},
				{"pad with same", tensor.Arange(1, 3, dt, k.dev).PadWithSame(0, 2, 1), []float64{1, 1, 1, 2, 2}},
				{"roll", tensor.Arange(0, 5, dt, k.dev).Roll(2, 0), []float64{3, 4, 0, 1, 2}},
				{"flip", tensor.Arange(0, 3, dt, k.dev).Flip(0), []float64{2, 1, 0}},
				{"empty range", tensor.Arange(5, 5, dt, k.dev), nil},
			} {
				if got := c.got.Float64s(); !slices.Equal(got, c.want) || c.got.DType() != dt {
					t.Errorf("%s: got %v of %v, want %v", c.name, got, c.got.DType(), c.want)
				}
			}
		})
	}
}

// random compares with the host's numbers: the same seed gives the same ones everywhere.
func (k kit) random(t T) {
	for _, dt := range kernels.Floats {
		run(t, dt.String(), func(t T) {
			shape := []int{5, 7, 11}
			for _, dev := range []*tensor.Device{tensor.CPU(), k.dev} {
				dev.SetSeed(7)
			}
			for range 2 { // the second draw goes on where the first one ended
				want := tensor.Rand(-2, 3, shape, dt, tensor.CPU())
				got := tensor.Rand(-2, 3, shape, dt, k.dev)
				if k.dev.IsCPU() { // there is one generator: draw again from its start
					want = got
				}
				expect(t, got, shape, dt)
				closeTo(t, got, want.Float64s(), 1, nil, func(int) string { return "uniform" })
				for _, v := range got.Float64s() {
					if v < -2 || v >= 3 {
						t.Fatalf("%v is not in [-2, 3)", v)
					}
				}
				if !k.dev.IsCPU() {
					want := tensor.Randn(1, 2, shape, dt, tensor.CPU()).Float64s()
					got := tensor.Randn(1, 2, shape, dt, k.dev)
					closeTo(t, got, want, 8, func(int) float64 { return 8 * ulp(dt, 8) }, func(int) string { return "normal" })
				}
			}
		})
	}
	k.dev.SetSeed(1)
	n := 100_000
	x := tensor.Randn(1, 2, []int{n}, tensor.F32, k.dev)
	mean, variance := x.MeanAll().ToScalar(), x.Var(0).ToScalar()
	if math.Abs(mean-1) > 0.05 || math.Abs(variance-4) > 0.1 { // eight standard errors and more
		t.Errorf("mean %v and variance %v of %d draws, want 1 and 4", mean, variance, n)
	}
}

func (k kit) join(t T) {
	for _, dt := range kernels.All {
		run(t, dt.String(), func(t T) {
			a, da := k.input(dt, []int{3, 5}, 30, 20, false)
			b, db := k.input(dt, []int{5, 3}, 31, 20, false)
			empty := tensor.Zeros([]int{3, 0}, dt, k.dev)
			got := tensor.Cat([]*tensor.Tensor{da, empty, db.T(), da.Narrow(1, 1, 2)}, 1)
			var want []float64
			x, y := a.ToVec2(), b.ToVec2()
			for i := range 3 {
				want = append(append(want, x[i]...), y[0][i], y[1][i], y[2][i], y[3][i], y[4][i], x[i][1], x[i][2])
			}
			expect(t, got, []int{3, 12}, dt)
			if !slices.Equal(got.Float64s(), want) {
				t.Errorf("cat: got %v, want %v", got.Float64s(), want)
			}
			stack := tensor.Stack([]*tensor.Tensor{da, db.T()}, 0)
			expect(t, stack, []int{2, 3, 5}, dt)
			if got := stack.Get(1).Float64s(); !slices.Equal(got, b.T().Float64s()) {
				t.Errorf("stack: got %v, want %v", got, b.T().Float64s())
			}
		})
	}
}

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
	{"stretched", []int{7, 1, 11}, func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs([]int{7, 5, 11}) }, 1},
	{"no rows", []int{0, 3}, asIs, 1},
}

func (k kit) reduce(t T) {
	for _, op := range kernels.Reduce {
		run(t, op.Name, func(t T) {
			for _, dt := range op.On {
				for _, c := range reductions {
					run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
						// Sums of infinities and of numbers of very different size say little about a sum of floats. Those of integers are exact.
						special := op.Name != "mean" && (op.Name != "sum" || dt.IsInt())
						host, dev := k.input(dt, c.shape, 40, 3, special)
						k.checkReduce(t, op, dt, c.view(host), c.view(dev), c.dim)
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

func (k kit) checkReduce(t T, op kernels.ReduceOp, dt tensor.DType, host, dev *tensor.Tensor, dim int) {
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
			want = append(want, wrap(out, op.Int(row)))
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
	closeTo(t, got, want, op.ULP, slack, describe)
}

func (k kit) checkEmpty(t T, op kernels.ReduceOp, dt tensor.DType) {
	x := tensor.Zeros([]int{3, 0}, dt, k.dev)
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
	closeTo(t, dev.SumAll(), []float64{total}, 0, near, name("sum of all"))
	closeTo(t, dev.T().Mean(), []float64{total / 385}, 0, near, name("mean of all"))
	closeTo(t, dev.Sum(0, -1), byMiddle, 0, near, name("sum over two dims"))
	closeTo(t, dev.SumKeepDim(2, 0).FlattenAll(), byMiddle, 0, near, name("sum over two dims"))
	expect(t, dev.SumKeepDim(2, 0), []int{1, 7, 1}, tensor.F64)
	flat := host.Float64s()
	if got := dev.MaxAll().ToScalar(); got != slices.Max(flat) {
		t.Errorf("max of all: %v", got)
	}
	if got := dev.T().MinAll().ToScalar(); got != slices.Min(flat) {
		t.Errorf("min of all: %v", got)
	}
}

// exactSum adds as the op table's reference does, which loses next to nothing.
func exactSum(x []float64) float64 {
	i := slices.IndexFunc(kernels.Reduce, func(op kernels.ReduceOp) bool { return op.Name == "sum" })
	return kernels.Reduce[i].Ref(x)
}

func (k kit) softmax(t T) {
	for _, dt := range kernels.Floats {
		for _, c := range reductions {
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
				closeTo(t, got.Transpose(dim, last), want, 4, func(i int) float64 { return eps * (16 + math.Abs(logs[i])) * want[i] }, func(i int) string { return fmt.Sprint("softmax ", i) })
				closeTo(t, dev.LogSoftmax(c.dim).Transpose(dim, last), logs, 4, func(i int) float64 { return 16 * eps * (1 + math.Abs(logs[i])) }, func(i int) string { return fmt.Sprint("log softmax ", i) })
			})
		}
	}
}

func (k kit) matmul(t T) {
	swap := func(t *tensor.Tensor) *tensor.Tensor { return t.T() }
	inner := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(-1, 1, t.Dim(-1)-2).Narrow(-2, 1, t.Dim(-2)-2) }
	cases := []struct {
		name   string
		a, b   []int
		va, vb func(*tensor.Tensor) *tensor.Tensor
	}{
		{"small", []int{2, 3}, []int{3, 5}, asIs, asIs},
		{"odd", []int{65, 33}, []int{33, 71}, asIs, asIs},
		{"transposed left", []int{33, 13}, []int{33, 7}, swap, asIs},
		{"transposed right", []int{13, 33}, []int{7, 33}, asIs, swap},
		{"both transposed", []int{33, 13}, []int{7, 33}, swap, swap},
		{"narrowed", []int{15, 9}, []int{9, 13}, inner, inner},
		{"batch", []int{5, 7, 11}, []int{5, 11, 13}, asIs, asIs},
		{"one right matrix", []int{5, 7, 11}, []int{11, 13}, asIs, asIs},
		{"one left matrix", []int{7, 11}, []int{5, 11, 13}, asIs, asIs},
		{"broadcast batch", []int{3, 1, 5, 7}, []int{2, 7, 5}, asIs, asIs},
		{"vectors", []int{101}, []int{101}, asIs, asIs},
		{"matrix and vector", []int{9, 31}, []int{31}, asIs, asIs},
		{"vector and batch", []int{11}, []int{3, 11, 5}, asIs, asIs},
		{"single", []int{1, 1}, []int{1, 1}, asIs, asIs},
		{"stretched", []int{1, 17}, []int{17, 5}, func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs([]int{4, 17}) }, asIs},
		{"few rows", []int{3, 1000}, []int{1000, 72}, asIs, asIs},
		{"few rows, transposed right", []int{3, 1000}, []int{72, 1000}, asIs, swap},
		{"few rows, odd", []int{5, 1001}, []int{77, 1001}, asIs, swap},
		{"few columns", []int{77, 1000}, []int{1000, 2}, asIs, asIs},
		{"few columns, transposed left", []int{1000, 77}, []int{1000, 2}, swap, asIs},
		{"few long rows", []int{1, 9000}, []int{5, 9000}, asIs, swap},
		{"batch of rows", []int{3, 1, 40}, []int{3, 40, 24}, asIs, asIs},
		{"batch of rows, transposed right", []int{2, 3, 1, 40}, []int{2, 1, 24, 40}, asIs, swap},
		{"row of apart elements", []int{40, 3}, []int{40, 24}, func(t *tensor.Tensor) *tensor.Tensor { return t.T().Narrow(0, 1, 1) }, asIs},
		{"no inner", []int{3, 0}, []int{0, 2}, asIs, asIs},
		{"no rows", []int{0, 3}, []int{3, 2}, asIs, asIs},
	}
	for _, dt := range kernels.All {
		for _, c := range cases {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				a, da := k.input(dt, c.a, 60, 1, false)
				b, db := k.input(dt, c.b, 61, 1, false)
				a, b = c.va(a), c.vb(b)
				want, sizes, shape := product(near0(a), near0(b))
				got := c.va(da).MatMul(c.vb(db))
				if !expect(t, got, shape, dt) {
					return
				}
				eps := ulp(tensor.F32, 1)
				if dt == tensor.F64 {
					eps = ulp(dt, 1)
				}
				depth := 8 + math.Sqrt(float64(a.Dim(-1)))
				closeTo(t, got, want, 1, func(i int) float64 { return eps * depth * sizes[i] }, func(i int) string { return fmt.Sprint("product ", i) })
			})
		}
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
		for _, rows := range []int{1, 16} { // few, and enough for matrix cores
			a := tensor.New([][]float32{{0, 1}}, k.dev).ToDType(dt).BroadcastAs([]int{rows, 2})
			b := tensor.New([][]float64{{math.Inf(1), math.NaN(), 3}, {1, 1, 2}}, k.dev).ToDType(dt).Repeat([]int{1, 5})
			for _, v := range a.MatMul(b).ToVec2() {
				if v[0] == v[0] || v[1] == v[1] || v[2] != 2 {
					t.Errorf("%v: 0·Inf, 0·NaN and 0·3 + 2 gave %v, want NaN, NaN, 2", dt, v[:3])
				}
			}
		}
	}
	big := tensor.Full(300, []int{16, 16}, tensor.F16, k.dev) // sums are beyond f16, and then what is taken from them brings them back
	if v := big.MatMul(tensor.Cat([]*tensor.Tensor{big.Narrow(0, 0, 8), big.Narrow(0, 8, 8).Neg()}, 0)).Float64s(); v[0] != 0 || v[255] != 0 {
		t.Errorf("sums of f16 beyond its range gave %v and %v, want 0", v[0], v[255])
	}
}

// integerProducts multiplies integers of any size: sums keep their low bits.
func (k kit) integerProducts(t T) {
	const m, n, depth = 9, 70, 33
	for _, dt := range kernels.Ints {
		run(t, dt.String(), func(t T) {
			a, da := k.input(dt, []int{m, depth}, 62, 0, true)
			b, db := k.input(dt, []int{depth, n}, 63, 0, true)
			x, y := ints(a), ints(b)
			want := make([]int64, m*n)
			for i := range want {
				for q := range depth {
					want[i] += x[i/n*depth+q] * y[q*n+i%n]
				}
				want[i] = wrap(dt, want[i])
			}
			where := func(i int) string { return fmt.Sprint("product ", i) }
			sameInts(t, da.MatMul(db), want, where)
			sameInts(t, da.T().Contiguous().T().MatMul(db.T().Contiguous().T()), want, where)
			image := db.Unsqueeze(0).Unsqueeze(2)
			sameInts(t, image.Conv2d(da.Unsqueeze(2).Unsqueeze(3), 0, 1, 1, 1), want, where)
		})
	}
}

// near0 gives integers that wrap to the same ones and whose products are exact in float64.
func near0(t *tensor.Tensor) *tensor.Tensor {
	if t.DType() == tensor.U32 {
		return t.ToDType(tensor.I32)
	}
	return t
}

// product is the definition of a batched product, on the host in float64, with the sum of the sizes of its terms.
func product(a, b *tensor.Tensor) (want, sizes []float64, shape []int) {
	x, y := a, b
	if a.Rank() == 1 {
		x = a.Unsqueeze(0)
	}
	if b.Rank() == 1 {
		y = b.Unsqueeze(1)
	}
	batch := tensor.Zeros(x.Dims()[:x.Rank()-2], tensor.U8, tensor.CPU()).Add(tensor.Zeros(y.Dims()[:y.Rank()-2], tensor.U8, tensor.CPU())).Dims()
	m, n, depth := x.Dim(-2), y.Dim(-1), x.Dim(-1)
	xs := x.BroadcastAs(append(slices.Clone(batch), m, depth)).Float64s()
	ys := y.BroadcastAs(append(slices.Clone(batch), depth, n)).Float64s()
	count := 1
	for _, d := range batch {
		count *= d
	}
	for p := range count {
		for i := range m {
			for j := range n {
				sum, size := 0.0, 0.0
				for q := range depth {
					v := xs[(p*m+i)*depth+q] * ys[(p*depth+q)*n+j]
					sum += v
					size += math.Abs(v)
				}
				want, sizes = append(want, sum), append(sizes, size)
			}
		}
	}
	shape = batch
	if a.Rank() > 1 {
		shape = append(shape, m)
	}
	if b.Rank() > 1 {
		shape = append(shape, n)
	}
	return want, sizes, shape
}

func (k kit) index(t T) {
	for _, it := range []tensor.DType{tensor.U8, tensor.U32, tensor.I64, tensor.I32} {
		for _, dt := range kernels.All {
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
				if want := host.Permute(1, 2, 0).IndexSelect(tensor.New(ids, tensor.CPU()), 0); !slices.Equal(strided.Float64s(), want.Float64s()) {
					t.Errorf("strided: got %v, want %v", strided, want)
				}
				err := k.try(func() *tensor.Tensor { return dev.IndexSelect(tensor.New([]int64{1, 0, 7}, k.dev).ToDType(it), 1) })
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
