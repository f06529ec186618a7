package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// PixelShuffle moves channels into space: [batch channels·r² height width] to [batch channels height·r width·r].
func PixelShuffle(x *tensor.Tensor, r int) *tensor.Tensor {
	if x.Rank() != 4 || r < 1 || x.Dim(1)%(r*r) != 0 {
		extend.Shape("pixel shuffle", []*tensor.Tensor{x}, "want [b c·%d h w], not shape %v", r*r, x.Dims())
	}
	b, c, h, w := x.Dim(0), x.Dim(1)/(r*r), x.Dim(2), x.Dim(3)
	return x.Reshape(b, c, r, r, h, w).Permute(0, 1, 4, 2, 5, 3).Reshape(b, c, h*r, w*r)
}

// PixelUnshuffle undoes PixelShuffle: [batch channels height·r width·r] to [batch channels·r² height width].
func PixelUnshuffle(x *tensor.Tensor, r int) *tensor.Tensor {
	if x.Rank() != 4 || r < 1 || x.Dim(2)%r != 0 || x.Dim(3)%r != 0 {
		extend.Shape("pixel unshuffle", []*tensor.Tensor{x}, "want [b c h·%d w·%d], not shape %v", r, r, x.Dims())
	}
	b, c, h, w := x.Dim(0), x.Dim(1), x.Dim(2)/r, x.Dim(3)/r
	return x.Reshape(b, c, h, r, w, r).Permute(0, 1, 3, 5, 2, 4).Reshape(b, c*r*r, h, w)
}

// ReplicationPad2d repeats the border of images [… height width] by so many pixels on each side.
func ReplicationPad2d(x *tensor.Tensor, pad int) *tensor.Tensor {
	return x.Pad(-1, pad, pad, tensor.Replicate).Pad(-2, pad, pad, tensor.Replicate)
}
