package onnx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
)

// maxElements is the number of elements that a tensor of a file may have.
const maxElements = 1 << 40

// sizes returns the shape of a tensor and how many elements it has.
func sizes(dims []int64) (shape []int, count int, err error) {
	n := uint64(1)
	for _, d := range dims {
		if d < 0 || d > maxElements {
			return nil, 0, fmt.Errorf("dim %d of shape %v is not possible", d, dims)
		}
		high, low := bits.Mul64(n, uint64(max(d, 1)))
		if high != 0 || low > maxElements {
			return nil, 0, fmt.Errorf("a tensor of shape %v is too large", dims)
		}
		n = low
		shape = append(shape, int(d))
	}
	for _, d := range shape {
		if d == 0 {
			n = 0
		}
	}
	return shape, int(n), nil
}

// tensor returns the elements on a device. External data comes from a folder.
func (t *tensorProto) tensor(dev *tensor.Device, from *folder) (out *tensor.Tensor, err error) {
	row, ok := elems[t.elem]
	if !ok {
		return nil, fmt.Errorf("tensors of %v are not supported", t.elem)
	}
	shape, count, err := sizes(t.dims)
	if err != nil {
		return nil, err
	}
	size := (count*row.bits + 7) / 8
	raw := t.raw
	switch {
	case bool(t.elsewhere):
		if raw, err = from.read(t.external, size); err != nil {
			return nil, err
		}
	case !t.hasRaw:
		if raw, err = t.typed(row.bits, count); err != nil {
			return nil, err
		}
	}
	if len(raw) != size {
		return nil, fmt.Errorf("shape %v of %v takes %d bytes, and there are %d", shape, t.elem, size, len(raw))
	}
	return tensor.Try(func() *tensor.Tensor {
		if row.value == nil {
			return dev.FromBytes(row.dtype, raw, shape...)
		}
		return dev.FromSlice(unpacked(raw, count, row.bits, row.value), shape...).ToDType(row.dtype)
	})
}

// clone returns a tensor that is no part of the file.
func (t *tensorProto) clone() *tensorProto {
	own := *t
	own.raw = bytes.Clone(t.raw)
	return &own
}

// unpacked returns the values of elements of 2, 4 or 8 bits, of which the first is in the lowest bits of a byte.
func unpacked(raw []byte, count, width int, value func(uint8) float64) []float32 {
	out := make([]float32, count)
	for i := range out {
		at := i * width
		out[i] = float32(value(raw[at/8] >> (at % 8) & uint8(1<<width-1)))
	}
	return out
}

// typed returns the elements of the fields of numbers as raw data. All but 32-bit floats, doubles and 64-bit integers
// are in int32_data, small ones packed as in raw data, a byte in each number.
func (t *tensorProto) typed(width, count int) ([]byte, error) {
	var b bytes.Buffer
	have := len(t.ints)
	switch t.elem {
	case elemFloat, elemComplex64:
		have = len(t.floats)
	case elemDouble, elemComplex128:
		have = len(t.doubles)
	}
	want := count
	switch {
	case width < 8:
		want = (count*width + 7) / 8
	case t.elem == elemComplex64 || t.elem == elemComplex128:
		want = 2 * count
	}
	if have != want {
		return nil, fmt.Errorf("shape %v of %v has %d numbers, and there are %d", t.dims, t.elem, want, have)
	}
	switch t.elem {
	case elemFloat, elemComplex64:
		binary.Write(&b, binary.LittleEndian, t.floats) // to memory: it cannot fail
		return b.Bytes(), nil
	case elemDouble, elemComplex128:
		binary.Write(&b, binary.LittleEndian, t.doubles)
		return b.Bytes(), nil
	}
	out := make([]byte, 0, want*max(width/8, 1))
	for _, v := range t.ints {
		switch width {
		case 16:
			out = binary.LittleEndian.AppendUint16(out, uint16(v))
		case 32:
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		case 64:
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		default:
			out = append(out, uint8(v))
		}
	}
	return out, nil
}

// dense returns a sparse tensor with its zeros. Indices are positions in row-major order, or a row for each value.
func (s *sparseProto) dense(dev *tensor.Device, from *folder) (*tensor.Tensor, error) {
	shape, count, err := sizes(s.dims)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("a sparse tensor of shape %v would take memory for its zeros", shape)
	if err := limits.ONNXSparse.Check(count, what); err != nil {
		return nil, err
	}
	values, err := s.values.tensor(tensor.CPU(), from)
	if err != nil {
		return nil, err
	}
	at, err := s.indices.tensor(tensor.CPU(), from)
	if err != nil {
		return nil, err
	}
	if at.DType() != tensor.I64 || at.Rank() < 1 || at.Rank() > 2 || values.Rank() != 1 || at.Dim(0) != values.Dim(0) ||
		at.Rank() == 2 && at.Dim(1) != len(shape) {
		return nil, errors.New("the indices of a sparse tensor do not fit its values")
	}
	ids := tensor.ToVec1[int64](at.FlattenAll())
	flat := make([]int64, values.Dim(0))
	for i := range flat {
		if at.Rank() == 1 {
			flat[i] = ids[i]
		} else {
			for d, size := range shape {
				id := ids[i*len(shape)+d]
				if id < 0 || id >= int64(size) {
					return nil, fmt.Errorf("index %d of a sparse tensor of shape %v is outside of it", id, shape)
				}
				flat[i] = flat[i]*int64(size) + id
			}
		}
		if flat[i] < 0 || flat[i] >= int64(count) {
			return nil, fmt.Errorf("index %d of a sparse tensor of shape %v is outside of it", flat[i], shape)
		}
	}
	return tensor.Try(func() *tensor.Tensor {
		zeros := tensor.CPU().Zeros(values.DType(), count)
		return zeros.Scatter(tensor.CPU().FromSlice(flat), values, 0).Reshape(shape...).ToDevice(dev)
	})
}

// maxMade bounds the grids and bins that operators make from a few numbers, and maxOutputs the outputs of Split.
const (
	maxMade    = 1 << 28
	maxOutputs = 1 << 20
)
