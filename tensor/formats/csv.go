package formats

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// ReadCSV reads a table of numbers, whose fields are separated by commas (by tabs in a file that ends in .tsv), onto a
// device: as F64, [rows columns]. If the first row has a field that is not a number, it is the header, which names the
// columns; otherwise header is nil. Empty fields are NaN. The error says in which line and field something else than a
// number is.
func ReadCSV(path string, dev *tensor.Device) (header []string, table *tensor.Tensor, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	comma := ','
	if strings.HasSuffix(path, ".tsv") {
		comma = '\t'
	}
	header, table, err = DecodeCSV(bufio.NewReader(f), comma, dev)
	return header, table, named(path, err)
}

// DecodeCSV is ReadCSV from a stream, with the character that separates fields.
func DecodeCSV(r io.Reader, comma rune, dev *tensor.Device) (header []string, table *tensor.Tensor, err error) {
	c := csv.NewReader(r)
	c.Comma, c.ReuseRecord, c.TrimLeadingSpace = comma, true, true
	var values []float64
	rows, columns := 0, 0
	for first := true; ; first = false {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return header, dev.FromSlice(values, rows, columns), nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("csv: at byte %d: %w", c.InputOffset(), err)
		}
		columns = len(fields)
		if first {
			fields[0] = strings.TrimPrefix(fields[0], "\ufeff")
			if !numbers(fields) {
				header = append([]string{}, fields...)
				continue
			}
		}
		for i, field := range fields {
			v, err := number(field)
			if err != nil {
				line, _ := c.FieldPos(i)
				return nil, nil, fmt.Errorf("csv: line %d, field %d: %.60q is not a number", line, i+1, field)
			}
			values = append(values, v)
		}
		rows++
	}
}

func number(field string) (float64, error) {
	if field = strings.TrimSpace(field); field == "" {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(field, 64)
}

func numbers(fields []string) bool {
	for _, f := range fields {
		if _, err := number(f); err != nil {
			return false
		}
	}
	return true
}

// WriteCSV writes a tensor of rank 1, as one column, or 2 with the names of its columns above it, unless header is nil.
// Numbers are written with the digits that it takes to read the same ones. Complex numbers, and integers that a float64
// does not hold exactly, are an error.
func WriteCSV(path string, header []string, table *tensor.Tensor) error {
	return named(path, writeFile(path, func(w io.Writer) error { return EncodeCSV(w, header, table) }))
}

// EncodeCSV is WriteCSV to a stream.
func EncodeCSV(w io.Writer, header []string, table *tensor.Tensor) error {
	t := table
	if t.Rank() == 1 {
		t = t.Unsqueeze(1)
	}
	if t.Rank() != 2 || header != nil && len(header) != t.Dim(1) {
		return fmt.Errorf("csv: shape %v with %d names: want [rows columns], and a name for each column or none",
			table.Dims(), len(header))
	}
	var values []float64
	if err := tensor.Catch(func() error { values = t.Float64s(); return nil }); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	c := csv.NewWriter(w)
	if header != nil {
		if err := c.Write(header); err != nil {
			return err
		}
	}
	bits := 64
	if size := t.DType().Size(); t.DType().IsFloat() && size < 8 {
		bits = 32
	}
	fields := make([]string, t.Dim(1))
	for i, v := range values {
		k := i % len(fields)
		fields[k] = strconv.FormatFloat(v, 'g', -1, bits)
		if k == len(fields)-1 {
			if err := c.Write(fields); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
