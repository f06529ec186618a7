package frame

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// tensorColumn copies a vector: Bool to Bool, integers to Int64, F32 and narrower floats to Float32, F64 to Float64.
func tensorColumn(op, name string, t *tensor.Tensor) *Column {
	if t.Rank() != 1 {
		fail(op, tensor.ErrShape, "frame.FromTensor makes columns of a matrix",
			"column %q: a tensor of shape %v: want a vector", name, t.Dims())
	}
	dt := t.DType()
	switch {
	case dt == tensor.Bool:
		return NewColumn(name, tensor.ToVec1[bool](t))
	case dt == tensor.F64:
		return NewColumn(name, tensor.ToVec1[float64](t))
	case dt.IsFloat():
		return NewColumn(name, tensor.ToVec1[float32](t.ToDType(tensor.F32)))
	case dt == tensor.U64:
		return NewColumn(name, tensor.ToVec1[uint64](t))
	case dt.IsComplex():
		fail(op, tensor.ErrDType, "", "column %q: a tensor of %v: want real numbers", name, dt)
	}
	return NewColumn(name, tensor.ToVec1[int64](t.ToDType(tensor.I64)))
}

// FromTensor makes a frame of a matrix, [rows columns], or of a vector as one column. Without names the columns are
// called 0, 1 and so on. It panics with ErrShape for other ranks, and for a number of names that differs.
func FromTensor(t *tensor.Tensor, names ...string) *Frame {
	const op = "fromtensor"
	if t.Rank() == 1 {
		t = t.Unsqueeze(1)
	}
	if t.Rank() != 2 || len(names) > 0 && len(names) != t.Dim(1) {
		fail(op, tensor.ErrShape, "", "a tensor of shape %v and %d names: want a matrix, and a name for each column or none",
			t.Dims(), len(names))
	}
	cols := make([]*Column, t.Dim(1))
	for j := range cols {
		name := fmt.Sprint(j)
		if len(names) > 0 {
			name = names[j]
		}
		cols[j] = tensorColumn(op, name, t.Narrow(1, j, 1).FlattenAll())
	}
	return fromColumns(op, cols...)
}

// Tensor returns columns of numbers or bools as a matrix, [rows columns], of a dtype on a device; without names all
// columns:
//
//	x := f.Tensor(dev, tensor.F32, "length", "width")
//
// Int64 columns become integers of a dtype of integers exactly; floats are rounded to it. It panics with ErrValue when
// a value is missing, and with ErrDType when a column is neither numbers nor bools, or a float becomes an integer.
func (f *Frame) Tensor(dev *tensor.Device, dt tensor.DType, names ...string) *tensor.Tensor {
	const op = "tensor"
	cols := f.cols
	if len(names) > 0 {
		cols = f.columns(op, names)
	}
	if len(cols) == 0 {
		return dev.Zeros(dt, f.rows, 0)
	}
	vectors := make([]*tensor.Tensor, len(cols))
	for i, c := range cols {
		vectors[i] = columnTensor(c, op, dev, dt).Unsqueeze(1)
	}
	return tensor.Cat(vectors, 1)
}

// Tensor returns a column of numbers or bools as a vector of a dtype on a device. Codes of a Category are its numbers:
// Category columns give those. It panics as Frame.Tensor does.
func (c *Column) Tensor(dev *tensor.Device, dt tensor.DType) *tensor.Tensor {
	return columnTensor(c, "tensor", dev, dt)
}

func columnTensor(c *Column, op string, dev *tensor.Device, dt tensor.DType) *tensor.Tensor {
	if n := c.Missing(); n > 0 {
		fail(op, tensor.ErrValue, "f.DropMissing leaves such rows out, f.FillMissing gives them a value",
			"%d of %d values of column %q are missing", n, c.n, c.name)
	}
	floats := dt.IsFloat() || dt.IsComplex()
	switch {
	case c.typ == Bool:
		return dev.New(c.Bools()).ToDType(dt)
	case c.typ == Category:
		return dev.New(c.days).ToDType(dt)
	case c.typ == Int64:
		return dev.New(c.ints).ToDType(dt)
	case c.typ == Float64 && floats:
		return dev.New(c.floats).ToDType(dt)
	case c.typ == Float32 && floats:
		return dev.New(c.single).ToDType(dt)
	case c.typ.isFloat():
		fail(op, tensor.ErrDType, "Cast(frame.Int64) makes integers of whole numbers",
			"column %q is %v: want integers for a tensor of %v", c.name, c.typ, dt)
	}
	fail(op, tensor.ErrDType, "", "column %q is %v: want numbers or bools", c.name, c.typ)
	return nil
}

// Codes returns the numbers of the categories, from 0 on, and their names by number. It panics with ErrDType for other
// types, and with ErrValue when a value is missing.
func (c *Column) Codes() (codes []int64, names []string) {
	c.whole("codes", Category)
	codes = make([]int64, c.n)
	for i, v := range c.days {
		codes[i] = int64(v)
	}
	return codes, c.dict.Strings()
}
