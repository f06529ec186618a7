package sparse_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/sparse"
)

var types = []tensor.DType{tensor.F32, tensor.F64, tensor.C64, tensor.C128}

// onDevices runs f on every device of this machine: an AMD GPU may be the emulated one.
// typesOn are the types, or on an emulated GPU half of them, if not thorough.
func typesOn(dev *tensor.Device, offset int) []tensor.DType {
	if dev.Emulated() {
		return thorough.Sample(types, 2, offset)
	}
	return types
}

// coordinates are elements of a matrix, in any order and some of them at the same position.
type coordinates struct {
	rows, cols int
	r, c       []int64
	v          []complex128
}

// draw returns n elements with small whole numbers, whose sums and products are exact.
func draw(rows, cols, n int, seed uint64) coordinates {
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := coordinates{rows: rows, cols: cols}
	for range n {
		m.r, m.c = append(m.r, int64(rnd.IntN(rows))), append(m.c, int64(rnd.IntN(cols)))
		m.v = append(m.v, complex(float64(rnd.IntN(9)-4), float64(rnd.IntN(9)-4)))
	}
	return m
}

// of returns the values as a tensor; real types have the real parts.
func of(values []complex128, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
	t := dev.New(values)
	if !dt.IsComplex() {
		t = t.Real()
	}
	return t.ToDType(dt)
}

func (m coordinates) matrix(dt tensor.DType, dev *tensor.Device) *sparse.Matrix {
	return sparse.FromCOO(dev.New(m.r), dev.New(m.c), of(m.v, dt, dev), m.rows, m.cols)
}

// dense is the matrix by its definition.
func (m coordinates) dense(dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
	all := make([]complex128, m.rows*m.cols)
	for k, v := range m.v {
		all[m.r[k]*int64(m.cols)+m.c[k]] += v
	}
	return of(all, dt, dev).Reshape(m.rows, m.cols)
}

// same compares elements, which are whole numbers.
func same(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if got.DType() != want.DType() || !slices.Equal(got.Dims(), want.Dims()) {
		t.Errorf("%s: got %v of %v, want %v of %v", what, got.Dims(), got.DType(), want.Dims(), want.DType())
		return
	}
	if !got.Equal(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// sorted fails unless the elements of a matrix are in order, without repetition.
func sorted(t *testing.T, what string, m *sparse.Matrix) {
	t.Helper()
	rows, cols := m.Dims()
	r, c := m.Indices()
	rs, cs, offsets := tensor.ToVec1[uint32](r), tensor.ToVec1[uint32](c), tensor.ToVec1[int64](m.Offsets())
	last := -1
	for k := range rs {
		at := int(rs[k])*cols + int(cs[k])
		if at <= last || int(rs[k]) >= rows || int(cs[k]) >= cols {
			t.Fatalf("%s: element %d is at row %d and column %d", what, k, rs[k], cs[k])
		}
		if k := int64(k); k < offsets[rs[k]] || k >= offsets[rs[k]+1] {
			t.Fatalf("%s: element %d is not in row %d of the offsets %v", what, k, rs[k], offsets)
		}
		last = at
	}
}

var shapes = []struct{ rows, cols, n int }{
	{1, 1, 1}, {5, 7, 12}, {7, 5, 60}, {40, 3, 30}, {3, 200, 400}, {64, 64, 0}, {300, 300, 900}}

func TestMatrix(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for i, s := range shapes {
			for _, dt := range typesOn(dev, i) {
				a, b := draw(s.rows, s.cols, s.n, uint64(i)), draw(s.rows, s.cols, s.n/2, 77)
				m, d := a.matrix(dt, dev), a.dense(dt, dev)
				name := fmt.Sprintf("%v, %v: ", s, dt)
				sorted(t, name, m)
				same(t, name+"dense", m.ToDense(), d)
				same(t, name+"from dense", sparse.FromDense(d).ToDense(), d)
				_, cols := m.Indices()
				same(t, name+"from csr", sparse.FromCSR(m.Offsets(), cols, m.Values(), s.cols).ToDense(), d)
				sorted(t, name+"transposed", m.T())
				same(t, name+"transposed", m.T().ToDense(), d.T())
				same(t, name+"conjugate", m.H().ToDense(), hermitian(d))
				sum := m.Add(b.matrix(dt, dev))
				sorted(t, name+"sum", sum)
				same(t, name+"sum", sum.ToDense(), d.Add(b.dense(dt, dev)))
				same(t, name+"difference", m.Sub(m).ToDense(), d.ZerosLike())
				same(t, name+"times 3", m.Mul(3).ToDense(), d.Mul(3))
				for _, shape := range [][]int{{s.rows, s.cols}, {s.cols}, {s.rows, 1}, {1, 1}} {
					x := dev.Arange(tensor.F64, 1, float64(shape[0]*shape[len(shape)-1]+1))
					if len(shape) == 1 {
						x = dev.Arange(tensor.F64, 1, float64(shape[0]+1))
					}
					x = x.Reshape(shape...).ToDType(dt)
					same(t, fmt.Sprint(name, "times ", shape), m.Mul(x).ToDense(), d.Mul(x))
				}
				same(t, name+"sums of columns", m.Sum(0), d.Sum(0))
				same(t, name+"sums of rows", m.Sum(-1), d.Sum(1))
				diagonal := dev.Eye(dt, max(s.rows, s.cols)).Narrow(0, 0, s.rows).Narrow(1, 0, s.cols)
				same(t, name+"diagonal", m.Diagonal(), d.Mul(diagonal).Sum(1).Narrow(0, 0, min(s.rows, s.cols)))
				same(t, name+"on the CPU", m.ToDevice(tensor.CPU()).ToDense(), d.ToDevice(tensor.CPU()))
			}
		}
		same(t, "identity", sparse.Eye(4, tensor.F64, dev).ToDense(), dev.Eye(tensor.F64, 4))
		// columns of a row in any order, twice the same one, and a row without elements
		m := sparse.FromCSR(dev.New([]int{0, 3, 3, 4}), dev.New([]int{2, 0, 2, 1}),
			dev.New([]float64{1, 2, 3, 4}), 3)
		same(t, "csr in any order", m.ToDense(), dev.New([][]float64{{2, 0, 4}, {0, 0, 0}, {0, 4, 0}}))
	})
}

func hermitian(x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsComplex() {
		return x.H()
	}
	return x.T()
}

func TestProducts(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for i, s := range shapes {
			for _, dt := range typesOn(dev, i) {
				a := draw(s.rows, s.cols, s.n, uint64(i))
				m, d := a.matrix(dt, dev), a.dense(dt, dev)
				name := fmt.Sprintf("%v, %v: ", s, dt)
				for _, n := range []int{0, 1, 2, 5, 8, 70} {
					x := draw(s.cols, max(n, 1), 3*s.cols, 5).dense(dt, dev).Narrow(1, 0, n)
					same(t, fmt.Sprint(name, n, " columns"), m.MatMul(x), d.MatMul(x))
				}
				long := draw(1, 8*s.cols+1, 9*s.cols, 7).dense(dt, dev)
				odd := long.Narrow(1, 1, 8*s.cols).Reshape(s.cols, 8) // not aligned for loads of 16 bytes
				same(t, name+"not aligned", m.MatMul(odd), d.MatMul(odd))
				x := draw(s.cols, 2, 3*s.cols, 5).dense(dt, dev).Narrow(1, 1, 1).Squeeze(1)
				same(t, name+"vector", m.MatMul(x), d.MatMul(x.Unsqueeze(1)).Squeeze(1))
				b := draw(s.cols, 9, 2*s.cols, 6)
				p := m.Product(b.matrix(dt, dev))
				sorted(t, name+"product", p)
				same(t, name+"product", p.ToDense(), d.MatMul(b.dense(dt, dev)))
			}
		}
	})
}

// TestGradients compares the gradients of all operations with those of dense matrices.
func TestGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.C128} {
			a := draw(6, 5, 14, 3)
			pattern := a.matrix(dt, dev)
			r, c := pattern.Indices()
			at := r.ToDType(tensor.I64).Mul(5).Add(c.ToDType(tensor.I64))
			x0, weights := draw(5, 4, 30, 4).dense(dt, dev), draw(6, 4, 40, 5).dense(dt, dev)
			loss := func(y *tensor.Tensor) *tensor.Tensor {
				if dt.IsComplex() {
					return y.Mul(weights.Narrow(1, 0, y.Dim(-1)).Narrow(0, 0, y.Dim(0))).Abs().Sum()
				}
				return y.Mul(weights.Narrow(1, 0, y.Dim(-1)).Narrow(0, 0, y.Dim(0))).Sqr().Sum()
			}
			for name, f := range map[string]struct {
				sparse func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor
				dense  func(d, x *tensor.Tensor) *tensor.Tensor
			}{
				"matmul": {func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor { return m.MatMul(x) },
					func(d, x *tensor.Tensor) *tensor.Tensor { return d.MatMul(x) }},
				"vector": {func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor {
					return m.MatMul(x.Narrow(1, 0, 1).Squeeze(1)).Unsqueeze(1)
				}, func(d, x *tensor.Tensor) *tensor.Tensor { return d.MatMul(x.Narrow(1, 0, 1)) }},
				"transposed": {func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor {
					return m.T().MatMul(m.MatMul(x))
				}, func(d, x *tensor.Tensor) *tensor.Tensor { return d.T().MatMul(d.MatMul(x)) }},
				"sums": {func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor {
					return m.Add(m.Mul(2)).Mul(x.T().Narrow(0, 0, 1)).ToDense().Narrow(1, 0, 4)
				}, func(d, x *tensor.Tensor) *tensor.Tensor {
					return d.Mul(3).Mul(x.T().Narrow(0, 0, 1)).Narrow(1, 0, 4)
				}},
				"product": {func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor {
					return m.Product(m.T()).MatMul(weights).Narrow(1, 0, 2)
				}, func(d, x *tensor.Tensor) *tensor.Tensor {
					return d.MatMul(d.T()).MatMul(weights).Narrow(1, 0, 2)
				}},
				"reductions": {func(m *sparse.Matrix, x *tensor.Tensor) *tensor.Tensor {
					return m.Sum(1).Narrow(0, 0, 5).Mul(m.Sum(0)).Add(m.Diagonal()).Unsqueeze(1)
				}, func(d, x *tensor.Tensor) *tensor.Tensor {
					eye := dev.Eye(dt, 6).Narrow(1, 0, 5)
					return d.Sum(1).Narrow(0, 0, 5).Mul(d.Sum(0)).Add(d.Mul(eye).Sum(0)).Unsqueeze(1)
				}},
			} {
				v, x := tensor.NewVar(pattern.Values()), tensor.NewVar(x0)
				got := loss(f.sparse(pattern.With(v), x)).Backward()
				d, y := tensor.NewVar(a.dense(dt, dev)), tensor.NewVar(x0)
				want := loss(f.dense(d, y)).Backward()
				near(t, fmt.Sprintf("%s of %v: values", name, dt), got.Get(v), want.Get(d).FlattenAll().IndexSelect(at, 0))
				if want.Get(y) != nil {
					near(t, fmt.Sprintf("%s of %v: operand", name, dt), got.Get(x), want.Get(y))
				}
			}
		}
	})
}

// TestSecondGradients compares the gradients of gradients with those of dense matrices.
func TestSecondGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, columns := range []int{1, 3} {
			a := draw(6, 5, 14, 3)
			pattern := a.matrix(tensor.F64, dev)
			r, c := pattern.Indices()
			at := r.ToDType(tensor.I64).Mul(5).Add(c.ToDType(tensor.I64))
			x0 := draw(5, columns, 30, 4).dense(tensor.F64, dev)
			if columns == 1 {
				x0 = x0.Squeeze(1)
			}
			second := func(values, x *tensor.Tensor, y *tensor.Tensor) *tensor.GradStore {
				first := y.Sqr().Sum().BackwardGraph(nil)
				return first.Get(values).Sqr().Sum().Add(first.Get(x).Sqr().Sum()).Backward()
			}
			v, x := tensor.NewVar(pattern.Values()), tensor.NewVar(x0)
			got := second(v, x, pattern.With(v).MatMul(x))
			d, z := tensor.NewVar(pattern.Values()), tensor.NewVar(x0)
			dense := dev.Zeros(tensor.F64, 30).IndexAdd(at, d, 0).Reshape(6, 5)
			product := dense.MatMul(z.Reshape(5, columns))
			want := second(d, z, product)
			near(t, "values", got.Get(v), want.Get(d))
			near(t, "operand", got.Get(x), want.Get(z))
		}
	})
}

func near(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	g, w := tensor.ToVec1[complex128](got.FlattenAll().ToDType(tensor.C128)),
		tensor.ToVec1[complex128](want.FlattenAll().ToDType(tensor.C128))
	for i := range w {
		if len(g) != len(w) || !(cmplx.Abs(g[i]-w[i]) <= 1e-12*(1+cmplx.Abs(w[i]))) {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

// TestFarApart: positions in more rows and columns than are counted.
func TestFarApart(t *testing.T) {
	const high, wide = 1 << 20, 1 << 31
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		rows, cols := []int64{high - 1, 7, high - 1, 0, 7}, []int64{5, wide - 2, 5, wide - 1, 3}
		m := sparse.FromCOO(dev.New(rows), dev.New(cols), tensor.Of(1, 2, 4, 8, 16).ToDevice(dev), high,
			wide)
		r, c := m.Indices()
		same(t, "rows", r, dev.New([]uint32{0, 7, 7, high - 1}))
		same(t, "columns", c, dev.New([]uint32{wide - 1, 3, wide - 2, 5}))
		same(t, "values", m.Values(), tensor.Of(8, 16, 2, 5).ToDevice(dev))
	})
}

// TestRounding: sums are made in F64, so that F32 loses nothing but in its last rounding.
func TestRounding(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		const n = 3000
		rnd := rand.New(rand.NewPCG(1, 1))
		v, x, want := make([]float32, n), make([]float32, n), 0.0
		for i := range v {
			v[i], x[i] = rnd.Float32()-0.5, rnd.Float32()
			want += float64(v[i]) * float64(x[i])
		}
		ids := dev.Arange(tensor.I64, n)
		m := sparse.FromCOO(ids.ZerosLike(), ids, dev.New(v), 1, n)
		for _, columns := range []int{1, 3} {
			y := m.MatMul(dev.New(x).Unsqueeze(1).BroadcastAs(n, columns))
			for _, got := range y.Float64s() {
				if math.Abs(got-want) > 0x1p-23*math.Abs(want) {
					t.Errorf("%d columns: got %v, want %v", columns, got, want)
				}
			}
		}
	})
}

func TestMistakes(t *testing.T) {
	ids := func(v ...int) *tensor.Tensor { return tensor.New(v) }
	v := tensor.Of(1, 2)
	m := sparse.FromCOO(ids(0, 1), ids(0, 2), v, 2, 3)
	eye := sparse.Eye(2, tensor.F32, tensor.CPU())
	for name, c := range map[string]struct {
		run  func()
		kind error
	}{
		"a row beyond":           {func() { sparse.FromCOO(ids(0, 2), ids(0, 0), v, 2, 3) }, tensor.ErrIndex},
		"a negative column":      {func() { sparse.FromCOO(ids(0, 1), ids(0, -1), v, 2, 3) }, tensor.ErrIndex},
		"two lengths":            {func() { sparse.FromCOO(ids(0), ids(0, 1), v, 2, 3) }, tensor.ErrShape},
		"indices that are float": {func() { sparse.FromCOO(v, ids(0, 1), v, 2, 3) }, tensor.ErrDType},
		"integers as elements":   {func() { sparse.FromCOO(ids(0, 1), ids(0, 1), ids(1, 2), 2, 3) }, tensor.ErrDType},
		"a negative size":        {func() { sparse.FromCOO(ids(0, 1), ids(0, 1), v, -2, 3) }, tensor.ErrShape},
		"too large":              {func() { sparse.FromCOO(ids(0, 1), ids(0, 1), v, 1<<33, 3) }, tensor.ErrShape},
		"offsets that descend":   {func() { sparse.FromCSR(ids(0, 2, 1, 2), ids(0, 1), v, 3) }, tensor.ErrIndex},
		"offsets that end early": {func() { sparse.FromCSR(ids(0, 1), ids(0, 1), v, 3) }, tensor.ErrIndex},
		"offsets from 1 on":      {func() { sparse.FromCSR(ids(1, 2), ids(0, 1), v, 3) }, tensor.ErrIndex},
		"no offsets":             {func() { sparse.FromCSR(ids(), ids(0, 1), v, 3) }, tensor.ErrShape},
		"a vector as a matrix":   {func() { sparse.FromDense(v) }, tensor.ErrShape},
		"other inner sizes":      {func() { m.MatMul(v) }, tensor.ErrShape},
		"another type":           {func() { m.MatMul(tensor.Of(1, 2, 3).ToDType(tensor.F64)) }, tensor.ErrDType},
		"a product of others":    {func() { m.Product(m) }, tensor.ErrShape},
		"a sum of others":        {func() { m.Add(m.T()) }, tensor.ErrShape},
		"no broadcast":           {func() { m.Mul(v) }, tensor.ErrShape},
		"other values":           {func() { m.With(tensor.Of(1)) }, tensor.ErrShape},
		"a dim beyond":           {func() { m.Sum(2) }, tensor.ErrIndex},
		"an equation of others":  {func() { sparse.CG(m, v, 1e-6, 9) }, tensor.ErrShape},
		"a right side of F64":    {func() { sparse.CG(eye, v.ToDType(tensor.F64), 1e-6, 9) }, tensor.ErrDType},
		"too few steps":          {func() { sparse.CG(eye, v, 1e-6, 0) }, sparse.ErrConvergence},
		"a negative matrix":      {func() { sparse.CG(eye.Mul(-1), v, 1e-6, 9) }, sparse.ErrConvergence},
		"NaN":                    {func() { sparse.CG(eye, v.Mul(math.NaN()), 1e-6, 9) }, sparse.ErrConvergence},
		"to integers":            {func() { m.ToDType(tensor.I64) }, tensor.ErrDType},
	} {
		err := tensor.Catch(func() error { c.run(); return nil })
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want an error of kind %v", name, err, c.kind)
		}
	}
}
