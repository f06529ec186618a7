package kernels_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// A reduction of the last dims of a view, which have cols elements.
type reduction struct {
	v    view
	cols int
	part int // elements of a part; 0 for all
}

// beside reports whether rows lie side by side.
func (r *reduction) beside() bool {
	dims, strides, last := r.v.dims, r.v.strides, len(r.v.dims)-1
	return last > 0 && dims[last] == int64(r.cols) && strides[last] != 1 && strides[last-1] == 1 && dims[last-1] >= 8
}

// times is how often a reduction is launched: in parts, the second time finds what the first one left in the counters.
func (r *reduction) times() int {
	if r.part > 0 {
		return 2
	}
	return 1
}

var reductions = []reduction{
	{v: dense(1, 1027), cols: 1027},
	{v: dense(3, 257), cols: 257},
	{v: dense(700, 3), cols: 3},
	{v: dense(37, 1), cols: 1},
	{v: dense(70, 16), cols: 16},
	{v: dense(5, 2048), cols: 2048},
	{v: dense(9, 64), cols: 64},
	{v: dense(5, 7, 11), cols: 77},
	{v: dense(1000), cols: 1000},
	{v: dense(0, 5), cols: 5},
	{v: view{name: "columns", dims: []int64{50, 300}, strides: []int64{1, 50}}, cols: 300},
	{v: view{name: "columns of a block", dims: []int64{3, 40, 9}, strides: []int64{360, 1, 40}}, cols: 9},
	{v: view{name: "every third", dims: []int64{9, 100}, strides: []int64{300, 3}, offset: 2}, cols: 100},
	{v: view{name: "broadcast", dims: []int64{9, 100}, strides: []int64{0, 1}}, cols: 100},
	{v: view{name: "one value", dims: []int64{4, 33}, strides: []int64{1, 0}}, cols: 33},
	{v: view{name: "two dims", dims: []int64{4, 6, 50}, strides: []int64{50, 200, 1}}, cols: 300},
}

// inParts are reductions whose rows are shared among blocks.
var inParts = []reduction{
	{v: dense(3, 1027), cols: 1027, part: 64},
	{v: dense(2, 2048), cols: 2048, part: 256},
	{v: dense(1, 4200), cols: 4200, part: 16}, // more parts than a block has threads
	{v: view{name: "few columns", dims: []int64{5, 120}, strides: []int64{1, 5}}, cols: 120, part: 32},
	{v: view{name: "columns", dims: []int64{50, 300}, strides: []int64{1, 50}}, cols: 300, part: 32},
	{v: view{name: "columns in packs", dims: []int64{96, 200}, strides: []int64{1, 96}}, cols: 200, part: 48},
	{v: view{name: "many columns, short parts", dims: []int64{300, 40}, strides: []int64{1, 300}}, cols: 40, part: 8},
	{v: view{name: "columns of a block", dims: []int64{3, 40, 90}, strides: []int64{3600, 1, 40}}, cols: 90, part: 16},
	{v: view{name: "every third", dims: []int64{5, 100}, strides: []int64{300, 3}, offset: 2}, cols: 100, part: 32},
	{v: view{name: "two dims", dims: []int64{4, 6, 50}, strides: []int64{50, 200, 1}}, cols: 300, part: 112},
}

// TestReduceInParts has the emulator look for races and for what nothing has written, too. That takes long, so rows
// that lie side by side are left to the kernels that the host launches for them; TestReduce has both.
func TestReduceInParts(t *testing.T) {
	thorough.Slow(t)
	newDevice(t).gpu().SetChecks(emulator.CheckRaces | emulator.CheckInit)
	defer newDevice(t).gpu().SetChecks(0)
	n := 0
	for _, op := range kernels.Reduce {
		for _, dt := range op.Kernels() {
			if n++; n%3 != 0 && !thorough.On() {
				continue
			}
			for i, r := range thorough.Sample(inParts, 11, n/3) {
				if dt.IsFloat() {
					checkReduce(t, op, dt, r, i, plain(dt, r.v.size(), uint64(i)), op.Ref)
				} else {
					checkReduce(t, op, dt, r, i, integers(dt, r.v.size(), uint64(i)),
						func(row []int64) int64 { return wrap(op.Out(dt), op.IntRef(dt)(row)) })
				}
			}
		}
	}
}

func TestReduce(t *testing.T) {
	all := make([]int, len(reductions))
	for i := range all {
		all[i] = i
	}
	for n, op := range kernels.Reduce {
		for k, dt := range op.Kernels() {
			t.Run(fmt.Sprintf("%s_%s", op.Name, dt), func(t *testing.T) {
				for _, i := range thorough.Sample(all, 2, n+k) {
					r := reductions[i]
					if dt.IsFloat() {
						in := plain(dt, r.v.size(), uint64(i))
						checkReduce(t, op, dt, r, i, in, op.Ref)
						if i%2 == 0 && len(in) > 2 {
							in[len(in)/2], in[len(in)-1] = math.NaN(), kernels.Round(dt, math.Inf(-1))
							in[1] = kernels.Round(dt, math.Inf(1))
							checkReduce(t, op, dt, r, i, in, op.Ref)
						}
					} else {
						checkReduce(t, op, dt, r, i, integers(dt, r.v.size(), uint64(i)),
							func(row []int64) int64 { return wrap(op.Out(dt), op.IntRef(dt)(row)) })
					}
				}
			})
		}
	}
}

// plain are finite floats of one size, with equal ones among them.
func plain(t kernels.DType, n int, seed uint64) []float64 {
	values := floats(t, n, seed)
	for i, x := range values {
		if !(math.Abs(x) < 100) || math.Abs(x) < 1e-3 {
			values[i] = kernels.Round(t, float64(i%5)-1)
		}
	}
	return values
}

func checkReduce[N number](t *testing.T, op kernels.ReduceOp, dt kernels.DType, r reduction, seed int, in []N,
	ref func([]N) N) {
	t.Helper()
	if !r.beside() || r.part == 0 {
		checkReduction(t, op.Name, op, dt, r, seed, in, ref)
	}
	if r.beside() {
		checkReduction(t, op.Name+"_columns", op, dt, r, seed, in, ref)
	}
}

func checkReduction[N number](t *testing.T, name string, op kernels.ReduceOp, dt kernels.DType, r reduction, seed int,
	in []N, ref func([]N) N) {
	t.Helper()
	d := newDevice(t)
	elements := picked(r.v, in)
	rows, to := len(elements)/r.cols, op.Out(dt)
	out := d.put(make([]byte, rows*to.Size()), 0)
	part := cmp.Or(r.part, r.cols)
	room := rows * ((r.cols + part - 1) / part) * kernels.ReduceState
	parts := d.put(nil, room) - uint64(room) // nothing has written there
	counters := d.put(make([]byte, 4*rows), 0)
	for range r.times() {
		d.launch(name+"_"+dt.String(), grid, d.put(encode(dt, in), 0)+uint64(int(r.v.offset)*dt.Size()), out, parts,
			counters, layout1(r.v, seed%2 == 0),
			uint64(rows), uint64(r.cols), uint64(part))
	}
	if slices.ContainsFunc(d.get(counters, 4*rows), func(b byte) bool { return b != 0 }) {
		t.Errorf("%s of %v in parts of %d: counters are not zeros", name, r.v.name, r.part)
	}
	for i, got := range decode[N](to, d.get(out, rows*to.Size())) {
		row := elements[i*r.cols : (i+1)*r.cols]
		want := ref(row)
		tolerance := op.ULP
		if dt.IsFloat() && !op.Arg && tolerance > 0 { // the sum may be much smaller than its parts
			lost := sumError(dt, row)
			if op.Name == "prod" {
				lost = math.Abs(float64(want)) * float64(len(row)) * 0x1p-53
			}
			tolerance += lost / ulp(dt, float64(want))
		}
		if !near(to, float64(got), float64(want), tolerance) {
			t.Errorf("%s of %v: row %d of %d elements: got %v, want %v", name, r.v.name, i, r.cols, got, want)
			break
		}
	}
	d.reset()
}

// sumError bounds what rounding in the type of a sum can do to the sum of a row.
func sumError[N number](dt kernels.DType, row []N) float64 {
	total := 0.0
	for _, x := range row {
		total += math.Abs(float64(x))
	}
	switch {
	case dt.IsSmallFloat():
		return total * 16 * 0x1p-24
	case dt == kernels.F64: // goes along with what rounding takes from it
		return total * 0x1p-100
	}
	return total * 16 * 0x1p-53
}

func TestReduceNothing(t *testing.T) {
	for _, op := range kernels.Reduce {
		if !op.Empty {
			continue
		}
		for _, dt := range op.Kernels() {
			d := newDevice(t)
			to := op.Out(dt)
			out := d.put(make([]byte, 3*to.Size()), 0)
			d.launch(op.Name+"_"+dt.String(), grid, d.put(nil, 0), out, uint64(0), uint64(0),
				layout1(dense(3, 0), true), uint64(3), uint64(0), uint64(0))
			for _, got := range decode[float64](to, d.get(out, 3*to.Size())) {
				if want := 0.0; op.Name == "sum" && got != want || op.Name == "mean" && !math.IsNaN(got) {
					t.Errorf("%s_%s of no elements is %v", op.Name, dt, got)
				}
			}
		}
	}
}

func TestSoftmax(t *testing.T) {
	for k, dt := range kernels.Floats {
		for _, shape := range thorough.Sample([][2]int{{1, 1}, {3, 5}, {300, 3}, {2, 256}, {3, 1000}, {0, 4}, {5, 33},
			{40, 8}, {3, 1024}, {2, 3000}}, 3, k) {
			t.Run(fmt.Sprintf("%s_%dx%d", dt, shape[0], shape[1]), func(t *testing.T) {
				rows, cols := shape[0], shape[1]
				v, step := view{dims: []int64{int64(rows)}, strides: []int64{int64(cols)}}, int64(1)
				in := plain(dt, rows*cols, uint64(cols))
				if cols > 30 {
					in[0], in[2*cols-1] = 0, kernels.Round(dt, -90)
					in[cols+3] = kernels.Round(dt, math.Inf(-1))
				}
				d := newDevice(t)
				p, out := d.put(encode(dt, in), 0), d.put(make([]byte, rows*cols*dt.Size()), 0)
				for _, log := range []bool{false, true} {
					name := map[bool]string{false: "softmax_", true: "logsoftmax_"}[log]
					d.launch(name+dt.String(), grid, p, out, layout2(v, v, true), uint64(rows), uint64(cols), step,
						step)
					got := decode[float64](dt, d.get(out, rows*cols*dt.Size()))
					for r := range rows {
						want := softmax(in[r*cols:(r+1)*cols], log)
						for c, w := range want {
							// x - max is rounded, to half a unit in its last place, and so is the sum.
							below := math.Abs(in[r*cols+c] - greatest(in[r*cols:(r+1)*cols]))
							ulps := 6 + math.Log2(float64(cols))
							if log {
								ulps += 8 * ulp(computeType(dt), below+1) / ulp(dt, w)
							} else {
								ulps += 2 * below
							}
							if !near(dt, got[r*cols+c], w, ulps) {
								t.Fatalf("%s: row %d column %d: got %v, want %v", name, r, c, got[r*cols+c], w)
							}
						}
					}
				}
			})
		}
	}
}

func computeType(dt kernels.DType) kernels.DType {
	if dt == kernels.F64 {
		return dt
	}
	return kernels.F32
}

func greatest(row []float64) float64 {
	g := math.Inf(-1)
	for _, x := range row {
		g = max(g, x)
	}
	return g
}

func softmax(row []float64, log bool) []float64 {
	m := greatest(row)
	exps := make([]float64, len(row))
	for i, x := range row {
		exps[i] = math.Exp(x - m)
	}
	sum := kernels.Reduce[0].Ref(exps)
	out := make([]float64, len(row))
	for i, x := range row {
		out[i] = exps[i] / sum
		if log {
			out[i] = x - m - math.Log(sum)
		}
	}
	return out
}

func TestMatMul(t *testing.T) {
	thorough.Slow(t)
	tests := []struct {
		name                     string
		m, n, k, batch           int64
		aTransposed, bTransposed bool
		repeatA, repeatB, wideC  bool
	}{
		{name: "one", m: 1, n: 1, k: 1, batch: 1},
		{name: "odd", m: 5, n: 7, k: 11, batch: 2},
		{name: "no k", m: 3, n: 4, k: 0, batch: 1},
		{name: "no rows", m: 0, n: 4, k: 3, batch: 1},
		{name: "tiles", m: 70, n: 130, k: 33, batch: 1},
		{name: "A transposed", m: 65, n: 66, k: 17, batch: 1, aTransposed: true},
		{name: "B transposed", m: 65, n: 66, k: 17, batch: 1, bTransposed: true},
		{name: "both transposed", m: 20, n: 90, k: 40, batch: 2, aTransposed: true, bTransposed: true},
		{name: "large tiles", m: 130, n: 129, k: 19, batch: 25},
		{name: "large tiles, transposed", m: 129, n: 140, k: 33, batch: 25, aTransposed: true, bTransposed: true,
			repeatA: true},
		{name: "aligned", m: 72, n: 80, k: 64, batch: 1},
		{name: "aligned, A transposed", m: 72, n: 80, k: 48, batch: 1, aTransposed: true},
		{name: "aligned, B transposed", m: 72, n: 80, k: 40, batch: 1, bTransposed: true},
		{name: "aligned, large tiles", m: 136, n: 144, k: 40, batch: 25, repeatB: true},
		{name: "few rows", m: 7, n: 100, k: 50, batch: 2},
		{name: "repeated", m: 9, n: 10, k: 20, batch: 3, repeatA: true},
		{name: "repeated B", m: 9, n: 10, k: 20, batch: 3, repeatB: true, wideC: true},
	}
	for i, dt := range kernels.Numbers {
		for _, x := range thorough.Sample(tests, len(kernels.Numbers), i) {
			t.Run(fmt.Sprintf("%s_%s", dt, x.name), func(t *testing.T) {
				g := kernels.MatMul{
					M: x.m, N: x.n, K: x.k, Batch: x.batch, ARow: x.k, ACol: 1, ABat: x.m * x.k, BRow: x.n, BCol: 1,
					BBat: x.k * x.n,
					CRow: x.n, CBat: x.m * x.n,
				}
				if x.aTransposed {
					g.ARow, g.ACol = 1, x.m
				}
				if x.bTransposed {
					g.BRow, g.BCol = 1, x.k
				}
				if x.repeatA {
					g.ABat = 0
				}
				if x.repeatB {
					g.BBat = 0
				}
				if x.wideC {
					g.CRow, g.CBat = x.n+3, x.m*(x.n+3)
				}
				batch := layout2(view{dims: []int64{x.batch}, strides: []int64{g.ABat}},
					view{dims: []int64{x.batch}, strides: []int64{g.BBat}}, true)
				if dt.IsInt() {
					checkProduct(t, dt, g, batch, integers(dt, int(x.batch*x.m*x.k), 1),
						integers(dt, int(x.batch*x.k*x.n), 2),
						func(got, want, _ int64) bool { return got == wrap(dt, want) })
					return
				}
				unit := 0x1p-24
				if dt == kernels.F64 {
					unit = 0x1p-53
				}
				checkProduct(t, dt, g, batch, plain(dt, int(x.batch*x.m*x.k), 1), plain(dt, int(x.batch*x.k*x.n), 2),
					func(got, want, total float64) bool {
						return near(dt, got, want, 1+total*unit*float64(x.k)/ulp(dt, want))
					})
			})
		}
	}
}

// checkProduct compares a product with its definition; total is the sum of the sizes of the terms.
func checkProduct[N number](t *testing.T, dt kernels.DType, g kernels.MatMul, batch *kernels.Layout2, a, b []N,
	same func(got, want, total N) bool) {
	d := newDevice(t)
	size := int(g.CBat*g.Batch) * dt.Size()
	out := d.put(make([]byte, size), 0)
	d.launch("matmul_"+dt.String(), [3]uint32{2, 1, 2}, d.put(encode(dt, a), 0), d.put(encode(dt, b), 0), out, batch,
		&g)
	got := decode[N](dt, d.get(out, size))
	for z := range g.Batch {
		for r := range g.M {
			for c := range g.N {
				var want, total N
				for k := range g.K {
					p := a[z*g.ABat+r*g.ARow+k*g.ACol] * b[z*g.BBat+k*g.BRow+c*g.BCol]
					want += p
					total += max(p, -p)
				}
				if v := got[z*g.CBat+r*g.CRow+c]; !same(v, want, total) {
					t.Fatalf("[%d, %d, %d]: got %v, want %v", z, r, c, v, want)
				}
			}
		}
	}
}
