package quant

import (
	"runtime"

	"github.com/gorocm/gorocm/tensor"
)

// hostProduct is x·wᵀ on the host.
func hostProduct(q *QTensor, x *tensor.Tensor) *tensor.Tensor {
	shape := x.Dims()
	shape[len(shape)-1] = q.shape[0]
	out := tensor.Zeros(shape, tensor.F32, q.dev)
	rows, cols := q.shape[0], q.shape[1]
	if x.ElemCount() == 0 || rows == 0 {
		return out
	}
	xs, to := floats(x), out.Data().([]float32)
	columns := len(xs) / cols
	rowBytes := cols / q.format.BlockSize() * q.format.BlockBytes()
	a := round(xs, cols, formats[q.format].with)
	parallel(rows, cols*columns, func(lo, hi int) {
		dot := dotOf(q.format, cols)
		for r := lo; r < hi; r++ {
			dot(q.data[r*rowBytes:(r+1)*rowBytes], a, to[r:], rows)
		}
	})
	runtime.KeepAlive(q.owner)
	return out
}

// rounded are rows of the other operand of a product, as blocks of eight bits and as the floats that those stand for.
type rounded struct {
	cols, columns int
	values        []float32
}

func round(xs []float32, cols int, with Type) *rounded {
	packed, err := with.Encode(xs)
	if err != nil {
		panic(err) // the columns of the other operand are whole blocks
	}
	values, err := with.Decode(packed)
	if err != nil {
		panic(err)
	}
	return &rounded{cols: cols, columns: len(xs) / cols, values: values}
}

// dotOf returns the function that multiplies a row of packed blocks with every row of a; results are step apart.
func dotOf(t Type, cols int) func(row []byte, a *rounded, to []float32, step int) {
	f, buffer := formats[t], make([]float32, cols)
	return func(row []byte, a *rounded, to []float32, step int) {
		f.unpack(buffer, row)
		for c := range a.columns {
			var sum float32
			for i, v := range a.values[c*cols : (c+1)*cols] {
				sum += v * buffer[i]
			}
			to[c*step] = sum
		}
	}
}
