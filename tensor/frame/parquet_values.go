package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	var text []byte
	ends := []uint32{0}
	for _, b := range values {
		text = fmt.Appendf(text, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		ends = append(ends, uint32(len(text)))
	}
	return r.appendTexts(v, text, ends)
}

// texts reads strings, which must be UTF-8.
func (r *chunkReader) texts(v *pageValues) error {
	data := v.data()
	b, ends := data.ByteArray()
	if len(ends) == 0 {
		return r.appendTexts(v, nil, []uint32{0})
	}
	if first, last := ends[0], ends[len(ends)-1]; first > last || int(last) > len(b) || !utf8.Valid(b[first:last]) {
		return errors.New("parquet: bytes that are not UTF-8, which columns do not have")
	}
	for i := range ends[1:] {
		if ends[i] > ends[i+1] {
			return io.ErrUnexpectedEOF
		}
	}
	return r.appendTexts(v, b, ends)
}

// appendTexts appends the strings of a page, of which string k is b[ends[k]:ends[k+1]], looked up in its dictionary if
// there is one.
func (r *chunkReader) appendTexts(v *pageValues, b []byte, ends []uint32) error {
	c, next, n := r.c, 0, len(ends)-1
	if c.n > 0 && cap(c.text)-len(c.text) < len(c.text)/c.n*v.n { // as much as rows up to now, for all rows
		per := len(c.text)/c.n + 1
		c.text = slices.Grow(c.text, min(per*(r.rows-c.n), 4*len(c.text)+per*v.n))
	}
	text, out := c.text, c.ends
	for i := range v.n {
		if v.levels == nil || v.levels[i] == r.level {
			k := next
			if v.dict != nil {
				if next >= len(v.indices) {
					return io.ErrUnexpectedEOF
				}
				k = int(v.indices[next])
			}
			if uint(k) >= uint(n) {
				return io.ErrUnexpectedEOF
			}
			text = append(text, b[ends[k]:ends[k+1]]...)
			next++
		}
		out = append(out, int64(len(text)))
	}
	c.text, c.ends = text, out
	return nil
}
