package ndimage

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// TransformOptions are those of transforms.
type TransformOptions struct {
	Border       // Constant with 0 without a mode
	Order  Order // Cubic
}

// begin checks an image and returns it in the type in which it is computed.
func (o *TransformOptions) begin(op string, x *tensor.Tensor) (y *tensor.Tensor, dt tensor.DType) {
	if o.Mode == Auto {
		o.Mode = Constant
	}
	o.check(op, x)
	if o.Order < Cubic || o.Order > Step {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there is no order %d", int(o.Order))
	}
	for d, n := range x.Dims() {
		if n == 0 {
			extend.Shape(op, []*tensor.Tensor{x}, "dim %d has no elements", d)
		}
	}
	return extend.Precise(x)
}

// MapCoordinates returns an image at positions [rank …], in elements, as scipy.ndimage.map_coordinates: the result
// has the dims of the positions after the first. It has gradients with respect to the image and the positions. It
// panics with ErrShape for images without elements and other positions, with ErrDType for complex numbers, and with
// ErrValue for a mode or an order that there is not.
//
//	ndimage.MapCoordinates(x, positions, ndimage.TransformOptions{Order: ndimage.Linear}) // [2 100]: [100]
func MapCoordinates(x, positions *tensor.Tensor, o TransformOptions) *tensor.Tensor {
	const op = "map coordinates"
	y, dt := o.begin(op, x)
	extend.SameDevice(op, x, positions)
	if positions.Rank() < 1 || positions.Dim(0) != x.Rank() || positions.DType().IsComplex() {
		extend.Shape(op, []*tensor.Tensor{x, positions}, "want real positions [%d …], not %v of %v", x.Rank(),
			positions.Dims(), positions.DType())
	}
	shape := positions.Dims()[1:]
	if positions.ElemCount() == 0 {
		return x.Device().Zeros(dt, shape...)
	}
	list := []*tensor.Tensor{}
	for d := range x.Rank() {
		list = append(list, positions.Get(d).ToDType(tensor.F64).FlattenAll())
	}
	return newSamples(y, x.Rank(), o).scattered(list).Reshape(shape...).ToDType(dt)
}

// AffineTransform returns the image whose element at the position p is x at matrix·p + offset, as
// scipy.ndimage.affine_transform: matrix has a row for each dim. shape is that of the result, nil for that of x. It
// panics as MapCoordinates.
//
//	ndimage.AffineTransform(x, [][]float64{{0.5, 0}, {0, 0.5}}, []float64{0, 0}, nil, ndimage.TransformOptions{})
func AffineTransform(x *tensor.Tensor, matrix [][]float64, offset []float64, shape []int, o TransformOptions,
) *tensor.Tensor {
	const op = "affine transform"
	y, dt := o.begin(op, x)
	rank := x.Rank()
	if shape == nil {
		shape = x.Dims()
	}
	good := len(matrix) == rank && len(offset) == rank && len(shape) == rank
	for _, row := range matrix {
		good = good && len(row) == rank
	}
	if !good {
		extend.Shape(op, []*tensor.Tensor{x}, "want a matrix, an offset and a shape of %d dims, not %v, %v and %v", rank,
			matrix, offset, shape)
	}
	return affine(newSamples(y, rank, o), matrix, offset, shape).ToDType(dt)
}

// affine returns samples at a grid of positions times a matrix: the first dims of the result have the shape.
func affine(s samples, matrix [][]float64, offset []float64, shape []int) *tensor.Tensor {
	dev := s.y.Device()
	full := append(append([]int{}, shape...), s.y.Dims()[s.rank:]...)
	for _, n := range shape {
		if n <= 0 {
			return dev.Zeros(s.y.DType(), full...)
		}
	}
	if s.plain() {
		extend.Room("affine transform", s.y.DType(), full...)
		places := placesBy(matrix, offset, shape)
		return s.onHost("affine transform", s.flat(), backend.Product(shape), places).Reshape(full...)
	}
	list := []*tensor.Tensor{}
	for d, row := range matrix {
		c := dev.Full(tensor.F64, offset[d], ones(len(shape))...)
		for k, n := range shape {
			along := ones(len(shape))
			along[k] = n
			c = c.Add(dev.Arange(tensor.F64, float64(n)).Mul(row[k]).Reshape(along...))
		}
		list = append(list, c.BroadcastAs(shape...).Contiguous().FlattenAll())
	}
	return s.scattered(list).Reshape(full...)
}

// Shift returns an image moved by numbers of elements, one for each dim, as scipy.ndimage.shift: what was at p is at p
// + by. It panics as MapCoordinates, and with ErrValue for numbers that are not finite.
func Shift(x *tensor.Tensor, by []float64, o TransformOptions) *tensor.Tensor {
	const op = "shift"
	y, dt := o.begin(op, x)
	if len(by) != x.Rank() {
		extend.Shape(op, []*tensor.Tensor{x}, "want a number for each of %d dims, not %v", x.Rank(), by)
	}
	positions := make([]*tensor.Tensor, x.Rank())
	for d, v := range by {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want finite numbers, not %v", by)
		}
		positions[d] = x.Device().Arange(tensor.F64, float64(x.Dim(d))).Sub(v)
	}
	return extend.Own(newSamples(y, x.Rank(), o).separable(positions).ToDType(dt), x)
}

// Zoom returns an image with factor times as many elements along each dim, rounded, as scipy.ndimage.zoom: the first
// and the last element of a dim stay where they are. factors has one for all dims, or one for each. It panics as
// MapCoordinates, and with ErrValue for factors that are not positive.
//
//	ndimage.Zoom(images, []float64{1, 2, 2}, ndimage.TransformOptions{Order: ndimage.Linear})
func Zoom(x *tensor.Tensor, factors []float64, o TransformOptions) *tensor.Tensor {
	const op = "zoom"
	y, dt := o.begin(op, x)
	if len(factors) != 1 && len(factors) != x.Rank() {
		extend.Shape(op, []*tensor.Tensor{x}, "want a factor for each of %d dims, or one for all, not %v", x.Rank(), factors)
	}
	positions := make([]*tensor.Tensor, x.Rank())
	for d, n := range x.Dims() {
		f := factors[d%len(factors)]
		to := math.RoundToEven(f * float64(n))
		if !(f > 0) || to < 1 || to > 1<<40 {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "the factor %g makes %g of the %d elements of dim %d", f,
				to, n, d)
		}
		if to == float64(n) {
			continue
		}
		step := 1.0
		if to > 1 {
			step = float64(n-1) / (to - 1)
		}
		positions[d] = x.Device().Arange(tensor.F64, to).Mul(step)
	}
	s := newSamples(y, x.Rank(), o)
	if s.pad > 0 || s.degree > 1 { // dims that are not zoomed are evaluated, too
		for d, c := range positions {
			if c == nil {
				positions[d] = x.Device().Arange(tensor.F64, float64(x.Dim(d)))
			}
		}
	}
	return extend.Own(s.separable(positions).ToDType(dt), x)
}

// RotateOptions are those of Rotate.
type RotateOptions struct {
	TransformOptions
	// Dims are those of the plane: 0 and 1, if both are 0.
	Dims [2]int
	// Keep keeps the shape; without it the result has room for the whole image.
	Keep bool
}

// Rotate returns an image rotated in a plane by degrees about its middle, as scipy.ndimage.rotate. It panics as
// MapCoordinates, and with ErrShape for dims that do not make a plane.
//
//	ndimage.Rotate(images, 30, ndimage.RotateOptions{Dims: [2]int{1, 2}}) // [count height width]
func Rotate(x *tensor.Tensor, degrees float64, o RotateOptions) *tensor.Tensor {
	const op = "rotate"
	y, dt := o.begin(op, x)
	if o.Dims == [2]int{} {
		o.Dims[1] = 1
	}
	if math.IsNaN(degrees) || math.IsInf(degrees, 0) {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want a finite angle, not %g", degrees)
	}
	a, b := dimOf(op, x, o.Dims[0]), dimOf(op, x, o.Dims[1])
	if a == b {
		extend.Shape(op, []*tensor.Tensor{x}, "want two dims, not %v", o.Dims)
	}
	a, b = min(a, b), max(a, b)
	sin, cos := math.Sincos(degrees / 180 * math.Pi)
	if quarter := degrees / 90; quarter == math.Trunc(quarter) { // exactly
		k := int(math.Mod(quarter, 4)+4) % 4
		sin, cos = [4]float64{0, 1, 0, -1}[k], [4]float64{1, 0, -1, 0}[k]
	}
	h, w := float64(x.Dim(a)), float64(x.Dim(b))
	shape := []int{x.Dim(a), x.Dim(b)}
	if !o.Keep {
		shape = []int{int(math.Abs(cos)*h + math.Abs(sin)*w + 0.5), int(math.Abs(sin)*h + math.Abs(cos)*w + 0.5)}
	}
	middle := [2]float64{float64(shape[0]-1) / 2, float64(shape[1]-1) / 2}
	offset := []float64{(h-1)/2 - (cos*middle[0] + sin*middle[1]), (w-1)/2 - (-sin*middle[0] + cos*middle[1])}
	order := []int{a, b} // the plane first
	for d := range x.Rank() {
		if d != a && d != b {
			order = append(order, d)
		}
	}
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	s := newSamples(y.Permute(order...), 2, o.TransformOptions)
	return affine(s, [][]float64{{cos, sin}, {-sin, cos}}, offset, shape).Permute(back...).ToDType(dt)
}
