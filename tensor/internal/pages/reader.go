package pages

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// Page is what is read of a page of a column without lists; a parquet.Page is one.
type Page interface {
	NumValues() int64
	NumNulls() int64
	DefinitionLevels() []byte
	Data() encoding.Values
	Dictionary() parquet.Dictionary
}

// Reader reads the pages of a column of a group of rows, which Check has checked. It is for those that parquet-go 0.32
// reads wrongly or refuses: those that LZ4 compresses to more than a third, booleans in runs, and differences of uint32
// as DuckDB writes them.
type Reader struct {
	r        io.ReaderAt
	pos, end int64
	column   *parquet.Column
	dict     parquet.Dictionary
}

// NewReader returns a reader, or nil for columns that parquet-go reads.
func NewReader(r io.ReaderAt, meta *format.ColumnMetaData, c *parquet.Column) *Reader {
	kind := c.Type().Kind()
	deltas := kind == parquet.Int32 && slices.Contains(meta.Encoding, format.DeltaBinaryPacked)
	if meta.Codec != format.Lz4Raw && kind != parquet.Boolean && !deltas {
		return nil
	}
	start := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	return &Reader{r: r, pos: start, end: start + meta.TotalCompressedSize, column: c}
}

// ReadPage returns the next page, and io.EOF after the last one.
func (p *Reader) ReadPage() (Page, error) {
	for p.pos < p.end {
		h, length, err := pageHeader(io.NewSectionReader(p.r, p.pos, p.end-p.pos))
		if err != nil {
			return nil, err
		}
		data := make([]byte, h.CompressedPageSize)
		if _, err := p.r.ReadAt(data, p.pos+length); err != nil {
			return nil, noEOF(err)
		}
		p.pos += length + int64(len(data))
		if h.CRC != 0 && crc32.ChecksumIEEE(data) != uint32(h.CRC) {
			return nil, fmt.Errorf("parquet: a page of %d bytes with another checksum than its header's", len(data))
		}
		switch {
		case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
			err = p.readDictionary(h, data)
		case h.Type == format.DataPage && h.DataPageHeader.Valid:
			return p.first(h, data)
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
			return p.second(h, data)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// whole returns data without its compression.
func (p *Reader) whole(data []byte, size int) ([]byte, error) {
	codec := p.column.Compression()
	if codec.CompressionCodec() == format.Uncompressed {
		return data, nil
	}
	out, err := codec.Decode(make([]byte, 0, size), data)
	if err == nil && len(out) != size {
		err = fmt.Errorf("a page of %d bytes that declares %d without its compression", len(out), size)
	}
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return out, nil
}

func (p *Reader) readDictionary(h *format.PageHeader, data []byte) error {
	data, err := p.whole(data, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	n := int(h.DictionaryPageHeader.V.NumValues)
	values, err := p.decode(data, n, format.Plain)
	if err != nil {
		return err
	}
	p.dict = p.column.Type().NewDictionary(p.column.Index(), n, values)
	return nil
}

// first reads a page of version 1, whose levels are compressed with its values.
func (p *Reader) first(h *format.PageHeader, data []byte) (Page, error) {
	v := &h.DataPageHeader.V
	data, err := p.whole(data, int(h.UncompressedPageSize))
	if err != nil {
		return nil, err
	}
	out := page{n: int(v.NumValues)}
	if most := int(p.column.MaxDefinitionLevel()); most > 0 {
		if v.DefinitionLevelEncoding != format.RLE {
			return nil, fmt.Errorf("parquet: levels of the encoding %v", v.DefinitionLevelEncoding)
		}
		var levels []byte
		if levels, data, err = prefixed(data); err != nil {
			return nil, err
		}
		if out.levels, err = runs(levels, most, out.n); err != nil {
			return nil, err
		}
	}
	return p.values(out, data, v.Encoding)
}

// second reads a page of version 2, whose levels are never compressed.
func (p *Reader) second(h *format.PageHeader, data []byte) (Page, error) {
	v := &h.DataPageHeaderV2.V
	repeats, defines := int(v.RepetitionLevelsByteLength), int(v.DefinitionLevelsByteLength)
	if repeats+defines > len(data) || repeats+defines > int(h.UncompressedPageSize) {
		return nil, io.ErrUnexpectedEOF
	}
	out, levels, data := page{n: int(v.NumValues)}, data[repeats:repeats+defines], data[repeats+defines:]
	var err error
	if !v.IsCompressed.Valid || v.IsCompressed.V {
		if data, err = p.whole(data, int(h.UncompressedPageSize)-repeats-defines); err != nil {
			return nil, err
		}
	}
	if most := int(p.column.MaxDefinitionLevel()); most > 0 && defines > 0 {
		if out.levels, err = runs(levels, most, out.n); err != nil {
			return nil, err
		}
	}
	return p.values(out, data, v.Encoding)
}

// isDictionary reports whether values are positions in a dictionary. Older files have the first of the two names.
func isDictionary(by format.Encoding) bool {
	const plainDictionary = 2
	return by == plainDictionary || by == format.RLEDictionary
}

// values reads the values of a page, whose levels are there.
func (p *Reader) values(out page, data []byte, by format.Encoding) (_ Page, err error) {
	for _, level := range out.levels {
		if int(level) != int(p.column.MaxDefinitionLevel()) {
			out.nulls++
		}
	}
	if isDictionary(by) {
		if p.dict == nil {
			return nil, fmt.Errorf("parquet: a page of the column %q without its dictionary", p.column.Name())
		}
		numbers, err := parquet.RLEDictionary.DecodeInt32(make([]int32, 0, out.n-out.nulls), data)
		if err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
		out.data, out.dict = encoding.Int32Values(numbers), p.dict
		return &out, nil
	}
	out.data, err = p.decode(data, out.n-out.nulls, by)
	return &out, err
}

// decode reads n values.
func (p *Reader) decode(data []byte, n int, by format.Encoding) (encoding.Values, error) {
	typ := p.column.Type()
	if by == format.RLE && typ.Kind() == parquet.Boolean {
		data, _, err := prefixed(data)
		if err != nil {
			return encoding.Values{}, err
		}
		all, err := runs(data, 1, n)
		if err != nil {
			return encoding.Values{}, err
		}
		packed := make([]byte, (n+7)/8)
		for i, x := range all {
			packed[i/8] |= x << (i % 8)
		}
		return encoding.BooleanValues(packed), nil
	}
	if by == format.DeltaBinaryPacked && typ.Kind() == parquet.Int32 {
		narrow, err := deltas(data, n)
		return encoding.Int32Values(narrow), err
	}
	with := parquet.LookupEncoding(by)
	var ends []uint32
	if typ.Kind() == parquet.ByteArray {
		ends = make([]uint32, 0, n+1)
	}
	values := typ.NewValues(make([]byte, 0, typ.EstimateDecodeSize(n, data, with)), ends)
	values, err := typ.Decode(values, data, with)
	if err != nil {
		return values, fmt.Errorf("parquet: %w", err)
	}
	return values, nil
}

// deltas reads n values of 32 bits from a first one and differences, modulo 2^32: DuckDB has those of uint32 in 33
// bits.
func deltas(data []byte, n int) ([]int32, error) {
	at, count := 0, uint64(0)
	for range 3 { // the sizes of blocks, and how many values there are
		v, size := binary.Uvarint(data[at:])
		if size <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		at, count = at+size, v
	}
	if count != uint64(n) {
		return nil, fmt.Errorf("parquet: %d values in differences, want %d", count, n)
	}
	wide, err := parquet.DeltaBinaryPacked.DecodeInt64(make([]int64, 0, n), data)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	narrow := make([]int32, len(wide))
	for i, v := range wide {
		narrow[i] = int32(v)
	}
	return narrow, nil
}

// prefixed cuts off bytes after their number.
func prefixed(data []byte) (first, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if n > int64(len(data)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return data[4 : 4+n], data[4+n:], nil
}

// runs reads n numbers of at most the given one: runs of one number, and of eight in as few bits as it takes.
func runs(data []byte, most, n int) ([]byte, error) {
	width := bits.Len(uint(most))
	out := make([]byte, 0, n)
	for len(out) < n {
		head, size := binary.Uvarint(data)
		if size <= 0 || head < 2 {
			return nil, fmt.Errorf("parquet: %d numbers in runs, want %d", len(out), n)
		}
		data = data[size:]
		count := min(head>>1, uint64(n-len(out)))
		if head&1 == 0 { // of one number
			if len(data) == 0 {
				return nil, io.ErrUnexpectedEOF
			}
			for range count {
				out = append(out, data[0])
			}
			data = data[1:]
			continue
		}
		size = int(min(head>>1, uint64(len(data)))) * width // of as many bits as bytes have
		count = min(head>>1*8, uint64(n-len(out)))
		if size > len(data) || uint64(size)*8 < count*uint64(width) {
			return nil, io.ErrUnexpectedEOF
		}
		for i := range int(count) * width {
			if i%width == 0 {
				out = append(out, 0)
			}
			out[len(out)-1] |= data[i/8] >> (i % 8) & 1 << (i % width)
		}
		data = data[size:]
	}
	return out, nil
}

// page implements Page.
type page struct {
	n, nulls int
	levels   []byte
	data     encoding.Values
	dict     parquet.Dictionary
}

func (p *page) NumValues() int64               { return int64(p.n) }
func (p *page) NumNulls() int64                { return int64(p.nulls) }
func (p *page) DefinitionLevels() []byte       { return p.levels }
func (p *page) Data() encoding.Values          { return p.data }
func (p *page) Dictionary() parquet.Dictionary { return p.dict }
