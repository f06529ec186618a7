package quant

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
)

// QTensor is a tensor of packed blocks, which lie along its last dim. It never changes, and may be used by several goroutines.
type QTensor struct {
	format Type
	shape  []int
	data   []byte

	mu    sync.Mutex
	plain *tensor.Tensor // dequantized, where the last product was
}

// New returns a QTensor of that shape from packed blocks, which are not copied. The error says what does not fit.
func New(t Type, shape []int, data []byte) (*QTensor, error) {
	f, ok := formats[t]
	if !ok {
		return nil, fmt.Errorf("quant: there is no format %d: there are %v", uint32(t), Types())
	}
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > len(data)*f.block/d { // more elements than the bytes can be, before that overflows
			return nil, fmt.Errorf("quant: %d bytes of %v do not fit shape %v", len(data), t, shape)
		}
		n *= d
	}
	last := 1
	if len(shape) > 0 {
		last = shape[len(shape)-1]
	}
	if last%f.block != 0 {
		return nil, fmt.Errorf("quant: rows of %d elements are no whole blocks of %v, which have %d", last, t, f.block)
	}
	if n/f.block*f.bytes != len(data) {
		return nil, fmt.Errorf("quant: %d bytes of %v do not fit shape %v, which takes %d", len(data), t, shape, n/f.block*f.bytes)
	}
	return &QTensor{format: t, shape: slices.Clone(shape), data: data}, nil
}

// Quantize packs a tensor of a float type. It panics with ErrShape when its rows are no whole blocks, and with ErrDType for integers.
func Quantize(x *tensor.Tensor, t Type) *QTensor {
	fail := func(kind error, format string, args ...any) {
		panic(&tensor.Error{Op: "quantize", Kind: kind, Message: fmt.Sprintf(format, args...), Shapes: [][]int{x.Dims()}, DTypes: []tensor.DType{x.DType()}})
	}
	if !x.DType().IsFloat() {
		fail(tensor.ErrDType, "not defined for %v: it takes floats", x.DType())
	}
	if n := t.BlockSize(); n == 0 || x.Rank() == 0 || x.Dim(-1)%n != 0 {
		fail(tensor.ErrShape, "rows of shape %v are no whole blocks of %v, which have %d elements", x.Dims(), t, n)
	}
	data, err := t.Encode(x.ToDType(tensor.F32).ToDevice(tensor.CPU()).FlattenAll().ToVec1F32())
	if err != nil {
		fail(tensor.ErrShape, "%v", err)
	}
	return &QTensor{format: t, shape: x.Dims(), data: data}
}

// Type returns the format.
func (q *QTensor) Type() Type { return q.format }

// Dims returns the size of every dim.
func (q *QTensor) Dims() []int { return slices.Clone(q.shape) }

// Data returns the packed blocks. They must not be changed.
func (q *QTensor) Data() []byte { return q.data }

// Bytes returns how much memory the packed blocks take.
func (q *QTensor) Bytes() int { return len(q.data) }

// String returns format and shape, as in QTensor[[4096, 11008], Q4K].
func (q *QTensor) String() string {
	return fmt.Sprintf("QTensor[%v, %v]", q.shape, q.format)
}

// Dequantize returns the elements as an F32 tensor on a device.
func (q *QTensor) Dequantize(dev *tensor.Device) *tensor.Tensor {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.on(dev)
}

// on returns the elements on a device. The last ones are kept. The caller holds the lock.
func (q *QTensor) on(dev *tensor.Device) *tensor.Tensor {
	if q.plain == nil || q.plain.Device() != dev {
		values, err := q.format.Decode(q.data)
		if err != nil {
			panic(&tensor.Error{Op: "dequantize", Kind: tensor.ErrShape, Message: err.Error(), Err: err})
		}
		q.plain = tensor.FromSlice(values, q.shape, dev)
	}
	return q.plain
}

// Embedding looks up rows of a table [n h]: ids has any shape, the result has it with h appended, in F32. Only those rows are
// dequantized. It panics with ErrIndex when an id is out of range.
func (q *QTensor) Embedding(ids *tensor.Tensor) *tensor.Tensor {
	if len(q.shape) != 2 {
		panic(&tensor.Error{Op: "embedding", Kind: tensor.ErrShape, Message: fmt.Sprintf("want a table of rank 2, not shape %v", q.shape), Shapes: [][]int{q.shape}})
	}
	list := ids.FlattenAll().ToDType(tensor.I64).ToDevice(tensor.CPU()).ToVec1I64()
	row := q.shape[1] / q.format.BlockSize() * q.format.BlockBytes()
	packed := make([]byte, 0, len(list)*row)
	for i, id := range list {
		if id < 0 || id >= int64(q.shape[0]) {
			panic(&tensor.Error{Op: "embedding", Kind: tensor.ErrIndex, Message: fmt.Sprintf("id %d (number %d) is out of range for a table of %d rows", id, i, q.shape[0])})
		}
		packed = append(packed, q.data[int(id)*row:(int(id)+1)*row]...)
	}
	values, err := q.format.Decode(packed)
	if err != nil {
		panic(&tensor.Error{Op: "embedding", Kind: tensor.ErrShape, Message: err.Error(), Err: err})
	}
	return tensor.FromSlice(values, append(ids.Dims(), q.shape[1]), ids.Device())
}
