package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/parquet-go/parquet-go/encoding"
)

// data returns the values of a page, or of its dictionary.
func (v *pageValues) data() encoding.Values {
	if v.dict != nil {
		return v.dict.Page().Data()
	}
	return v.page.Data()
}

func (r *chunkReader) doubles(v *pageValues) (err error) {
	data := v.data()
	r.c.floats, err = spread(r, v, r.c.floats, data.Double(), same)
	return err
}

func (r *chunkReader) singles(v *pageValues) (err error) {
	data := v.data()
	r.c.single, err = spread(r, v, r.c.single, data.Float(), same)
	return err
}

func (r *chunkReader) bools(v *pageValues) (err error) {
	data := v.data()
	packed := data.Boolean()
	values := make([]bool, 8*len(packed))
	for i := range values {
		values[i] = packed[i>>3]>>(i&7)&1 != 0
	}
	r.groups, err = spread(r, v, r.groups, values, same)
	return err
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
	r.c.ints, err = spread(r, v, r.c.ints, values, same)
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
	r.c.single, err = spread(r, v, r.c.single, values, func(b []byte) float32 {
		return float16.FromBits(binary.LittleEndian.Uint16(b)).Float32()
	})
	return err
}

func (r *chunkReader) uuids(v *pageValues) error {
	values, err := v.fixed(16)
	if err != nil {
		return err
	}
	for i, b := range values {
		values[i] = fmt.Appendf(nil, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	return r.appendTexts(v, func(k int) []byte { return values[k] }, len(values))
}

// texts reads strings, which must be UTF-8.
func (r *chunkReader) texts(v *pageValues) error {
	data := v.data()
	b, ends := data.ByteArray()
	if len(ends) == 0 {
		return r.appendTexts(v, nil, 0)
	}
	if first, last := ends[0], ends[len(ends)-1]; first > last || int(last) > len(b) || !utf8.Valid(b[first:last]) {
		return errors.New("parquet: bytes that are not UTF-8, which columns do not have")
	}
	for i := range ends[1:] {
		if ends[i] > ends[i+1] {
			return io.ErrUnexpectedEOF
		}
	}
	return r.appendTexts(v, func(k int) []byte { return b[ends[k]:ends[k+1]] }, len(ends)-1)
}

func (r *chunkReader) appendTexts(v *pageValues, at func(k int) []byte, n int) error {
	if r.c.n > 0 && cap(r.c.text)-len(r.c.text) < len(r.c.text)/r.c.n*v.n { // as much as rows up to now, for all rows
		per := len(r.c.text)/r.c.n + 1
		r.c.text = slices.Grow(r.c.text, min(per*(r.rows-r.c.n), 4*len(r.c.text)+per*v.n))
	}
	next := 0
	for i := range v.n {
		if v.levels == nil || v.levels[i] == r.level {
			k := next
			if v.dict != nil {
				if next >= len(v.indices) {
					return io.ErrUnexpectedEOF
				}
				k = int(v.indices[next])
			}
			if k < 0 || k >= n {
				return io.ErrUnexpectedEOF
			}
			b := at(k)
			if len(r.c.text) > math.MaxInt-len(b) {
				return errors.New("parquet: too much text")
			}
			r.c.text = append(r.c.text, b...)
			next++
		}
		r.c.ends = append(r.c.ends, int64(len(r.c.text)))
	}
	return nil
}
