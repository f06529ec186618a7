package diffusion

import (
	"github.com/gorocm/gorocm/tensor"
)

// encodeTiles reads pictures, in tiles if Tile says so.
func (v *VAE) encodeTiles(x *tensor.Tensor) *tensor.Tensor {
	f := v.Config.Factor()
	return inTiles(x, v.Tile/f*f, func(n int) int { return n / f }, v.encode)
}

// decodeTiles makes pictures, in tiles if Tile says so.
func (v *VAE) decodeTiles(x *tensor.Tensor) *tensor.Tensor {
	f := v.Config.Factor()
	return inTiles(x, v.Tile/f, func(n int) int { return n * f }, v.decode)
}

// inTiles calls f with overlapping tiles of x [n channels height width] of a size, and joins what it gives of them,
// whose sizes are those of sized. A tile goes over into that above and that on the left: they differ, as tiles do not
// see each other, and pictures have no seams so. It is f of x if x is no larger than a tile, or the size is 0.
func inTiles(x *tensor.Tensor, size int, sized func(int) int, f tensor.Func) *tensor.Tensor {
	if size <= 0 || x.Dim(2) <= size && x.Dim(3) <= size {
		return tensor.Scoped(func() *tensor.Tensor { return f(x) })
	}
	step := max(size*3/4, 1)
	blend := sized(size) / 4
	keep := sized(size) - blend
	var rows []*tensor.Tensor
	var above []*tensor.Tensor
	for top := 0; top < x.Dim(2); top += step {
		var row, parts []*tensor.Tensor
		for left := 0; left < x.Dim(3); left += step {
			tile := x.Narrow(2, top, min(size, x.Dim(2)-top)).Narrow(3, left, min(size, x.Dim(3)-left))
			y := tensor.Scoped(func() *tensor.Tensor { return f(tile.Contiguous()) })
			if above != nil {
				y = blended(above[len(row)], y, 2, blend)
			}
			if len(row) > 0 {
				y = blended(row[len(row)-1], y, 3, blend)
			}
			row = append(row, y)
			parts = append(parts, y.Narrow(2, 0, min(keep, y.Dim(2))).Narrow(3, 0, min(keep, y.Dim(3))))
		}
		rows, above = append(rows, tensor.Cat(parts, 3)), row
	}
	return tensor.Cat(rows, 2)
}

// blended is y, whose first elements along a dim go over from the last ones of before.
func blended(before, y *tensor.Tensor, dim, extent int) *tensor.Tensor {
	n := min(extent, before.Dim(dim), y.Dim(dim))
	if n == 0 {
		return y
	}
	shape := []int{1, 1, 1, 1}
	shape[dim] = n
	weights := y.Device().Arange(tensor.F32, float64(n)).Mul(1 / float64(n)).Reshape(shape...).ToDType(y.DType())
	edge := before.Narrow(dim, before.Dim(dim)-n, n).Lerp(y.Narrow(dim, 0, n), weights)
	return tensor.Cat([]*tensor.Tensor{edge, y.Narrow(dim, n, y.Dim(dim)-n)}, dim)
}
