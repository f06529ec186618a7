package interpolate

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// Kernel is a function of the distance r of two points, times Epsilon.
type Kernel int

// The kernels of RBF.
const (
	ThinPlate           Kernel = iota // r²·log r
	LinearKernel                      // -r
	CubicKernel                       // r³
	QuinticKernel                     // -r⁵
	Gaussian                          // exp(-r²)
	Multiquadric                      // -√(1+r²)
	InverseMultiquadric               // 1/√(1+r²)
	InverseQuadratic                  // 1/(1+r²)
)

// kernels have the degrees of polynomials that they need, -1 for none.
var kernels = []struct {
	name   string
	degree int
}{{"ThinPlate", 1}, {"LinearKernel", 0}, {"CubicKernel", 1}, {"QuinticKernel", 2}, {"Gaussian", -1}, {"Multiquadric", 0},
	{"InverseMultiquadric", -1}, {"InverseQuadratic", -1}}

func (k Kernel) String() string {
	if k < ThinPlate || int(k) >= len(kernels) {
		return fmt.Sprintf("Kernel(%d)", int(k))
	}
	return kernels[k].name
}

// RBFOptions are those of RBF.
type RBFOptions struct {
	Kernel Kernel // ThinPlate
	// Epsilon scales distances; kernels that have a width need it: 1.
	Epsilon float64
	// Smoothing is added to the diagonal of the system: with 0 the function goes through the points, with more near
	// them.
	Smoothing float64
	// Degree is that of the polynomial that is added: what the kernel needs, and 0 or more. -1 is no polynomial.
	Degree *int
}

// RBFInterpolant is a function of d numbers through scattered points, or near them.
type RBFInterpolant struct {
	points       *tensor.Tensor // [n d] in F64
	weights      *tensor.Tensor // [n+m, values]
	kernel       Kernel
	epsilon      float64
	powers       [][]int        // of the m monomials
	shift, scale *tensor.Tensor // of positions in monomials, [d]
	shape        []int          // of a value
	dt           tensor.DType
}

const opRBF = "rbf"

// RBF returns the function through scattered points [n d] with values [n …] that is a sum of kernels around the points,
// and of a polynomial, as scipy.interpolate.RBFInterpolator. It computes in F64, also for values of other types, on the
// device of the values. The system of n equations takes a time that grows with the third power of n: it is for up to
// some thousand points. It panics with ErrShape for other shapes and less points than the polynomial has terms, with
// ErrValue for points that repeat without Smoothing, and with linalg.ErrSingular for points that do not determine the
// polynomial, such as points on a line.
//
//	f := interpolate.RBF(points, values, interpolate.RBFOptions{}) // points [100 2]
//	f.At(places)                                                   // [… 2]
func RBF(points, values *tensor.Tensor, o RBFOptions) *RBFInterpolant {
	extend.SameDevice(opRBF, points, values)
	both := []*tensor.Tensor{points, values}
	if points.Rank() != 2 || values.Rank() == 0 || points.Dim(0) != values.Dim(0) || points.Dim(1) == 0 ||
		values.ElemCount() == 0 {
		extend.Shape(opRBF, both, "want points [n d] and values [n …], not %v and %v", points.Dims(), values.Dims())
	}
	if points.DType().IsComplex() || values.DType().IsComplex() {
		extend.Fail(opRBF, tensor.ErrDType, both, "values.ViewAsReal() has the parts as a last dim",
			"want real numbers, not %v and %v", points.DType(), values.DType())
	}
	if o.Kernel < ThinPlate || int(o.Kernel) >= len(kernels) {
		extend.Fail(opRBF, tensor.ErrValue, nil, "", "there is no kernel %d", int(o.Kernel))
	}
	if !(o.Epsilon >= 0) || !(o.Smoothing >= 0) {
		extend.Fail(opRBF, tensor.ErrValue, nil, "0 is the default", "Epsilon is %g, Smoothing %g", o.Epsilon,
			o.Smoothing)
	}
	if o.Epsilon == 0 {
		o.Epsilon = 1
	}
	_, dt := extend.Precise(values)
	n, d := points.Dim(0), points.Dim(1)
	f := &RBFInterpolant{points: points.Detach().ToDType(tensor.F64), kernel: o.Kernel, epsilon: o.Epsilon,
		shape: values.Dims()[1:], dt: dt}
	f.powers = monomials(d, degree(o))
	low, high := f.points.Min(0), f.points.Max(0)
	f.shift, f.scale = low.Add(high).Mul(0.5), high.Sub(low).Mul(0.5)
	f.scale = f.scale.Eq(0).WhereCond(1, f.scale)
	m := len(f.powers)
	if n < m {
		extend.Shape(opRBF, both, "want %d points or more for the terms of the polynomial, not %d", m, n)
	}
	matrix := f.terms(f.points)
	f.determined(matrix.Detach(), o.Smoothing > 0, both)
	if o.Smoothing > 0 {
		matrix = matrix.Add(matrix.Device().Eye(tensor.F64, n).Mul(o.Smoothing).Pad(1, 0, m, 0))
	}
	right := values.ToDType(tensor.F64).Reshape(n, -1)
	if m > 0 {
		below := matrix.Narrow(1, n, m).T().Pad(1, 0, m, 0)
		matrix, right = tensor.Cat([]*tensor.Tensor{matrix, below}, 0), right.Pad(0, 0, m, 0)
	}
	f.weights = linalg.Solve(matrix, right)
	return f
}

// determined checks that the points determine the function: a system that is singular need not be found to be, when it
// is solved.
func (f *RBFInterpolant) determined(matrix *tensor.Tensor, smooth bool, both []*tensor.Tensor) {
	n, m := f.points.Dim(0), len(f.powers)
	if m > 0 && int(linalg.MatrixRank(matrix.Narrow(1, n, m)).ToScalar()) < m {
		extend.Fail(opRBF, linalg.ErrSingular, both, "LinearKernel takes points on a line",
			"the points do not determine the polynomial: all are on a line, or on another set of lower dimension")
	}
	if smooth {
		return
	}
	seen := map[string]int{}
	for i, row := range f.points.ToVec2() {
		key := fmt.Sprint(row)
		if before, ok := seen[key]; ok {
			extend.Fail(opRBF, tensor.ErrValue, both, "take the mean of values at the same position",
				"points %d and %d are the same: %.6g", before, i, row)
		}
		seen[key] = i
	}
}

// degree returns that of the polynomial.
func degree(o RBFOptions) int {
	need := kernels[o.Kernel].degree
	if o.Degree == nil {
		return max(need, 0)
	}
	if *o.Degree < max(need, -1) || *o.Degree > 10 {
		extend.Fail(opRBF, tensor.ErrValue, nil, "", "want a degree of %d to 10 for %v, not %d", need, o.Kernel,
			*o.Degree)
	}
	return *o.Degree
}

// monomials returns the powers of those of d variables up to a degree.
func monomials(d, degree int) [][]int {
	if degree < 0 {
		return nil
	}
	all := [][]int{}
	var add func(powers []int, left int)
	add = func(powers []int, left int) {
		if len(powers) == d {
			all = append(all, append([]int{}, powers...))
			return
		}
		for p := range left + 1 {
			add(append(powers, p), left-p)
		}
	}
	add(make([]int, 0, d), degree)
	return all
}

// terms returns the kernels around all points, and the monomials, at positions [q d]: [q n+m].
func (f *RBFInterpolant) terms(x *tensor.Tensor) *tensor.Tensor {
	square := x.Unsqueeze(1).Sub(f.points).Sqr().Sum(2).Mul(f.epsilon * f.epsilon)
	parts := []*tensor.Tensor{f.kernel.of(square)}
	u := x.Sub(f.shift).Div(f.scale)
	for _, powers := range f.powers {
		term := u.GetOnDim(1, 0).OnesLike()
		for i, p := range powers {
			for range p {
				term = term.Mul(u.GetOnDim(1, i))
			}
		}
		parts = append(parts, term.Unsqueeze(1))
	}
	return tensor.Cat(parts, 1)
}

// of returns the kernel for squares of distances. Gradients at a distance of 0 are 0.
func (k Kernel) of(square *tensor.Tensor) *tensor.Tensor {
	apart := square.Ne(0)
	safe := apart.WhereCond(square, 1)
	switch k {
	case ThinPlate:
		return square.Mul(safe.Log()).Mul(0.5)
	case LinearKernel:
		return apart.WhereCond(safe.Sqrt().Neg(), square)
	case CubicKernel:
		return square.Mul(safe.Sqrt())
	case QuinticKernel:
		return square.Sqr().Mul(safe.Sqrt()).Neg()
	case Gaussian:
		return square.Neg().Exp()
	case Multiquadric:
		return square.Add(1).Sqrt().Neg()
	case InverseMultiquadric:
		return square.Add(1).Rsqrt()
	}
	return square.Add(1).Recip()
}

// At returns the values at places x [… d], on the device of the values: the dims of x before the last one, then those
// of a value. It has gradients with respect to x and to the values. It panics with ErrShape for places of another
// number of dims.
func (f *RBFInterpolant) At(x *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice(opRBF, f.points, x)
	n, d := f.points.Dim(0), f.points.Dim(1)
	if x.Rank() == 0 || x.Dim(-1) != d {
		extend.Shape(opRBF, []*tensor.Tensor{x}, "want places [… %d], not %v", d, x.Dims())
	}
	flat := x.ToDType(tensor.F64).Reshape(x.ElemCount()/d, d)
	shape := append(x.Dims()[:x.Rank()-1], f.shape...)
	if flat.Dim(0) == 0 {
		return x.Device().Zeros(f.dt, shape...)
	}
	size := max(1, 1<<23/(n*d)) // places at once, for 64 MiB
	var parts []*tensor.Tensor
	for _, some := range flat.Split(size, 0) {
		parts = append(parts, f.terms(some).MatMul(f.weights))
	}
	return tensor.Cat(parts, 0).Reshape(shape...).ToDType(f.dt)
}
