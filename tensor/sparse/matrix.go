package sparse

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Matrix is a sparse matrix in compressed rows. Its elements are stored row by row, and in each row by column,
// without repetition; elements that are not stored are 0.
type Matrix struct {
	at     *pattern
	values *tensor.Tensor
}

// Dims returns the numbers of rows and columns.
func (m *Matrix) Dims() (rows, cols int) { return m.at.rows, m.at.cols }

// ElemCount returns the number of stored elements, some of which may be 0.
func (m *Matrix) ElemCount() int { return m.at.count() }

// DType returns the type of the elements.
func (m *Matrix) DType() tensor.DType { return m.values.DType() }

// Device returns the device of the elements.
func (m *Matrix) Device() *tensor.Device { return m.values.Device() }

// Values returns the stored elements in order, a vector. It is that of the matrix, and must not be written to.
func (m *Matrix) Values() *tensor.Tensor { return m.values }

// Offsets returns where each row begins among the stored elements, and their number: I64 [rows+1].
func (m *Matrix) Offsets() *tensor.Tensor { return m.at.offsets.Copy() }

// Indices returns the row and the column of each stored element, with type U32.
func (m *Matrix) Indices() (rowIDs, colIDs *tensor.Tensor) {
	return m.at.rowIDs.Copy(), m.at.colIDs.Copy()
}

// With returns the matrix with other values at the same positions, in the order of Values: a vector on the same
// device of F32, F64, C64 or C128. Values that are a variable, or depend on one, have gradients.
func (m *Matrix) With(values *tensor.Tensor) *Matrix {
	const op = "with"
	extend.SameDevice(op, m.values, values)
	if values.Rank() != 1 || values.Dim(0) != m.ElemCount() {
		extend.Shape(op, []*tensor.Tensor{values},
			"want a vector of %d values, not shape %v", m.ElemCount(), values.Dims())
	}
	checkType(op, values)
	return &Matrix{m.at, values}
}

// ToDType returns the matrix with elements of another type.
func (m *Matrix) ToDType(dt tensor.DType) *Matrix { return m.With(m.values.ToDType(dt)) }

// ToDevice returns the matrix on a device: itself if it is there.
func (m *Matrix) ToDevice(dev *tensor.Device) *Matrix {
	if dev == m.Device() {
		return m
	}
	p := m.at
	there := &pattern{rows: p.rows, cols: p.cols, offsets: p.offsets.ToDevice(dev), rowIDs: p.rowIDs.ToDevice(dev),
		colIDs: p.colIDs.ToDevice(dev)}
	return &Matrix{there, m.values.ToDevice(dev)}
}

// ToDense returns the matrix as a tensor [rows cols].
func (m *Matrix) ToDense() *tensor.Tensor {
	rows, cols := m.Dims()
	return sumAt(rows*cols, m.at.keys(), m.values).Reshape(rows, cols)
}

// String returns the shape, the number of stored elements, their type and the device.
func (m *Matrix) String() string {
	text := fmt.Sprintf("Matrix[[%d, %d], %d elements, %v", m.at.rows, m.at.cols, m.ElemCount(), m.DType())
	if dev := m.Device(); dev != tensor.CPU() {
		text += ", " + dev.Location()
	}
	return text + "]"
}

// sumAt returns a vector of n sums of the values with the same index, in their order.
func sumAt(n int, ids, values *tensor.Tensor) *tensor.Tensor {
	if !values.DType().IsComplex() {
		return values.Device().Zeros(values.DType(), n).IndexAdd(ids, values, 0)
	}
	zeros := values.Device().Zeros(values.DType().Real(), n, 2)
	return zeros.IndexAdd(ids, values.ViewAsReal(), 0).ViewAsComplex()
}

func checkType(op string, values *tensor.Tensor) {
	switch dt := values.DType(); dt {
	case tensor.F32, tensor.F64, tensor.C64, tensor.C128:
	default:
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{values}, "x.ToDType(tensor.F32) has one of them",
			"elements of sparse matrices are f32, f64, c64 or c128, not %v", dt)
	}
}
