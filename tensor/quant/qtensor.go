package quant

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// QTensor is a tensor of packed blocks, which lie along its last dim, on a device. It never changes, and may be used by
// several goroutines.
type QTensor struct {
	format Type
	shape  []int
	dev    *tensor.Device
	data   []byte         // on the host
	packed *tensor.Tensor // elsewhere: the blocks as U8, [rows bytes]; the elements where there are no blocks
	owner  any            // the owner of data, such as a mapped file, which lives as long as this
}

// kept is a QTensor in checkpoints of sessions. Blocks of a mapped file are written, too.
type kept struct {
	Format Type
	Shape  []int
	Dev    *tensor.Device
	Data   []byte
	Packed *tensor.Tensor
}

var _ = keep.As(func(q *QTensor) (kept, error) {
	return kept{q.format, q.shape, q.dev, slices.Clip(q.data), q.packed}, nil
}, func(q *QTensor, k kept) error {
	q.format, q.shape, q.dev, q.data, q.packed = k.Format, k.Shape, k.Dev, k.Data, k.Packed
	return nil
})

// New returns a QTensor of that shape on the host from packed blocks, which are not copied. The error says what does
// not fit.
func New(t Type, shape []int, data []byte) (*QTensor, error) { return NewOwned(t, shape, data, nil) }

// NewOwned is New for blocks that belong to an owner, such as a mapped file, which the QTensor keeps from being
// collected.
func NewOwned(t Type, shape []int, data []byte, owner any) (*QTensor, error) {
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
		return nil, fmt.Errorf("quant: rows of %d elements are not whole blocks of %v, which have %d", last, t, f.block)
	}
	if n/f.block*f.bytes != len(data) {
		return nil, fmt.Errorf("quant: %d bytes of %v do not fit shape %v, which takes %d", len(data), t, shape,
			n/f.block*f.bytes)
	}
	return &QTensor{format: t, shape: slices.Clone(shape), dev: tensor.CPU(), data: data, owner: owner}, nil
}

// Quantize packs a tensor of a float type; the result is on its device. Packing itself is done on the host. It panics
// with ErrShape when rows are not whole blocks, and with ErrDType for integers, for formats that are only read, and
// when blocks would have to hold NaN or an infinity.
func Quantize(x *tensor.Tensor, t Type) *QTensor {
	fail := func(kind error, format string, args ...any) {
		panic(&tensor.Error{Op: "quantize", Kind: kind, Message: fmt.Sprintf(format, args...),
			Shapes: [][]int{x.Dims()}, DTypes: []tensor.DType{x.DType()}})
	}
	if !x.DType().IsFloat() {
		fail(tensor.ErrDType, "not defined for %v: it takes floats", x.DType())
	}
	if !t.CanEncode() {
		fail(tensor.ErrDType, "%v is not a format that is written: Q4_0, Q4K and the like are", t)
	}
	if n := t.BlockSize(); x.Rank() == 0 || x.Dim(-1)%n != 0 {
		fail(tensor.ErrShape, "rows of shape %v are not whole blocks of %v, which have %d elements", x.Dims(), t, n)
	}
	values := floats(x)
	if i := slices.IndexFunc(values, func(v float32) bool { return v-v != 0 }); i >= 0 && t.BlockSize() > 1 {
		fail(tensor.ErrDType, "element %d is %v, and blocks of %v hold finite numbers", i, values[i], t)
	}
	data, err := t.Encode(values)
	if err != nil {
		fail(tensor.ErrShape, "%v", err)
	}
	return (&QTensor{format: t, shape: x.Dims(), dev: tensor.CPU(), data: data}).ToDevice(x.Device())
}

// floats are the elements of a tensor in row-major order, which are not to be changed.
func floats(x *tensor.Tensor) []float32 {
	return x.ToDType(tensor.F32).ToDevice(tensor.CPU()).Contiguous().Data().([]float32)
}

// Type returns the format.
func (q *QTensor) Type() Type { return q.format }

// Dims returns the size of every dim.
func (q *QTensor) Dims() []int { return slices.Clone(q.shape) }

// Device returns where the packed blocks are.
func (q *QTensor) Device() *tensor.Device { return q.dev }

// Data returns the packed blocks, on the host without copying them. They must not be changed.
func (q *QTensor) Data() []byte {
	if q.packed != nil {
		return q.packed.ToBytes()
	}
	return q.data
}

// Blocks returns the packed blocks as U8 [rows bytes] in the memory of a GPU, for kernels that read them. It returns
// nil on the host, where Data has them, and for F16, BF16 and F32, which have no blocks. They must not be changed.
func (q *QTensor) Blocks() *tensor.Tensor {
	if q.packed == nil || q.format.BlockSize() == 1 {
		return nil
	}
	return q.packed
}

// Bytes returns how much memory the packed blocks take.
func (q *QTensor) Bytes() int {
	rows, row := q.rows()
	return rows * row
}

// rows returns how many rows there are, and the bytes of each.
func (q *QTensor) rows() (rows, bytes int) {
	f, n := formats[q.format], 1
	last := 1
	for _, d := range q.shape {
		n *= d
		last = d
	}
	if n == 0 {
		return 0, last / f.block * f.bytes
	}
	return n / last, last / f.block * f.bytes
}

// String returns shape, format and device, as in QTensor[[4096, 11008], Q4K, rocm:0]; the elements are not unpacked.
func (q *QTensor) String() string {
	shape := strings.ReplaceAll(fmt.Sprint(q.shape), " ", ", ")
	if q.dev.IsCPU() {
		return fmt.Sprintf("QTensor[%s, %v]", shape, q.format)
	}
	return fmt.Sprintf("QTensor[%s, %v, %v]", shape, q.format, q.dev)
}

// To returns the QTensor on a device: a *Device or the name of one, such as "rocm". Blocks are copied as they are. It
// panics with ErrDevice when there is no such device.
func (q *QTensor) To(device any) *QTensor {
	switch d := device.(type) {
	case *tensor.Device:
		return q.ToDevice(d)
	case string:
		dev, err := tensor.NewDevice(d)
		if err != nil {
			panic(err)
		}
		return q.ToDevice(dev)
	}
	panic(&tensor.Error{Op: "to", Kind: tensor.ErrDevice,
		Message: fmt.Sprintf("want a device or the name of one, not a %T", device)})
}

// ToDevice returns the QTensor on a device; on the same device it returns q itself. It panics with ErrDType for a GPU
// and a format that is read on the host only: see Type.OnGPU.
func (q *QTensor) ToDevice(dev *tensor.Device) *QTensor {
	if dev == q.dev {
		return q
	}
	if !dev.IsCPU() && !q.format.OnGPU() {
		panic(&tensor.Error{Op: "to", Kind: tensor.ErrDType, Devices: []string{q.dev.Location(), dev.Location()},
			Message: fmt.Sprintf("GPUs do not compute with packed %v", q.format),
			Notes:   []string{fmt.Sprintf("w.DequantizeAs(tensor.F16, dev) has the elements on %v", dev)}})
	}
	out := &QTensor{format: q.format, shape: q.shape, dev: dev}
	if dev.IsCPU() {
		out.data = q.packed.ToBytes()
		return out
	}
	if q.packed != nil {
		out.packed = q.packed.ToDevice(dev)
		return out
	}
	if q.format.isBlocks() {
		rows, row := q.rows()
		out.packed = dev.FromBytes(tensor.U8, q.data, rows, row)
	} else {
		out.packed = dev.FromBytes(plain[q.format], q.data, q.shape...)
	}
	runtime.KeepAlive(q.owner)
	return out
}

// Dequantize returns the elements as an F32 tensor on a device.
func (q *QTensor) Dequantize(dev *tensor.Device) *tensor.Tensor {
	return q.DequantizeAs(tensor.F32, dev)
}

// DequantizeAs returns the elements as a tensor of a float type on a device, to which the packed blocks are moved if
// they are elsewhere; elements of formats that are read on the host only are moved unpacked. It panics with ErrDType
// for other types.
func (q *QTensor) DequantizeAs(dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
	if !dt.IsFloat() {
		panic(&tensor.Error{Op: "dequantize", Kind: tensor.ErrDType, DTypes: []tensor.DType{dt},
			Message: fmt.Sprintf("elements are floats, not %v", dt)})
	}
	if !dev.IsCPU() && !q.format.OnGPU() {
		return q.DequantizeAs(dt, q.dev).ToDevice(dev)
	}
	q = q.ToDevice(dev)
	if dev.IsCPU() {
		out := dev.Empty(tensor.F32, q.shape...)
		f := formats[q.format]
		to := extend.Floats("dequantize", out)
		parallel(len(to)/f.block, f.block,
			func(lo, hi int) { f.unpack(to[lo*f.block:hi*f.block], q.data[lo*f.bytes:]) })
		runtime.KeepAlive(q.owner)
		return out.ToDType(dt)
	}
	if !q.format.isBlocks() {
		return q.packed.ToDType(dt).Reshape(q.shape...)
	}
	return dequantized(q.format, q.packed, q.shape, dt)
}

// Embedding looks up rows of a table [n h]: ids has any shape, the result has it with h appended, in F32, on the device
// of the table, on which the ids must be. Only those rows are dequantized. It panics with ErrIndex when an id is out of
// range, on a GPU at the next call that waits for the device.
func (q *QTensor) Embedding(ids *tensor.Tensor) *tensor.Tensor {
	const op = "embedding"
	if len(q.shape) != 2 {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrShape,
			Message: fmt.Sprintf("want a table of rank 2, not shape %v", q.shape), Shapes: [][]int{q.shape}})
	}
	q.sameDevice(op, ids)
	shape := append(ids.Dims(), q.shape[1])
	if q.packed != nil {
		rows := &QTensor{format: q.format, shape: shape, dev: q.dev, packed: q.packed.IndexSelect(ids.FlattenAll(), 0)}
		return rows.Dequantize(q.dev)
	}
	f, row := formats[q.format], q.shape[1]/q.format.BlockSize()*q.format.BlockBytes()
	out := q.dev.Empty(tensor.F32, shape...)
	to := extend.Floats(op, out)
	for i, id := range tensor.ToVec1[int64](ids.FlattenAll().ToDType(tensor.I64)) {
		if id < 0 || id >= int64(q.shape[0]) {
			panic(&tensor.Error{Op: op, Kind: tensor.ErrIndex,
				Message: fmt.Sprintf("id %d (number %d) is out of range for a table of %d rows", id, i, q.shape[0])})
		}
		f.unpack(to[i*q.shape[1]:(i+1)*q.shape[1]], q.data[int(id)*row:])
	}
	runtime.KeepAlive(q.owner)
	return out
}

// sameDevice panics with ErrDevice when x is not where q is.
func (q *QTensor) sameDevice(op string, x *tensor.Tensor) {
	if x.Device() != q.dev {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrDevice, Devices: []string{x.Device().Location(), q.dev.Location()},
			Message: fmt.Sprintf("the tensor is on %v, the quantized one on %v", x.Device(), q.dev),
			Notes: []string{fmt.Sprintf("w.To(%q) is a copy of the quantized one beside the tensor",
				x.Device().Location())}})
	}
}
