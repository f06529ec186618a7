package ndimage

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Binary says how binary morphology looks around elements. Images are what is not 0 in tensors of any type; results are
// of Bool.
type Binary struct {
	// Structure, of the rank of the image, is not 0 where it looks: BinaryStructure(rank, 1) without it.
	Structure *tensor.Tensor
	// Iterations is how often: 1. With a negative number it goes on until nothing changes. Where that never happens it
	// panics with ErrValue: by a structure that is 0 in its middle, parts of an image may go to and fro.
	Iterations int
	// Mask, of the shape of the image, is not 0 where elements may change.
	Mask *tensor.Tensor
	// Outside is what is beyond the borders.
	Outside bool
}

// BinaryStructure returns a box of 3 elements along each of rank dims that is true where at most connectivity indices
// differ from the middle, as scipy.ndimage.generate_binary_structure: with 1 the neighbours along the dims, with rank
// all. It panics with ErrValue for a rank below 1 or above 8.
func BinaryStructure(rank, connectivity int) *tensor.Tensor {
	if rank < 1 || rank > 8 {
		extend.Fail("binary structure", tensor.ErrValue, nil, "", "want a rank of 1 to 8, not %d", rank)
	}
	shape := slices.Repeat([]int{3}, rank)
	offsets := grid("binary structure", shape, false)
	list := make([]bool, len(offsets))
	for i, o := range offsets {
		away := 0
		for _, v := range o {
			away += v * v
		}
		list[i] = away <= max(1, connectivity)
	}
	return tensor.CPU().FromSlice(list, shape...)
}

// BinaryErosion returns where the structure around an element is in the image, as scipy.ndimage.binary_erosion. It
// panics with ErrShape for a structure of another rank and a mask of another shape.
func BinaryErosion(x *tensor.Tensor, b Binary) *tensor.Tensor {
	return b.apply("binary erosion", x, false)
}

// BinaryDilation returns where the structure around an element of the image is, as scipy.ndimage.binary_dilation. It
// panics as BinaryErosion.
func BinaryDilation(x *tensor.Tensor, b Binary) *tensor.Tensor {
	return b.apply("binary dilation", x, true)
}

// BinaryOpening is a dilation of the erosion, which takes away small parts, as scipy.ndimage.binary_opening.
func BinaryOpening(x *tensor.Tensor, b Binary) *tensor.Tensor {
	return BinaryDilation(BinaryErosion(x, b), b)
}

// BinaryClosing is an erosion of the dilation, which takes away small holes, as scipy.ndimage.binary_closing. The
// border of an image is eroded, unless Outside is true.
func BinaryClosing(x *tensor.Tensor, b Binary) *tensor.Tensor {
	return BinaryErosion(BinaryDilation(x, b), b)
}

// BinaryPropagation is a dilation within the mask until nothing changes, as scipy.ndimage.binary_propagation.
func BinaryPropagation(x *tensor.Tensor, b Binary) *tensor.Tensor {
	b.Iterations = -1
	return BinaryDilation(x, b)
}

// BinaryFillHoles returns the image with the parts of its complement that the outside does not reach, as
// scipy.ndimage.binary_fill_holes. structure may be nil.
func BinaryFillHoles(x, structure *tensor.Tensor) *tensor.Tensor {
	const op = "binary fill holes"
	Border{}.check(op, x)
	free := x.Eq(0)
	reached := BinaryPropagation(free.ZerosLike(), Binary{Structure: structure, Mask: free, Outside: true})
	return reached.Not()
}

func (b Binary) apply(op string, x *tensor.Tensor, dilate bool) *tensor.Tensor {
	Border{}.check(op, x)
	x = x.Detach().Ne(0)
	structure := b.Structure
	if structure == nil {
		structure = BinaryStructure(x.Rank(), 1)
	}
	w := window{footprint(op, x, structure, dilate), Border{Mode: Constant}}
	if b.Outside {
		w.border.Value = 1
	}
	of := (*tensor.Tensor).And
	if dilate {
		of = (*tensor.Tensor).Or
	}
	mask := b.Mask
	if mask != nil {
		extend.SameDevice(op, x, mask)
		if !slices.Equal(x.Dims(), mask.Dims()) {
			extend.Shape(op, []*tensor.Tensor{x, mask}, "want a mask of the shape of the image")
		}
		mask = mask.Detach().Ne(0)
	}
	times := b.Iterations
	if times == 0 {
		times = 1
	}
	earlier, after := x, 1 // Brent's method: where images repeat, this one comes again
	for step := 1; times != 0 && x.ElemCount() > 0; times-- {
		views := w.around(x.ToDType(tensor.U8))
		y := views[0].Ne(0)
		for _, v := range views[1:] {
			y = of(y, v.Ne(0))
		}
		if mask != nil {
			y = mask.WhereCond(y, x)
		}
		if times < 0 && y.Ne(x).Any().ToScalar() == 0 {
			break
		}
		if times < 0 && y.Ne(earlier).Any().ToScalar() == 0 {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x, structure},
				"set Iterations to a number above 0, or the middle of Structure to 1",
				"it does not end: the image comes again after every %d iterations", step)
		}
		x = y
		if step++; step > after {
			earlier, step, after = y, 1, 2*after
		}
	}
	return x
}
