package frame

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
	"github.com/gorocm/gorocm/tensor/frame/internal/spelling"
	"github.com/gorocm/gorocm/tensor/limits"
)

// ReadJSONL reads a table from a file of JSON lines (NDJSON): an object for each row, whose names are the columns, in
// the order in which they first appear. A name that a row lacks, and null, are missing values. Numbers are Int64 where
// all of a column are integers of int64, else Float64: an integer that would lose digits there is an error. Strings
// stay strings, also those of dates: Cast reads them. Objects inside of objects become columns a.b; lists stay strings
// of JSON. A column whose values are of several kinds is an error, which says the line.
func ReadJSONL(path string) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := DecodeJSONL(file)
	return f, named(path, err)
}

// DecodeJSONL is ReadJSONL from a stream.
func DecodeJSONL(r io.Reader) (*Frame, error) {
	d := &jsonTable{index: map[string]int{}}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<16), limits.JSONLine.Value())
	for line := 1; s.Scan(); line++ {
		text := bytes.TrimSpace(s.Bytes())
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(text) == 0 {
			continue
		}
		if err := d.line(text); err != nil {
			return nil, fmt.Errorf("jsonl: line %d: %w", line, err)
		}
		if d.rows++; d.rows > maxRows {
			return nil, fmt.Errorf("jsonl: more than %d rows", maxRows)
		}
	}
	if err := s.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = limits.JSONLine.Reached("a longer line")
		}
		return nil, fmt.Errorf("jsonl: after %d rows: %w", d.rows, err)
	}
	return d.frame()
}

// jsonTable gathers the values of rows.
type jsonTable struct {
	cols  []*jsonColumn
	index map[string]int
	rows  int
}

type jsonColumn struct {
	name  string
	typ   Type
	bits  bitmap
	valid bitmap
	n     int // rows that have values, missing ones in between
	ints  []int64
	nums  []float64
	text  []byte
	ends  []int64
}

func (d *jsonTable) line(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := d.object(dec, ""); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value: want an object on each line")
	}
	return nil
}

// object reads the members of an object.
func (d *jsonTable) object(dec *json.Decoder, prefix string) error {
	if t, err := dec.Token(); err != nil {
		return noEOF(err)
	} else if t != json.Delim('{') {
		return fmt.Errorf("%v: want an object", t)
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return noEOF(err)
		}
		name := prefix + t.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return noEOF(err)
		}
		if raw[0] == '{' {
			if strings.Count(prefix, ".") > 30 {
				return fmt.Errorf("%.60q: objects are nested too deeply", name)
			}
			inner := json.NewDecoder(bytes.NewReader(raw))
			inner.UseNumber()
			if err := d.object(inner, name+"."); err != nil {
				return err
			}
			continue
		}
		c, err := d.column(name)
		if err != nil {
			return err
		}
		if c.n > d.rows {
			return fmt.Errorf("%.60q occurs twice", name)
		}
		if err := c.add(raw, d.rows); err != nil {
			return fmt.Errorf("%.60q: %w", name, err)
		}
	}
	_, err := dec.Token()
	return noEOF(err)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (d *jsonTable) column(name string) (*jsonColumn, error) {
	if i, ok := d.index[name]; ok {
		return d.cols[i], nil
	}
	if err := limits.Columns.Check(len(d.cols)+1, "more different names"); err != nil {
		return nil, err
	}
	c := &jsonColumn{name: name}
	d.index[name] = len(d.cols)
	d.cols = append(d.cols, c)
	return c, nil
}

// add appends the value of a row, after missing ones for those that had none.
func (c *jsonColumn) add(raw []byte, row int) error {
	if string(raw) == "null" {
		c.extend(row + 1)
		return nil
	}
	switch raw[0] {
	case '"', '[':
		s := string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &s); err != nil {
				return err
			}
		}
		if err := c.to(String); err != nil {
			return err
		}
		c.extend(row)
		c.text = append(c.text, s...)
		c.ends = append(c.ends, int64(len(c.text)))
	case 't', 'f':
		if err := c.to(Bool); err != nil {
			return err
		}
		c.extend(row)
		c.grow(&c.bits, row)
		if raw[0] == 't' {
			c.bits.set(row)
		}
	default:
		if err := c.number(raw, row); err != nil {
			return err
		}
	}
	c.grow(&c.valid, row)
	c.valid.set(row)
	c.n = row + 1
	return nil
}

func (c *jsonColumn) grow(b *bitmap, row int) {
	for len(*b) <= row>>6 {
		*b = append(*b, 0)
	}
}

func (c *jsonColumn) number(raw []byte, row int) error {
	v, result := spelling.Int(raw, false)
	if result == spelling.Parsed && c.typ != Float64 && !(v == 0 && raw[0] == '-') {
		if err := c.to(Int64); err != nil {
			return err
		}
		c.extend(row)
		c.ints = append(c.ints, v)
		return nil
	}
	f, ok := spelling.Float(raw, false)
	if !ok {
		return fmt.Errorf("%.60s is beyond float64", raw)
	}
	if err := c.to(Float64); err != nil {
		return err
	}
	if !bytes.ContainsAny(raw, ".eE") {
		if err := integer.KeptBy(raw, f); err != nil {
			return err
		}
	}
	c.extend(row)
	c.nums = append(c.nums, f)
	return nil
}

// to makes values of a type possible.
func (c *jsonColumn) to(typ Type) error {
	switch {
	case c.typ == typ:
	case c.typ == 0:
		c.typ = typ
		n := c.n
		c.n = 0
		c.extend(n)
	case c.typ == Int64 && typ == Float64:
		c.typ = Float64
		for _, v := range c.ints {
			if err := integer.KeptBy(strconv.AppendInt(nil, v, 10), float64(v)); err != nil {
				return err
			}
			c.nums = append(c.nums, float64(v))
		}
		c.ints = nil
	default:
		return fmt.Errorf("a value of %v, after values of %v", typ, c.typ)
	}
	return nil
}

// extend appends missing values until there are n rows.
func (c *jsonColumn) extend(n int) {
	for ; c.n < n; c.n++ {
		switch c.typ {
		case Int64:
			c.ints = append(c.ints, 0)
		case Float64:
			c.nums = append(c.nums, 0)
		case String:
			c.ends = append(c.ends, int64(len(c.text)))
		}
	}
}

func (d *jsonTable) frame() (*Frame, error) {
	cols := make([]*Column, len(d.cols))
	for i, c := range d.cols {
		if c.typ == 0 {
			cols[i] = missingColumn(c.name, String, d.rows)
			continue
		}
		c.extend(d.rows)
		c.grow(&c.valid, max(0, d.rows-1))
		out := &Column{name: c.name, typ: c.typ, n: d.rows, valid: c.valid, ints: c.ints, floats: c.nums}
		switch c.typ {
		case Bool:
			c.grow(&c.bits, d.rows-1)
			out.bits = c.bits
		case String:
			out.ends, out.text = append([]int64{0}, c.ends...), c.text
		}
		out.dropValid()
		cols[i] = out
	}
	var f *Frame
	err := tensor.Catch(func() error { f = fromColumns("jsonl", cols...); return nil })
	if f != nil {
		f.rows = d.rows
	}
	return f, err
}

// WriteJSONL writes the frame as JSON lines, an object for each row, without the names of missing values. NaN and
// infinities, which JSON does not have, are an error.
func (f *Frame) WriteJSONL(path string) error { return writeFile(path, f.EncodeJSONL) }

// EncodeJSONL is WriteJSONL to a stream.
func (f *Frame) EncodeJSONL(w io.Writer) error {
	names := make([][]byte, len(f.cols))
	for j, c := range f.cols {
		name, err := json.Marshal(c.name)
		if err != nil {
			return fmt.Errorf("jsonl: %w", err)
		}
		names[j] = append(name, ':')
	}
	var row []byte
	for i := range f.rows {
		row = append(row[:0], '{')
		for j, c := range f.cols {
			if !c.valid.has(i) {
				continue
			}
			if len(row) > 1 {
				row = append(row, ',')
			}
			row = append(row, names[j]...)
			var err error
			if row, err = appendJSON(c, row, i); err != nil {
				return fmt.Errorf("jsonl: row %d, column %q: %w", i, c.name, err)
			}
		}
		if _, err := w.Write(append(row, '}', '\n')); err != nil {
			return err
		}
	}
	return nil
}

func appendJSON(c *Column, row []byte, i int) ([]byte, error) {
	switch c.typ {
	case Float64, Float32:
		if v := c.float(i); math.IsNaN(v) || math.IsInf(v, 0) {
			return row, fmt.Errorf("JSON has no %v", v)
		}
	case String, Category, Date, Timestamp:
		s, err := json.Marshal(string(c.appendText(nil, i)))
		return append(row, s...), err
	}
	return c.appendText(row, i), nil
}
