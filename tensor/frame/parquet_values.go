package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/gorocm/gorocm/tensor/frame/internal/half"
	"github.com/gorocm/gorocm/tensor/frame/internal/spread"
)

// data returns the values of a page, or of its dictionary.
func (v *pageValues) data() encoding.Values {
	if v.dict != nil {
		return v.dict.Page().Data()
	}
	return v.page.Data()
}

// int64s returns the integers of a page, or of its dictionary.
func (v *pageValues) int64s(kind parquet.Kind) []int64 {
	if kind == parquet.Int64 {
		if v.dict != nil {
			data := v.dict.Page().Data()
			return data.Int64()
		}
		data := v.page.Data()
		return data.Int64()
	}
	var narrow []int32
	if v.dict != nil {
		data := v.dict.Page().Data()
		narrow = data.Int32()
	} else {
		data := v.page.Data()
		narrow = data.Int32()
	}
	out := make([]int64, len(narrow))
	for i, x := range narrow {
		out[i] = int64(x)
	}
	return out
}

func (r *chunkReader) integers(v *pageValues) (err error) {
	values := v.int64s(r.kind)
	if r.scale != 1 || r.uint != 0 {
		values = append([]int64{}, values...)
	}
	if r.scale != 1 {
		for i, x := range values {
			if x > math.MaxInt64/r.scale || x <= math.MinInt64/r.scale {
				return fmt.Errorf("parquet: the time %d is outside what a timestamp holds, 1678 to 2261", x)
			}
			values[i] = x * r.scale
		}
	}
	switch {
	case r.uint == 64:
		for _, x := range values {
			if x < 0 {
				return fmt.Errorf("parquet: %d is beyond int64", uint64(x))
			}
		}
	case r.uint != 0:
		for i, x := range values {
			values[i] = x & (1<<r.uint - 1)
		}
	}
	r.c.ints, err = put(v, r.c.ints, values)
	return err
}

func (r *chunkReader) dates(v *pageValues) (err error) {
	data := v.data()
	r.c.days, err = put(v, r.c.days, data.Int32())
	return err
}

func (r *chunkReader) doubles(v *pageValues) (err error) {
	data := v.data()
	r.c.floats, err = put(v, r.c.floats, data.Double())
	return err
}

func (r *chunkReader) singles(v *pageValues) (err error) {
	data := v.data()
	r.c.single, err = put(v, r.c.single, data.Float())
	return err
}

func (r *chunkReader) bools(v *pageValues) error {
	data := v.data()
	packed := data.Boolean()
	values := newBitmap(8 * len(packed))
	for i, b := range packed {
		values[i>>3] |= uint64(b) << (i & 7 * 8)
	}
	if v.dict != nil {
		looked := newBitmap(v.present)
		for i, k := range v.indices {
			if uint(k) >= uint(8*len(packed)) {
				return io.ErrUnexpectedEOF
			}
			if values.get(int(k)) {
				looked.set(i)
			}
		}
		values = looked
	} else if 8*len(packed) < v.present {
		return io.ErrUnexpectedEOF
	}
	if v.there == nil {
		r.c.bits.put(r.c.n, values, v.n)
		return nil
	}
	next := 0
	for i := 0; i < v.n; {
		lo, hi := spread.Run(v.there, i, v.n)
		for j := lo; j < hi; j, next = j+1, next+1 {
			if values.get(next) {
				r.c.bits.set(r.c.n + j)
			}
		}
		i = hi
	}
	return nil
}

// int96 reads the timestamps of older writers: nanoseconds of a day, and the Julian day.
func (r *chunkReader) int96(v *pageValues) (err error) {
	const julian1970 = 2440588
	data := v.data()
	raw := data.Int96()
	values := make([]int64, len(raw))
	for i, x := range raw {
		ns, day := int64(uint64(x[0])|uint64(x[1])<<32), int64(int32(x[2]))-julian1970
		if day > 106751 || day < -106751 || ns < 0 || ns >= nanosPerDay {
			return errors.New("parquet: a time outside what a timestamp holds, 1678 to 2261")
		}
		values[i] = day*nanosPerDay + ns
	}
	r.c.ints, err = put(v, r.c.ints, values)
	return err
}

// fixed cuts values of one size.
func (v *pageValues) fixed(size int) ([][]byte, error) {
	data := v.data()
	b, n := data.FixedLenByteArray()
	if n != size {
		return nil, fmt.Errorf("parquet: values of %d bytes: want %d", n, size)
	}
	out := make([][]byte, len(b)/size)
	for i := range out {
		out[i] = b[i*size : (i+1)*size]
	}
	return out, nil
}

func (r *chunkReader) halves(v *pageValues) error {
	values, err := v.fixed(2)
	if err != nil {
		return err
	}
	wide := make([]float32, len(values))
	for i, b := range values {
		wide[i] = half.Float32(binary.LittleEndian.Uint16(b))
	}
	r.c.single, err = put(v, r.c.single, wide)
	return err
}

func (r *chunkReader) uuids(v *pageValues) error {
	values, err := v.fixed(16)
	if err != nil {
		return err
	}
	var text []byte
	ends := []uint32{0}
	for _, b := range values {
		text = fmt.Appendf(text, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		ends = append(ends, uint32(len(text)))
	}
	return r.addTexts(v, v.texts(text, ends))
}
