package vision

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// PixelRange is how Qwen2-VL resizes an image: to sides of a multiple of pixels, of its proportion as far as that goes,
// which have from Least to Most pixels together. With a smaller Most an image has fewer tokens.
type PixelRange struct {
	Least, Most int // pixels of the whole image
	Multiple    int // of the sides
	Resize      bool
}

// mostProportion is how many times as long as the other one a side may be.
const mostProportion = 200

// pixelRange is that of preprocessor_config.json, and how its bytes become numbers.
func (j *jsonProcessor) pixelRange() (*Processor, *PixelRange, error) {
	kind, short := j.kind()
	if short != "Qwen2VL" && short != "Qwen2_5_VL" && short != "Qwen2_5VL" {
		return nil, nil, fmt.Errorf("vision: the image processor %q is not supported: want Qwen2VLImageProcessor", kind)
	}
	p := &Processor{Filter: Bicubic, Rescale: true, Factor: 1.0 / 255, Normalize: true, Mean: clipMean, Std: clipStd}
	r := &PixelRange{Least: 56 * 56, Most: 28 * 28 * 1280, Multiple: 14 * 2, Resize: true}
	j.numbers(p)
	set(&r.Resize, j.Resize)
	if s := j.Size; s != nil {
		if s.Shortest == 0 || s.Longest == 0 {
			return nil, nil, fmt.Errorf("vision: size of %s wants shortest_edge and longest_edge, in pixels of the image", kind)
		}
		r.Least, r.Most = s.Shortest, s.Longest
	}
	set(&r.Least, j.Least)
	set(&r.Most, j.Most)
	patch, merge := 14, 2
	set(&patch, j.Patch)
	set(&merge, j.Merge)
	if patch < 1 || merge < 1 || patch > maxSide || merge > maxSide {
		return nil, nil, fmt.Errorf("vision: patches of %d pixels, of which %d × %d become one, are not possible", patch, merge,
			merge)
	}
	r.Multiple = patch * merge
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	return p, r, r.check()
}

func (r *PixelRange) check() error {
	if r.Multiple < 1 || r.Multiple > maxSide || r.Least < 1 || r.Least > r.Most || r.Most > maxSide*maxSide {
		return fmt.Errorf("vision: from %d to %d pixels with sides of a multiple of %d are not possible", r.Least, r.Most,
			r.Multiple)
	}
	return nil
}

// sized is the picture with the size that it is read in.
func (r *PixelRange) sized(q picture, f Filter) picture {
	h, w := q.h, q.w
	if r.Resize {
		h, w = r.size(q.h, q.w)
	}
	checkPixels("image processor", h, w)
	if h%r.Multiple != 0 || w%r.Multiple != 0 {
		panic(&tensor.Error{Op: "image processor", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("an image of %d × %d pixels has sides that are no multiple of %d: want Resize", w, h, r.Multiple)})
	}
	if h == q.h && w == q.w {
		return q
	}
	return q.resized(h, w, f)
}

// size is that of an image, as transformers computes it.
func (r *PixelRange) size(h, w int) (int, int) {
	if max(h, w) > mostProportion*min(h, w) {
		panic(&tensor.Error{Op: "image processor", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("an image of %d × %d pixels is too narrow: want a side of at most %d times the other", w, h,
				mostProportion)})
	}
	m := float64(r.Multiple)
	scaled := func(n int, round func(float64) float64, by float64) int {
		return int(round(float64(n)*by/m)) * r.Multiple
	}
	high, wide := scaled(h, math.RoundToEven, 1), scaled(w, math.RoundToEven, 1)
	switch {
	case high*wide > r.Most:
		by := math.Sqrt(float64(h*w) / float64(r.Most))
		down := func(n int) int { return max(r.Multiple, int(math.Floor(float64(n)/by/m))*r.Multiple) }
		return down(h), down(w)
	case high*wide < r.Least:
		by := math.Sqrt(float64(r.Least) / float64(h*w))
		return scaled(h, math.Ceil, by), scaled(w, math.Ceil, by)
	}
	return high, wide
}
