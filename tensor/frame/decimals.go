package frame

import (
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/parquet-go/parquet-go"

	"github.com/gorocm/gorocm/tensor/frame/internal/decimal"
)

// decimalTypes are the types of columns that hold decimals without a loss.
var decimalTypes = [...]Type{decimal.Int: Int64, decimal.Float: Float64, decimal.Text: String}

// decimalValues reads decimals of Arrow.
func decimalValues(c *Column, a arrow.Array, at func(i int) decimal.Value) (*Column, error) {
	t := a.DataType().(arrow.DecimalType)
	of, err := decimal.Of(int(t.GetPrecision()), int(t.GetScale()))
	if err != nil {
		return nil, err
	}
	read, err := of.Read(c.n, func(i int) (v decimal.Value, there bool) {
		if there = c.valid.has(i); there {
			v = at(i)
		}
		return v, there
	})
	c.typ = decimalTypes[of.Form()]
	c.ints, c.floats, c.text, c.ends = read.Ints, read.Floats, read.Text, read.Ends
	return c, err
}

// decimals reads decimals of Parquet.
func (r *chunkReader) decimals(v *pageValues) error {
	n, at, err := r.unscaled(v)
	if err != nil {
		return err
	}
	read, err := r.ten.Read(n, func(i int) (decimal.Value, bool) { return at(i), true })
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	switch r.typ {
	case Int64:
		r.c.ints, err = put(v, r.c.ints, read.Ints)
	case Float64:
		r.c.floats, err = put(v, r.c.floats, read.Floats)
	default:
		if len(read.Text) > math.MaxUint32 {
			return fmt.Errorf("parquet: a page of decimals of %d bytes: at most %d", len(read.Text), uint32(math.MaxUint32))
		}
		ends := make([]uint32, n+1)
		for i, end := range read.Ends {
			ends[i] = uint32(end)
		}
		return r.addTexts(v, v.texts(read.Text, ends))
	}
	return err
}

// unscaled returns the decimals of a page, or of its dictionary, without their points.
func (r *chunkReader) unscaled(v *pageValues) (n int, at func(i int) decimal.Value, err error) {
	switch r.kind {
	case parquet.Int32, parquet.Int64:
		values := v.int64s(r.kind)
		return len(values), func(i int) decimal.Value { return decimal.Small(values[i]) }, nil
	case parquet.FixedLenByteArray:
		values, err := v.fixed(r.col.Type().Length())
		return len(values), func(i int) decimal.Value { return decimal.Bytes(values[i]) }, err
	}
	data := v.data()
	b, ends := data.ByteArray()
	for i, end := range ends {
		if int(end) > len(b) || i > 0 && end < ends[i-1] {
			return 0, nil, io.ErrUnexpectedEOF
		}
	}
	return max(len(ends)-1, 0), func(i int) decimal.Value { return decimal.Bytes(b[ends[i]:ends[i+1]]) }, nil
}
