package gpu_test

import (
	"encoding/binary"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	device "github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/linalg/internal/gpu"
)

var types = []kernels.DType{kernels.F32, kernels.F64, kernels.C64, kernels.C128}

// epsilon is the unit roundoff of a type's parts.
func epsilon(dt kernels.DType) float64 {
	if dt.Real() == kernels.F32 {
		return 0x1p-24
	}
	return 0x1p-53
}

// solver is that of the GPU, or of the emulated one.
func solver(t *testing.T) (*gpu.Solver, backend.Backend) {
	t.Helper()
	b, err := device.Open("rocm")
	if err != nil {
		t.Skip(err)
	}
	s, ok := gpu.On(b)
	if !ok {
		t.Fatal("a GPU has no solver")
	}
	return s, b
}

// matrix has rows of complex numbers; those of real types are real.
type matrix struct {
	rows, cols int
	v          []complex128
}

func zeros(rows, cols int) matrix { return matrix{rows, cols, make([]complex128, rows*cols)} }

func identity(n int) matrix {
	x := zeros(n, n)
	for i := range n {
		x.set(i, i, 1)
	}
	return x
}

func (x matrix) at(i, j int) complex128     { return x.v[i*x.cols+j] }
func (x matrix) set(i, j int, z complex128) { x.v[i*x.cols+j] = z }

// random has normally distributed elements, as the type can represent them.
func random(dt kernels.DType, rows, cols int, r *rand.Rand) matrix {
	x := zeros(rows, cols)
	for i := range x.v {
		x.v[i] = complex(r.NormFloat64(), 0)
		if dt.IsComplex() {
			x.v[i] += complex(0, r.NormFloat64())
		}
	}
	return x.rounded(dt)
}

// rounded is x with elements that the type can represent.
func (x matrix) rounded(dt kernels.DType) matrix {
	return decode(dt, x.rows, x.cols, encode(dt, x))
}

func (x matrix) adjoint() matrix {
	y := zeros(x.cols, x.rows)
	for i := range x.rows {
		for j := range x.cols {
			y.set(j, i, cmplx.Conj(x.at(i, j)))
		}
	}
	return y
}

func (x matrix) times(y matrix) matrix {
	z := zeros(x.rows, y.cols)
	for i := range x.rows {
		for k := range x.cols {
			f := x.at(i, k)
			for j := range y.cols {
				z.v[i*z.cols+j] += f * y.at(k, j)
			}
		}
	}
	return z
}

func (x matrix) minus(y matrix) matrix {
	z := zeros(x.rows, x.cols)
	for i := range z.v {
		z.v[i] = x.v[i] - y.v[i]
	}
	return z
}

// mapped is x with f of each element.
func (x matrix) mapped(f func(i, j int, z complex128) complex128) matrix {
	y := zeros(x.rows, x.cols)
	for i := range x.rows {
		for j := range x.cols {
			y.set(i, j, f(i, j, x.at(i, j)))
		}
	}
	return y
}

// norm is Frobenius's.
func (x matrix) norm() float64 {
	sum := 0.0
	for _, z := range x.v {
		sum += real(z)*real(z) + imag(z)*imag(z)
	}
	return math.Sqrt(sum)
}

// encode gives the elements of matrices their bytes.
func encode(dt kernels.DType, xs ...matrix) (b []byte) {
	for _, x := range xs {
		for _, z := range x.v {
			b = appendReal(b, dt.Real(), real(z))
			if dt.IsComplex() {
				b = appendReal(b, dt.Real(), imag(z))
			}
		}
	}
	return b
}

func appendReal(b []byte, dt kernels.DType, x float64) []byte {
	if dt == kernels.F32 {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

func decode(dt kernels.DType, rows, cols int, b []byte) matrix {
	x := zeros(rows, cols)
	part := func(i int) float64 {
		if dt.Real() == kernels.F32 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	for i := range x.v {
		if dt.IsComplex() {
			x.v[i] = complex(part(2*i), part(2*i+1))
		} else {
			x.v[i] = complex(part(i), 0)
		}
	}
	return x
}

// upload is a batch of matrices on the device, behind an element that is none of theirs.
func upload(t *testing.T, b backend.Backend, dt kernels.DType, xs ...matrix) backend.Operand {
	t.Helper()
	store, err := b.Upload(append(make([]byte, dt.Size()), encode(dt, xs...)...))
	if err != nil {
		t.Fatal(err)
	}
	l := backend.Dense([]int{len(xs), xs[0].rows, xs[0].cols})
	l.Offset = 1
	return backend.Operand{Store: store, DType: dt, Layout: l}
}

// download returns the matrices of a result.
func download(t *testing.T, b backend.Backend, dt kernels.DType, s backend.Storage, batch, rows, cols int) []matrix {
	t.Helper()
	data := bytesOf(t, b, s, batch*rows*cols*dt.Size())
	xs := make([]matrix, batch)
	for i := range xs {
		size := rows * cols * dt.Size()
		xs[i] = decode(dt, rows, cols, data[i*size:(i+1)*size])
	}
	return xs
}

func integers(t *testing.T, b backend.Backend, s backend.Storage, n int) []int {
	t.Helper()
	data, out := bytesOf(t, b, s, 4*n), make([]int, n)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return out
}

func bytesOf(t *testing.T, b backend.Backend, s backend.Storage, n int) []byte {
	t.Helper()
	if s.Size() != n {
		t.Fatalf("a result has %d bytes, want %d", s.Size(), n)
	}
	data := make([]byte, n)
	if err := b.Download(data, s, 0); err != nil {
		t.Fatal(err)
	}
	return data
}

// done fails the test where a solver failed or did not take the work.
func done(t *testing.T, ok bool, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Fatal("the solver did not take the matrices")
	}
}

// within fails where an error is larger than so many units of roundoff, or NaN.
func within(t *testing.T, what string, dt kernels.DType, got, scale float64, units int) {
	t.Helper()
	if limit := float64(units) * epsilon(dt) * scale; !(got <= limit) {
		t.Errorf("%s: %.3g, want at most %.3g", what, got, limit)
	}
}

// orthonormal fails where the columns of q are not.
func orthonormal(t *testing.T, what string, dt kernels.DType, q matrix) {
	t.Helper()
	within(t, what+" is not orthonormal", dt, q.adjoint().times(q).minus(identity(q.cols)).norm(), 1, 10*(q.rows+4))
}

// sides are those of matrices in the tests: fewer than, as many as and more than the threads of a group.
var sides = []int{1, 2, 3, 5, 8, 17, 31, 32, 33, 50, 64}
