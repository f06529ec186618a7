package tensor

import (
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// FromBytes returns a tensor of elements in their memory format: row-major, little-endian. The bytes are copied; of a
// Bool, each that is not 0 is true. It panics with ErrShape when their number does not fit the shape.
func (d *Device) FromBytes(dtype DType, data []byte, shape ...int) *Tensor {
	const op = "from bytes"
	check(checkNew(op, shape, dtype, d))
	if want := backend.Product(shape) * dtype.Size(); len(data) != want {
		e := &Error{Op: op, Kind: ErrShape, Shapes: [][]int{shape}, DTypes: []DType{dtype}}
		e.Message = "the bytes are not those of " + shapes.Commas(shape) + " of " + dtype.String()
		check(e.note("%d bytes are given, %d are needed", len(data), want))
	}
	if len(data) == 0 {
		return must(empty(op, shape, dtype, d))
	}
	s, err := d.backend.Upload(data)
	check(failure(op, d, err))
	t := dense(d, dtype.Stored(), shape, s)
	if dtype == Bool {
		return must(t.compare("ne", 0))
	}
	return t
}

// ToBytes returns the elements in their memory format: row-major, little-endian.
func (t *Tensor) ToBytes() []byte {
	raw, err := t.read("to bytes")
	check(err)
	return append([]byte{}, raw...)
}
