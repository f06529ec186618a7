// Package pages checks the pages and the footer of a Parquet file before the library that decodes them takes memory for
// what they declare.
package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	compact "github.com/gorocm/gorocm/tensor/internal/thrift"
	"github.com/gorocm/gorocm/tensor/limits"
)

// Bounds of what a page of a Parquet file may declare. The library takes memory for that before it looks at the page,
// and without bound for malformed LZ4. Pages of common writers have about 1 MB.
const (
	FreePage   = 64 << 20 // bytes of a page without its compression
	FreeValues = 1 << 20  // of a page: runs of one value need no space
	maxHeader  = 1 << 20  // bytes of a page's header
)

// Check reads the headers of all pages of a column in a group of rows, whose sizes must be likely and whose values
// must be those of all rows.
func Check(r io.ReaderAt, size int64, meta *format.ColumnMetaData, rows int64) error {
	start := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	end := start + meta.TotalCompressedSize
	if start < 0 || meta.TotalCompressedSize < 0 || end > size || end < start {
		return fmt.Errorf("parquet: bytes %d to %d of a file of %d", start, end, size)
	}
	values := int64(0)
	for pos := start; pos < end && values < rows; {
		h, length, err := pageHeader(io.NewSectionReader(r, pos, end-pos))
		if err != nil {
			return err
		}
		pos += length
		if err := checkHeader(h, end-pos); err != nil {
			return err
		}
		if meta.Codec == format.Lz4Raw {
			if err := checkLZ4(r, pos, h); err != nil {
				return err
			}
		}
		pos += int64(h.CompressedPageSize)
		switch {
		case h.Type == format.DataPage && h.DataPageHeader.Valid:
			values += int64(h.DataPageHeader.V.NumValues)
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
			values += int64(h.DataPageHeaderV2.V.NumValues)
		}
	}
	if values != rows {
		return fmt.Errorf("parquet: pages of %d values in a group of %d rows", values, rows)
	}
	return nil
}

// pageHeader reads the header of a page, and returns its length.
func pageHeader(r *io.SectionReader) (h *format.PageHeader, length int64, err error) {
	for n := int64(256); ; n *= 16 {
		buf := make([]byte, min(n, r.Size()))
		if _, err := r.ReadAt(buf, 0); err != nil {
			return nil, 0, fmt.Errorf("parquet: %w", noEOF(err))
		}
		length, err := compact.Length(buf)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) && n < min(maxHeader, r.Size()):
			continue
		case err == nil:
			h, protocol := &format.PageHeader{}, thrift.CompactProtocol{}
			if err = thrift.NewDecoder(protocol.NewReader(bytes.NewReader(buf[:length]))).Decode(h); err == nil {
				return h, int64(length), nil
			}
		}
		return nil, 0, fmt.Errorf("parquet: the header of a page: %w", noEOF(err))
	}
}

func checkHeader(h *format.PageHeader, left int64) error {
	n, whole := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if n < 0 || n > left || whole < 0 {
		return fmt.Errorf("parquet: a page of %d bytes, where %d are left", n, left)
	}
	if whole > FreePage {
		what := fmt.Sprintf("parquet: a page of %d bytes that declares %d without its compression", n, whole)
		if err := limits.TableExpansion.Check(int((whole+max(n, 1)-1)/max(n, 1)), what); err != nil {
			return err
		}
	}
	values := int64(0)
	switch {
	case h.DataPageHeader.Valid:
		values = int64(h.DataPageHeader.V.NumValues)
	case h.DataPageHeaderV2.Valid:
		values = int64(h.DataPageHeaderV2.V.NumValues)
		if v := h.DataPageHeaderV2.V; int64(v.DefinitionLevelsByteLength) < 0 || v.RepetitionLevelsByteLength < 0 ||
			int64(v.DefinitionLevelsByteLength)+int64(v.RepetitionLevelsByteLength) > n {
			return errors.New("parquet: levels that are longer than their page")
		}
	case h.DictionaryPageHeader.Valid:
		values = int64(h.DictionaryPageHeader.V.NumValues)
	}
	if values < 0 || values > FreeValues && values > 1024*whole {
		return fmt.Errorf("parquet: a page of %d bytes that declares %d values", n, values)
	}
	return nil
}

// checkLZ4 reads a compressed page as far as to know that it is well formed and as long as its header says: the library
// doubles its memory until a page fits.
func checkLZ4(r io.ReaderAt, pos int64, h *format.PageHeader) error {
	data := make([]byte, h.CompressedPageSize)
	if _, err := r.ReadAt(data, pos); err != nil {
		return fmt.Errorf("parquet: %w", noEOF(err))
	}
	whole := int(h.UncompressedPageSize)
	if h.DataPageHeaderV2.Valid {
		v := h.DataPageHeaderV2.V
		levels := int(v.DefinitionLevelsByteLength) + int(v.RepetitionLevelsByteLength)
		if v.IsCompressed.Valid && !v.IsCompressed.V {
			return nil
		}
		data, whole = data[levels:], whole-levels
	}
	if n, ok := lz4Length(data); !ok || n != whole {
		return errors.New("parquet: a malformed LZ4 page")
	}
	return nil
}

// lz4Length returns how many bytes an LZ4 block holds, if it is well formed.
func lz4Length(b []byte) (n int, ok bool) {
	long := func(v int) int { // lengths from 15 on go on in bytes
		for v >= 15 && len(b) > 0 {
			c := b[0]
			b = b[1:]
			if v += int(c); c != 255 {
				break
			}
		}
		return v
	}
	if len(b) == 0 {
		return 0, true
	}
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		literals := long(int(token >> 4))
		if literals > len(b) {
			return 0, false
		}
		n, b = n+literals, b[literals:]
		if len(b) == 0 {
			return n, true
		}
		if len(b) < 2 {
			return 0, false
		}
		offset := int(b[0]) | int(b[1])<<8
		b = b[2:]
		if offset == 0 || offset > n {
			return 0, false
		}
		n += long(int(token&15)) + 4
	}
	return 0, false // a block ends with literals
}

// CheckFooter checks the footer of a file: the library allocates memory for the size that it declares, and reads lists
// of as many elements and as deep as it has them, whether or not there are bytes for them.
func CheckFooter(r io.ReaderAt, size int64) error {
	end := make([]byte, 8) // the size, and PAR1
	if n, err := r.ReadAt(end, size-int64(len(end))); n < len(end) {
		return fmt.Errorf("parquet: a file of %d bytes: %w", size, err)
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if length > size-int64(len(end)) {
		return fmt.Errorf("parquet: a footer of %d bytes in a file of %d bytes", length, size)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-int64(len(end))-length); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if _, err := compact.Length(footer); err != nil {
		return fmt.Errorf("parquet: the footer: %w", noEOF(err))
	}
	return nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
