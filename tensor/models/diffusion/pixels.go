package diffusion

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

// sizeOf is the size of a picture, as far as the factor of pictures divides it.
func (p *Pipeline) sizeOf(picture *tensor.Tensor) (h, w int) {
	if picture.Rank() != 3 {
		panic(&tensor.Error{Op: "picture", Kind: tensor.ErrShape, Shapes: [][]int{picture.Dims()},
			Message: "want a picture [channels height width]"})
	}
	f := p.factor()
	return picture.Dim(1) / f * f, picture.Dim(2) / f * f
}

// read makes a picture U8 [channels height width] what the VAE reads, [1 3 height width] from -1 to 1, of the size of
// the drawing.
func (d *drawing) read(picture *tensor.Tensor) *tensor.Tensor {
	x := vision.Resize(picture, d.h, d.w, vision.Lanczos)
	switch x.Dim(0) {
	case 1:
		x = x.Expand(3, d.h, d.w)
	case 4:
		x = x.Narrow(0, 0, 3) // as diffusers does
	}
	return x.ToDevice(d.p.dev).ToDType(tensor.F32).Affine(2.0/255, -1).Unsqueeze(0)
}

// readMask makes a mask U8 [height width] or [1 height width] to zeros and ones [1 1 height width].
func (d *drawing) readMask(mask *tensor.Tensor) *tensor.Tensor {
	if mask.Rank() == 2 {
		mask = mask.Unsqueeze(0)
	}
	if mask.Rank() != 3 || mask.Dim(0) != 1 {
		panic(&tensor.Error{Op: "picture", Kind: tensor.ErrShape, Shapes: [][]int{mask.Dims()},
			Message: fmt.Sprintf("want a mask [height width], such as [%d %d]", d.h, d.w)})
	}
	x := vision.Resize(mask, d.h, d.w, vision.Lanczos)
	return x.ToDevice(d.p.dev).Ge(128).ToDType(tensor.F32).Unsqueeze(0)
}

// encoded are latents of pixels, as the UNet reads them.
func (d *drawing) encoded(pixels *tensor.Tensor) *tensor.Tensor {
	v := d.p.VAE
	mean, std := v.Encode(pixels)
	return v.Scaled(mean.Add(std.Mul(d.noise())))
}
