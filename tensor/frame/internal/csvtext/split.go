// Package csvtext cuts the text of a CSV file into parts that begin and end with a row, and finds the fields of rows.
package csvtext

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/gorocm/gorocm/tensor/limits"
)

// Text is a part of a text, which begins and ends with a row.
type Text struct {
	Data []byte
	off  int64 // in the file
	n    int
	Line int // the number of its first line
	at   io.ReaderAt
	Err  error // that reading it ended with
}

// Bytes returns the bytes again, after they were forgotten.
func (c *Text) Bytes() ([]byte, error) {
	if c.Data != nil {
		return c.Data, nil
	}
	data := make([]byte, c.n)
	if _, err := c.at.ReadAt(data, c.off); err != nil {
		return nil, fmt.Errorf("csv: reading a part again: %w", err)
	}
	return data, nil
}

// Forget lets the bytes go, if they can be read again.
func (c *Text) Forget() {
	if c.at != nil {
		c.Data = nil
	}
}

// Splitter cuts a text into parts.
type Splitter struct {
	From io.Reader
	At   io.ReaderAt
	Size int
	rest []byte // read, and not yet part of a part
	off  int64  // of rest
	Line int
	done bool // the end was read
	err  error
}

// fill reads until rest has n bytes, or the text ends.
func (s *Splitter) fill(n int) {
	for len(s.rest) < n && !s.done {
		if cap(s.rest) < n {
			grown := make([]byte, len(s.rest), n)
			copy(grown, s.rest)
			s.rest = grown
		}
		k, err := s.From.Read(s.rest[len(s.rest):n])
		s.rest = s.rest[:len(s.rest)+k]
		if err != nil {
			s.done = true
			if !errors.Is(err, io.EOF) {
				s.err = fmt.Errorf("csv: %w", err)
			}
		}
	}
}

// Skip drops lines, and the mark that some programs begin text files with.
func (s *Splitter) Skip(lines int) error {
	s.fill(s.Size)
	if after, ok := bytes.CutPrefix(s.rest, []byte("\ufeff")); ok {
		s.advance(len(s.rest) - len(after))
	}
	for range lines {
		i := bytes.IndexByte(s.rest, '\n')
		for n := 2 * s.Size; i < 0 && !s.done && n <= limits.CSVRow.Value(); n *= 2 {
			s.fill(n)
			i = bytes.IndexByte(s.rest, '\n')
		}
		if i < 0 {
			return errors.New("csv: fewer lines than CSVOptions.Skip")
		}
		s.advance(i + 1)
		s.Line++
	}
	return s.err
}

func (s *Splitter) advance(n int) {
	s.rest = s.rest[n:]
	s.off += int64(n)
}

// PeekRecord returns the first row, with its end of line.
func (s *Splitter) PeekRecord() ([]byte, error) {
	for n := s.Size; ; n *= 2 {
		s.fill(n)
		if s.err != nil {
			return nil, s.err
		}
		if end := recordEnd(s.rest); end > 0 {
			return s.rest[:end], nil
		}
		if s.done {
			if len(s.rest) == 0 {
				return nil, errors.New("csv: no lines: want a header")
			}
			return s.rest, nil
		}
		if n > limits.CSVRow.Value() {
			return nil, limits.CSVRow.Reached(fmt.Sprintf("csv: line %d: a longer row", s.Line))
		}
	}
}

// recordEnd returns where the first row ends, after its end of line; 0 if it does not.
func recordEnd(data []byte) int {
	quoted := false
	for i, b := range data {
		switch {
		case b == '"':
			quoted = !quoted
		case b == '\n' && !quoted:
			return i + 1
		}
	}
	return 0
}

// Consume drops a row that peekRecord returned.
func (s *Splitter) Consume(record []byte) {
	s.Line += bytes.Count(record, []byte{'\n'})
	s.advance(len(record))
}

// Next returns the next part, nil after the last one.
func (s *Splitter) Next() *Text {
	for n := s.Size; ; n *= 2 {
		s.fill(n)
		if s.err != nil {
			return &Text{Err: s.err}
		}
		if len(s.rest) == 0 {
			return nil
		}
		end := len(s.rest)
		if !s.done || end > n {
			end = lastRecord(s.rest[:min(n, end)])
		}
		if end > 0 {
			c := &Text{Data: s.rest[:end:end], off: s.off, n: end, Line: s.Line, at: s.At}
			s.Line += bytes.Count(c.Data, []byte{'\n'})
			s.rest = append(make([]byte, 0, s.Size), s.rest[end:]...)
			s.off += int64(end)
			return c
		}
		if n > limits.CSVRow.Value() {
			return &Text{Err: limits.CSVRow.Reached(fmt.Sprintf("csv: line %d: a longer row; is a quote not closed?", s.Line))}
		}
	}
}

// lastRecord returns where the last whole row of data ends; 0 if there is none. A row ends at an end of line before
// which the number of quotes is even.
func lastRecord(data []byte) int {
	quotes := bytes.Count(data, []byte{'"'})
	end := len(data)
	for {
		i := bytes.LastIndexByte(data[:end], '\n')
		if i < 0 {
			return 0
		}
		quotes -= bytes.Count(data[i+1:end], []byte{'"'})
		if quotes%2 == 0 {
			return i + 1
		}
		end = i
	}
}
