package ndimage

import (
	"github.com/gorocm/gorocm/tensor"
)

// Grey says around which elements grey morphology looks: those of a box, with one size for all dims or one for each, or
// where Footprint, of the rank of the image, is not 0. Without both it is a box of 3.
type Grey struct {
	Border
	Sizes     []int
	Footprint *tensor.Tensor
}

// GreyErosion returns the minima around each element, as scipy.ndimage.grey_erosion. NaN propagates. The result has the
// type of x. It panics as MedianFilter.
func GreyErosion(x *tensor.Tensor, g Grey) *tensor.Tensor {
	return g.apply("grey erosion", x, false, minimum)
}

// GreyDilation returns the maxima around each element, with the footprint in reverse order, as
// scipy.ndimage.grey_dilation. It panics as GreyErosion.
func GreyDilation(x *tensor.Tensor, g Grey) *tensor.Tensor {
	return g.apply("grey dilation", x, true, maximum)
}

// GreyOpening is a dilation of the erosion, which takes away what is bright and small, as scipy.ndimage.grey_opening.
func GreyOpening(x *tensor.Tensor, g Grey) *tensor.Tensor { return GreyDilation(GreyErosion(x, g), g) }

// GreyClosing is an erosion of the dilation, which takes away what is dark and small, as scipy.ndimage.grey_closing.
func GreyClosing(x *tensor.Tensor, g Grey) *tensor.Tensor { return GreyErosion(GreyDilation(x, g), g) }

// MorphologicalGradient is the dilation less the erosion, as scipy.ndimage.morphological_gradient.
func MorphologicalGradient(x *tensor.Tensor, g Grey) *tensor.Tensor {
	return GreyDilation(x, g).Sub(GreyErosion(x, g))
}

// WhiteTopHat is x less its opening, as scipy.ndimage.white_tophat.
func WhiteTopHat(x *tensor.Tensor, g Grey) *tensor.Tensor { return x.Sub(GreyOpening(x, g)) }

// BlackTopHat is the closing of x less x, as scipy.ndimage.black_tophat.
func BlackTopHat(x *tensor.Tensor, g Grey) *tensor.Tensor { return GreyClosing(x, g).Sub(x) }

func (g Grey) apply(op string, x *tensor.Tensor, flipped bool, of func(x, y *tensor.Tensor) *tensor.Tensor,
) *tensor.Tensor {
	g.check(op, x)
	if g.Footprint == nil {
		if len(g.Sizes) == 0 {
			g.Sizes = []int{3}
		}
		return boxes(x, sizesOf(op, x, g.Sizes), flipped, g.Border, of)
	}
	offsets := footprint(op, x, g.Footprint, flipped)
	if x.ElemCount() == 0 {
		return x.Copy()
	}
	views := window{offsets, g.Border}.around(x)
	y := views[0]
	for _, v := range views[1:] {
		y = of(y, v)
	}
	if len(views) == 1 {
		y = y.Copy()
	}
	return y
}
