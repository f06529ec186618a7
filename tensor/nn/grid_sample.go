package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// GridOptions says where the positions of a grid are.
type GridOptions struct {
	AlignCorners bool // -1 and 1 are the centres of the first and last elements; otherwise their outer borders
	// Mode says what is beyond the borders, as for Pad: nil or 0, tensor.Replicate (border in PyTorch), or
	// tensor.Reflect (reflection).
	Mode any
}

// GridSample returns the elements of x [batch channels …] at the positions of a grid [batch … dims]: [batch channels …]
// with the sizes of the grid. x has as many spatial dims as a position has numbers, and so has the grid; the first
// number is along the last dim of x, as in (x, y) of an image. They are from -1 to 1 within x. kind is ByLinear or
// ByNearest, which rounds halves to even. Outside, a position of NaN is 0, and NaN with another Mode but for ByNearest.
// Computed in the type of x, F16, BF16 and F8E4M3 in F32; x and grid have gradients. It panics with ErrShape for shapes
// that do not fit and for other kinds and modes, and with ErrDType for integers.
func GridSample(x, grid *tensor.Tensor, kind Interpolation, o GridOptions) *tensor.Tensor {
	const op = "grid sample"
	both, n := []*tensor.Tensor{x, grid}, x.Rank()-2
	extend.SameDevice(op, both...)
	if n < 1 || grid.Rank() != n+2 || grid.Dim(-1) != n || grid.Dim(0) != x.Dim(0) {
		extend.Shape(op, both, "want x [batch channels …] and a grid [batch … dims] of its batch and rank, not shapes %v and %v",
			x.Dims(), grid.Dims())
	}
	resizable(op, x, x.Dims()[2:])
	if !x.DType().IsFloat() || !grid.DType().IsFloat() {
		extend.DType(op, both, "want floats, not %v and %v", x.DType(), grid.DType())
	}
	if kind != ByLinear && kind != ByNearest || o.Mode != nil && o.Mode != 0 && o.Mode != tensor.Replicate &&
		o.Mode != tensor.Reflect {
		extend.Shape(op, both, "want nn.ByLinear or nn.ByNearest, and zeros, tensor.Replicate or tensor.Reflect; not %v and %v",
			kind, o.Mode)
	}
	w := extend.Wide(x)
	g := grid.ToDType(w.DType())
	corners := []corner{{}}
	for i := range n {
		at := o.position(g.Narrow(-1, n-1-i, 1).Squeeze(-1), x.Dim(2+i))
		var next []corner
		for _, c := range corners {
			next = append(next, c.beside(at, x.Dim(2+i), kind)...)
		}
		corners = next
	}
	flat, points := w.FlattenFrom(2), []int{x.Dim(0), x.Dim(1), count(grid.Dims()[1 : n+1])}
	var y *tensor.Tensor
	for _, c := range corners {
		row := []int{points[0], 1, points[2]}
		v := flat.Gather(c.index.Reshape(row...).BroadcastAs(points...), 2)
		if c.weight != nil {
			v = v.Mul(c.weight.Reshape(row...))
		}
		if v = c.inside.Reshape(row...).WhereCond(v, 0); y != nil {
			v = y.Add(v)
		}
		y = v
	}
	return y.Reshape(slices.Concat(points[:2], grid.Dims()[1:n+1])...).ToDType(x.DType())
}

// position returns that of elements among n, from numbers between -1 and 1.
func (o GridOptions) position(g *tensor.Tensor, n int) *tensor.Tensor {
	low, span := -0.5, float64(n)
	if o.AlignCorners {
		low, span = 0, float64(n-1)
	}
	at := g.Affine(span/2, span/2+low)
	switch {
	case o.Mode == tensor.Reflect && span == 0:
		at = at.Mul(0)
	case o.Mode == tensor.Reflect:
		far := at.Sub(low).Abs()
		far = far.Sub(far.Div(2 * span).Floor().Mul(2 * span))
		at = far.Sub(span).Abs().Affine(-1, span+low)
	}
	if o.Mode == tensor.Replicate || o.Mode == tensor.Reflect {
		return at.Clamp(0, n-1)
	}
	return at
}

// corner is one of the elements around the positions of a grid: its index in row-major order, its weight, nil for 1,
// and whether it is inside.
type corner struct{ index, weight, inside *tensor.Tensor }

// beside returns the corners in one more dim of n elements.
func (c corner) beside(at *tensor.Tensor, n int, kind Interpolation) []corner {
	floor := at.Detach().Floor()
	fraction := at.Sub(floor)
	if kind == ByNearest { // halves to the even neighbour
		half := fraction.Eq(0.5).And(floor.Mod(2).Ne(0))
		return []corner{c.with(floor.Add(fraction.Gt(0.5).Or(half).ToDType(floor.DType())), nil, n)}
	}
	return []corner{c.with(floor, fraction.Affine(-1, 1), n), c.with(floor.Add(1), fraction, n)}
}

// with returns the corner with a position and a weight in one more dim.
func (c corner) with(at, weight *tensor.Tensor, n int) corner {
	inside := at.Ge(0).And(at.Le(n - 1))
	next := corner{inside.WhereCond(at.Detach(), 0).ToDType(tensor.I64), weight, inside}
	if c.index != nil {
		next.index, next.inside = c.index.Mul(n).Add(next.index), c.inside.And(inside)
	}
	if c.weight != nil {
		next.weight = c.weight.Mul(weight)
	}
	return next
}

// AffineGrid returns the grid [batch … dims] of the positions of sizes under affine maps theta [batch dims dims+1]: a
// matrix and, in the last column, a translation, for positions (x, y, …) from -1 to 1 as GridSample has them. It panics
// with ErrShape for other shapes and for sizes below 1.
//
//	half := dev.New([][][]float32{{{0.5, 0, 0}, {0, 0.5, 0}}}) // the middle of an image, enlarged
//	nn.GridSample(x, nn.AffineGrid(half, []int{h, w}, false), nn.ByLinear, nn.GridOptions{})
func AffineGrid(theta *tensor.Tensor, sizes []int, alignCorners bool) *tensor.Tensor {
	const op = "affine grid"
	n := len(sizes)
	if n == 0 || theta.Rank() != 3 || theta.Dim(1) != n || theta.Dim(2) != n+1 {
		extend.Shape(op, []*tensor.Tensor{theta}, "want theta [batch %d %d] for sizes %v, not shape %v", n, n+1, sizes,
			theta.Dims())
	}
	if !theta.DType().IsFloat() {
		extend.DType(op, []*tensor.Tensor{theta}, "want floats, not %v", theta.DType())
	}
	windows.Spread(op, "size", theta, sizes, n, 1, 1)
	wide := extend.Wide(theta)
	columns := make([]*tensor.Tensor, n+1)
	for i, size := range sizes {
		line, centres := extend.OnHost[float64](op, tensor.F64, size)
		for j := range centres {
			centres[j] = 0
			if !alignCorners {
				centres[j] = (2*float64(j)+1)/float64(size) - 1
			} else if size > 1 {
				centres[j] = 2*float64(j)/float64(size-1) - 1
			}
		}
		shape := append([]int{size}, make([]int, n-1-i)...)
		for j := range shape[1:] {
			shape[1+j] = 1
		}
		columns[n-1-i] = line.Reshape(shape...).ToDevice(theta.Device()).BroadcastAs(sizes...).FlattenAll()
	}
	columns[n] = columns[0].FullLike(1)
	points := tensor.Stack(columns, 1).ToDType(wide.DType()) // [points dims+1]
	return points.MatMul(wide.T()).Reshape(slices.Concat(theta.Dims()[:1], sizes, []int{n})...).ToDType(theta.DType())
}
