package csvtext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Field is a part of a text: its start in the lower half, its end in the upper.
type Field uint64

const (
	quoted  = 1 << 31 // the field was in quotes, which the bounds leave out
	Escaped = 1 << 30 // it has quotes, each twice
	PosMask = 1<<30 - 1
)

func fieldAt(start, end int, flags uint64) Field {
	return Field(uint64(start) | flags | uint64(end)<<32)
}

func (f Field) In(data []byte) []byte { return data[uint64(f)&PosMask : f>>32] }

func (f Field) Quoted() bool { return f&quoted != 0 }

// Value returns the bytes of a field, without what escapes quotes.
func (f Field) Value(data []byte) []byte {
	b := f.In(data)
	if f&Escaped != 0 {
		return bytes.ReplaceAll(b, []byte(`""`), []byte(`"`))
	}
	return b
}

// The errors of rows.
var (
	errBareQuote = errors.New(`a quote inside a field that does not begin with one: want the field in quotes, and "" for each quote in it`)
	errAfter     = errors.New("text after a closing quote")
	errOpen      = errors.New("a quote that is not closed")
	ErrNotUTF8   = errors.New("text that is not UTF-8: want the file converted, as by iconv -f LATIN1 -t UTF-8")
)

// RowError is an error in a line, counted from the start of the text.
type RowError struct {
	Pos int // of the row
	Err error
}

// Index holds where the fields of the columns that are read begin and end, row by row.
type Index struct {
	Data   []byte
	Comma  byte
	Width  int   // fields of a row
	Slots  []int // for each field of a row its position among those that are kept, or -1
	Kept   int
	Limit  int // rows; -1: all
	Fields []Field
	Rows   int
	Starts []uint32 // of rows, for the lines in errors

	col   int // of the field that is read
	start int // of that field
	row   int // where the row began
	line  []Field
}

const lowBytes = 0x0101010101010101

// equalBytes sets the highest bit of each byte that is b.
func equalBytes(w, b uint64) uint64 {
	const low7 = 0x7f * lowBytes
	x := w ^ b
	return ^((x & low7) + low7 | x | low7)
}

// Scan finds all fields.
func (x *Index) Scan() *RowError {
	data, n := x.Data, len(x.Data)
	comma, newline, quote := uint64(x.Comma)*lowBytes, uint64('\n')*lowBytes, uint64('"')*lowBytes
	x.line = make([]Field, x.Kept)
	x.Fields = make([]Field, 0, x.Kept*(n/(8*max(1, x.Width))+16))
	for p := 0; p < n; {
		if x.Rows == x.Limit {
			return nil
		}
		var found uint64
		if p+8 <= n {
			w := binary.LittleEndian.Uint64(data[p:])
			found = equalBytes(w, comma) | equalBytes(w, newline) | equalBytes(w, quote)
		} else {
			var last [8]byte
			copy(last[:], data[p:])
			w := binary.LittleEndian.Uint64(last[:])
			found = (equalBytes(w, comma) | equalBytes(w, newline) | equalBytes(w, quote)) & (1<<(8*(n-p)) - 1)
		}
		next := p + 8
		for ; found != 0; found &= found - 1 {
			q := p + bits.TrailingZeros64(found)>>3
			switch data[q] {
			case x.Comma:
				x.end(q, 0)
			case '\n':
				end := q
				if end > x.start && data[end-1] == '\r' {
					end--
				}
				if err := x.endRow(end, q+1); err != nil || x.Rows == x.Limit {
					return err
				}
			default:
				after, err := x.quotedField(q)
				if err != nil {
					return &RowError{x.row, err}
				}
				next, found = after, 1
			}
		}
		p = next
	}
	if x.start < n || x.col > 0 {
		end := n
		if end > x.start && data[end-1] == '\r' {
			end--
		}
		return x.endRow(end, n)
	}
	return nil
}

// end notes a field.
func (x *Index) end(end int, flags uint64) {
	if x.col < x.Width {
		if slot := x.Slots[x.col]; slot >= 0 {
			x.line[slot] = fieldAt(x.start, end, flags)
		}
	}
	x.col++
	x.start = end + 1
}

// endRow notes the last field of a row.
func (x *Index) endRow(end, next int) *RowError {
	if end == x.start && x.col == 0 && x.Width > 1 { // an empty line
		x.start, x.row = next, next
		return nil
	}
	x.end(end, 0)
	return x.finish(next)
}

func (x *Index) finish(next int) *RowError {
	if x.col != x.Width {
		return &RowError{x.row, fmt.Errorf("%d fields: want %d, as the header has", x.col, x.Width)}
	}
	x.Fields = append(x.Fields, x.line...)
	x.Starts = append(x.Starts, uint32(x.row))
	x.Rows++
	x.col, x.start, x.row = 0, next, next
	return nil
}

// quotedField reads a field in quotes, whose first one is at q, and what ends it; it returns where to go on. Blanks
// around the quotes are no part of it.
func (x *Index) quotedField(q int) (next int, err error) {
	if len(bytes.Trim(x.Data[x.start:q], " \t")) > 0 {
		return 0, errBareQuote
	}
	data, flags := x.Data, uint64(quoted)
	for p := q + 1; ; {
		i := bytes.IndexByte(data[p:], '"')
		if i < 0 {
			return 0, errOpen
		}
		end := p + i
		if end+1 < len(data) && data[end+1] == '"' {
			flags |= Escaped
			p = end + 2
			continue
		}
		x.start = q + 1
		after := end + 1
		for after < len(data) && data[after] != x.Comma && (data[after] == ' ' || data[after] == '\t') {
			after++
		}
		switch {
		case after == len(data), after+1 == len(data) && data[after] == '\r':
			x.end(end, flags)
			if err := x.finish(len(data)); err != nil {
				return 0, err.Err
			}
			return len(data), nil
		case data[after] == x.Comma:
			x.end(end, flags)
			x.start = after + 1
			return after + 1, nil
		case data[after] == '\r' && after+1 < len(data) && data[after+1] == '\n':
			after++
			fallthrough
		case data[after] == '\n':
			x.end(end, flags)
			if err := x.finish(after + 1); err != nil {
				return 0, err.Err
			}
			return after + 1, nil
		}
		return 0, errAfter
	}
}

// RecordFields returns the fields of one row, as many as it has.
func RecordFields(record []byte, comma byte) ([]string, error) {
	width := 1
	inside := false
	for _, b := range record {
		if b == '"' {
			inside = !inside
		} else if b == comma && !inside {
			width++
		}
	}
	x := &Index{Data: record, Comma: comma, Width: width, Kept: width, Limit: 1}
	for i := range width {
		x.Slots = append(x.Slots, i)
	}
	if err := x.Scan(); err != nil {
		return nil, err.Err
	}
	var out []string
	for _, f := range x.Fields {
		out = append(out, string(f.Value(record)))
	}
	return slices.Clip(out), nil
}
