package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// scaleEnding follows the name of a matrix in the name of its scales, which are factors, whatever it says.
const scaleEnding = "_scale_inv"

// ScaleFloat8 makes p read files whose matrices are F8E4M3 with scales, as those of DeepSeek V3 are: X has the scales
// X_scale_inv, one for each block of rows and columns; the last blocks may be smaller. With a nil block one scale is
// that of a whole matrix. Get returns the products, which are computed in F32 on the device. Scales are no parameters,
// nor is an activation_scale beside a matrix that has them. A matrix in F8E4M3 without scales, scales of another shape
// and scales of what is not in F8E4M3 are errors, as a missing parameter is.
func (p *Params) ScaleFloat8(block []int) {
	if block != nil && (len(block) != 2 || block[0] < 1 || block[1] < 1) {
		panic(&tensor.Error{Op: "scale float8", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("blocks of %v: want two sizes of at least 1, or nil", block)})
	}
	if p.source == nil {
		return
	}
	f := &float8Source{paramSource: p.source, block: block, scaled: map[string]bool{}}
	all := map[string]bool{}
	for _, name := range f.paramSource.list() {
		all[name] = true
	}
	hidden := map[string]bool{}
	for name := range all {
		if x, ok := strings.CutSuffix(name, scaleEnding); ok && all[x] {
			f.scaled[x], hidden[name] = true, true
			hidden[strings.TrimSuffix(x, "weight")+"activation_scale"] = true
		}
	}
	f.names = slices.DeleteFunc(slices.Clone(f.paramSource.list()), func(name string) bool { return hidden[name] })
	p.source = f
}

// float8Source is parameters some of which are in F8E4M3 and have scales.
type float8Source struct {
	paramSource
	block  []int
	names  []string        // without those of scales
	scaled map[string]bool // those that have scales
}

func (f *float8Source) list() []string { return f.names }

func (f *float8Source) packed(name string) (*quant.QTensor, error) {
	if f.scaled[name] {
		return nil, nil
	}
	return f.paramSource.packed(name)
}

func (f *float8Source) Close() error { return closed(f.paramSource) }

// tensor is a parameter, times its scales if it is in F8E4M3.
func (f *float8Source) tensor(name string, dt tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	x, err := f.stored(name)
	if err != nil {
		return nil, err
	}
	scaleName := name + scaleEnding
	switch float8 := x.DType() == tensor.F8E4M3; {
	case !float8 && !f.scaled[name]:
		return tensor.Try(func() *tensor.Tensor { return x.ToDType(dt).ToDevice(dev) })
	case !f.scaled[name]:
		return nil, fmt.Errorf("its elements, of shape %v, are %v, and there are no scales %s", x.Dims(), x.DType(), scaleName)
	case !float8:
		return nil, fmt.Errorf("there are scales %s, and its elements are %v, not %v", scaleName, x.DType(), tensor.F8E4M3)
	case x.Rank() != 2 || x.ElemCount() == 0:
		return nil, fmt.Errorf("it has scales %s and shape %v: want a matrix", scaleName, x.Dims())
	}
	scale, err := f.stored(scaleName)
	if err != nil {
		return nil, err
	}
	if dt := scale.DType(); !dt.IsFloat() || dt.Size() < 2 {
		return nil, fmt.Errorf("its scales %s are %v: want f32, bf16 or f16", scaleName, dt)
	}
	want, block := []int{1, 1}, x.Dims()
	if f.block != nil {
		block = f.block
		want = []int{blocks(x.Dim(0), block[0]), blocks(x.Dim(1), block[1])}
	}
	if one := f.block == nil && scale.ElemCount() == 1; !one && !slices.Equal(scale.Dims(), want) {
		return nil, fmt.Errorf("its scales %s have shape %v: want %v, for shape %v in blocks of %v", scaleName,
			scale.Dims(), want, x.Dims(), block)
	}
	return tensor.Try(func() *tensor.Tensor {
		return tensor.Scoped(func() *tensor.Tensor {
			return timesBlocks(x.ToDevice(dev), scale.ToDType(tensor.F32).ToDevice(dev).Reshape(want...), block, dt)
		})
	})
}

// blocks is how many blocks of a size there are in n.
func blocks(n, size int) int { return (n-1)/size + 1 }

// timesBlocks multiplies each block of x by its scale. Some 16 million of its elements are in F32 at a time.
func timesBlocks(x, scale *tensor.Tensor, block []int, dt tensor.DType) *tensor.Tensor {
	rows, cols := x.Dim(0), x.Dim(1)
	high, wide := min(block[0], rows), min(block[1], cols)
	scale = scale.RepeatInterleave(wide, 1).Narrow(1, 0, cols)
	strip := max(1, 1<<24/(high*cols)) * high
	y := x.Device().Empty(dt, rows, cols)
	for from := 0; from < rows; from += strip {
		n := min(strip, rows-from)
		y.SliceSet(tensor.Scoped(func() *tensor.Tensor {
			factors := scale.Narrow(0, from/high, blocks(n, high)).RepeatInterleave(high, 0).Narrow(0, 0, n)
			return x.Narrow(0, from, n).ToDType(tensor.F32).Mul(factors).ToDType(dt)
		}), 0, from)
	}
	return y
}
