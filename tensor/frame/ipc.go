package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/tensor/frame/internal/arrowfile"
	"github.com/gorocm/gorocm/tensor/internal/pages"
	"github.com/gorocm/gorocm/tensor/limits"
)

// ReadArrow reads an Arrow IPC file (Feather, version 2), or an Arrow IPC stream, with buffers compressed by LZ4 or
// zstd or not. columns chooses columns, in their order; without any all are read. Types become those of columns as
// FromRecord says.
func ReadArrow(path string, columns ...string) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := readArrow(file, columns)
	return f, named(path, err)
}

// DecodeArrow is ReadArrow from bytes.
func DecodeArrow(data []byte, columns ...string) (*Frame, error) {
	return readArrow(bytes.NewReader(data), columns)
}

// batches is what reads record batches.
type batches interface {
	Schema() *arrow.Schema
	Read() (arrow.RecordBatch, error)
}

func readArrow(r ipc.ReadAtSeeker, columns []string) (f *Frame, err error) {
	defer func() { // the library panics on some malformed files
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("arrow: a malformed file: %v", p)
		}
	}()
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	magic := make([]byte, len(ipc.Magic))
	if _, err := r.ReadAt(magic, 0); err != nil {
		return nil, fmt.Errorf("arrow: a file of %d bytes", size)
	}
	if err := arrowfile.Check(r, size, bytes.Equal(magic, ipc.Magic)); err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	options := []ipc.Option{ipc.WithBodySizeLimit(size), ipc.WithMetadataSizeLimit(size),
		ipc.WithAllocator(boundedBy(size))}
	var b batches
	if bytes.Equal(magic, ipc.Magic) {
		file, err := ipc.NewFileReader(r, options...)
		if err != nil {
			return nil, fmt.Errorf("arrow: %w", err)
		}
		defer file.Close()
		b = file
	} else {
		stream, err := ipc.NewReader(r, options...)
		if err != nil {
			return nil, fmt.Errorf("arrow: neither an Arrow file nor a stream: %w", err)
		}
		defer stream.Release()
		b = stream
	}
	return readBatches(b, columns, max(pages.FreeValues, 8*int64(limits.TableExpansion.Value())*size))
}

// boundedMemory allocates what is likely for a file, and what there is room for: a file may declare any size for a
// buffer that it compresses.
type boundedMemory struct {
	memory.Allocator
	most int64
}

func boundedBy(size int64) boundedMemory {
	return boundedMemory{memory.NewGoAllocator(), max(pages.FreePage, int64(limits.TableExpansion.Value())*size)}
}

func (m boundedMemory) Allocate(n int) []byte {
	m.check(n)
	return m.Allocator.Allocate(n)
}

func (m boundedMemory) Reallocate(n int, old []byte) []byte {
	m.check(n)
	return m.Allocator.Reallocate(n, old)
}

// check panics, which readArrow makes an error of.
func (m boundedMemory) check(n int) {
	if int64(n) > m.most {
		panic(limits.TableExpansion.Reached(fmt.Sprintf("a buffer of %d bytes", n)))
	}
	if e := budget.Room(int64(n)); e != nil {
		panic(e)
	}
}

// readBatches reads the columns of all batches, of at most a number of rows that is likely for the file.
func readBatches(b batches, columns []string, most int64) (*Frame, error) {
	fields, err := chosenFields(b.Schema(), columns)
	if err != nil {
		return nil, err
	}
	pieces := make([][]*Column, len(fields))
	rows := 0
	for {
		batch, err := b.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("arrow: %w", err)
		}
		if n := batch.NumRows(); n < 0 || n > most {
			return nil, fmt.Errorf("arrow: a malformed file: a batch of %d rows", n)
		}
		for i, k := range fields {
			if n := batch.Column(k).Len(); int64(n) != batch.NumRows() {
				return nil, fmt.Errorf("arrow: a malformed file: %d values in a batch of %d rows", n, batch.NumRows())
			}
			c, err := fromArrow(batch.Column(k))
			if err != nil {
				return nil, fmt.Errorf("arrow: column %q, after %d rows: %w", b.Schema().Field(k).Name, rows, err)
			}
			pieces[i] = append(pieces[i], c)
		}
		if rows += int(batch.NumRows()); rows > maxRows {
			return nil, fmt.Errorf("arrow: more than %d rows", maxRows)
		}
	}
	cols := make([]*Column, len(fields))
	for i, k := range fields {
		field := b.Schema().Field(k)
		if len(pieces[i]) == 0 {
			c, err := emptyColumn(field.Type)
			if err != nil {
				return nil, fmt.Errorf("arrow: column %q: %w", field.Name, err)
			}
			pieces[i] = []*Column{c}
		}
		cols[i] = concatTyped(pieces[i]).Rename(field.Name)
	}
	return framed("arrow", cols, rows)
}

// concatTyped is concat for pieces of which those without any value have no type of their own.
func concatTyped(pieces []*Column) *Column {
	typ := pieces[0].typ
	for _, p := range pieces {
		if p.typ != typ { // dictionaries with missing values are read as strings
			typ = String
		}
	}
	for i, p := range pieces {
		pieces[i] = p.as("arrow", typ)
	}
	return concat(pieces)
}

// chosenFields lists the positions of columns.
func chosenFields(schema *arrow.Schema, columns []string) ([]int, error) {
	var out []int
	if len(columns) == 0 {
		for i := range schema.NumFields() {
			out = append(out, i)
		}
		return out, nil
	}
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	for _, c := range columns {
		at := schema.FieldIndices(c)
		if len(at) == 0 {
			return nil, missingName("arrow", c, names)
		}
		out = append(out, at[0])
	}
	return out, nil
}

// missingName is the error for a column that a file does not have.
func missingName(format, name string, names []string) error {
	err := fmt.Errorf("%s: no column %q: the columns are %s", format, name, listOf(names))
	if note := nearestNote(name, names); note != "" {
		err = fmt.Errorf("%w; %s", err, note)
	}
	return err
}

// emptyColumn is a column without rows of a type of Arrow.
func emptyColumn(t arrow.DataType) (*Column, error) {
	b := arrowBuilder(t)
	defer b.Release()
	a := b.NewArray()
	defer a.Release()
	return fromArrow(a)
}

// WriteArrow writes the frame as an Arrow IPC file (Feather, version 2), compressed by zstd, which pandas, polars and
// others read. ReadArrow reads the same frame.
func (f *Frame) WriteArrow(path string) error { return writeFile(path, f.EncodeArrow) }

// EncodeArrow is WriteArrow to a stream.
func (f *Frame) EncodeArrow(w io.Writer) error {
	out, err := ipc.NewFileWriter(w, ipc.WithSchema(arrowSchema(f)), ipc.WithZstd())
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	const batch = 1 << 20 // rows
	for lo := 0; lo < f.rows; lo += batch {
		part := f
		if f.rows > batch {
			part = compacted(f.slice(lo, min(lo+batch, f.rows)))
		}
		if err := out.Write(part.Record()); err != nil {
			return fmt.Errorf("arrow: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}

// compact gives strings of parts of frames text of their own.
func compacted(f *Frame) *Frame {
	out := *f
	out.cols = append([]*Column{}, f.cols...)
	for i, c := range f.cols {
		if c.typ == String {
			first := c.ends[0]
			copied := *c
			copied.text = c.text[first:c.ends[c.n]]
			copied.ends = computed(c.n+1, func(k int) int64 { return c.ends[k] - first })
			out.cols[i] = &copied
		}
	}
	return &out
}
