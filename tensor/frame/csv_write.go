package frame

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// WriteCSV writes the frame as a CSV file with a header (separated by tabs if the path ends in .tsv), which ReadCSV
// reads as the same values: numbers have the digits that it takes, a missing value is an empty field, and the
// empty string and words such as NA are in quotes. Float32 is read as Float64 of the same
// digits unless CSVOptions.Types has it, and a column without a name gets one.
func (f *Frame) WriteCSV(path string) error {
	comma := ','
	if strings.HasSuffix(path, ".tsv") {
		comma = '\t'
	}
	return writeFile(path, func(w io.Writer) error { return f.EncodeCSV(w, comma) })
}

// writeFile writes a file by a stream, and removes it if that fails.
func writeFile(path string, write func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			os.Remove(path)
			err = named(path, err)
		}
	}()
	w := bufio.NewWriterSize(file, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// EncodeCSV is WriteCSV to a stream, with the character that separates fields.
func (f *Frame) EncodeCSV(w io.Writer, comma rune) error {
	if comma >= 0x80 || strings.ContainsRune("\"\r\n\x00", comma) {
		return fmt.Errorf("csv: %q cannot separate fields: want an ASCII character, not a quote", comma)
	}
	var row []byte
	for j, c := range f.cols {
		row = appendField(separated(row, j, comma), []byte(c.name), byte(comma), c.name == "")
	}
	if _, err := w.Write(append(row, '\n')); err != nil {
		return err
	}
	var value []byte
	for i := range f.rows {
		row = row[:0]
		for j, c := range f.cols {
			row = separated(row, j, comma)
			if !c.valid.has(i) {
				continue
			}
			if !c.typ.isText() {
				row = c.appendText(row, i)
				continue
			}
			value = c.appendText(value[:0], i)
			row = appendField(row, value, byte(comma), isMissing(value))
		}
		if _, err := w.Write(append(row, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func separated(row []byte, j int, comma rune) []byte {
	if j == 0 {
		return row
	}
	return append(row, byte(comma))
}

// appendField appends a text, in quotes where it must be.
func appendField(row, value []byte, comma byte, quote bool) []byte {
	if !quote && bytes.IndexByte(value, comma) < 0 && !bytes.ContainsAny(value, "\"\r\n") &&
		!bytes.HasPrefix(value, []byte("\ufeff")) {
		return append(row, value...)
	}
	row = append(row, '"')
	for _, b := range value {
		if b == '"' {
			row = append(row, '"')
		}
		row = append(row, b)
	}
	return append(row, '"')
}
