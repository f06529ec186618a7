package formats

import (
	"encoding/binary"
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// element is how a file has the elements of a tensor: as those of a dtype, or of an integer type that tensors lack, and
// that becomes a wider one.
type element struct {
	dtype  tensor.DType
	size   int  // bytes of an element in the file
	signed bool // where they are narrower than those of dtype
	wide   bool // they are unsigned and have all bits of dtype
}

// plain is an element that the file has as the tensor does.
func plain(dt tensor.DType) element { return element{dtype: dt, size: dt.Size()} }

// The integer types that tensors lack.
var (
	int8s   = element{dtype: tensor.I16, size: 1, signed: true}
	uint16s = element{dtype: tensor.U32, size: 2}
	uint64s = element{dtype: tensor.I64, size: 8, wide: true}
)

// tensor makes a tensor of little-endian elements.
func (e element) tensor(data []byte, shape []int, dev *tensor.Device) (*tensor.Tensor, error) {
	switch {
	case e.wide:
		for i := 0; i < len(data); i += 8 {
			if n := binary.LittleEndian.Uint64(data[i:]); n > 1<<63-1 {
				return nil, fmt.Errorf("element %d is %d, and unsigned numbers of 64 bits are read as %v", i/8, n,
					e.dtype)
			}
		}
	case e.size != e.dtype.Size():
		data = e.widened(data)
	}
	return tensor.FromBytes(data, e.dtype, shape, dev), nil
}

// widened puts the bytes after each element that its dtype has more.
func (e element) widened(data []byte) []byte {
	n := e.dtype.Size()
	wide := make([]byte, len(data)/e.size*n)
	for i := range len(data) / e.size {
		to := wide[i*n : (i+1)*n]
		copy(to, data[i*e.size:(i+1)*e.size])
		if e.signed && to[e.size-1]&0x80 != 0 {
			for j := e.size; j < n; j++ {
				to[j] = 0xFF
			}
		}
	}
	return wide
}
