package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor/limits"
)

// csvText is a part of a text, which begins and ends with a row.
type csvText struct {
	data []byte
	off  int64 // in the file
	n    int
	line int // the number of its first line
	at   io.ReaderAt
	err  error // that reading it ended with
}

// text returns the bytes again, after they were forgotten.
func (c *csvText) text() ([]byte, error) {
	if c.data != nil {
		return c.data, nil
	}
	data := make([]byte, c.n)
	if _, err := c.at.ReadAt(data, c.off); err != nil {
		return nil, fmt.Errorf("csv: reading a part again: %w", err)
	}
	return data, nil
}

// forget lets the bytes go, if they can be read again.
func (c *csvText) forget() {
	if c.at != nil {
		c.data = nil
	}
}

// splitter cuts a text into parts.
type splitter struct {
	r    io.Reader
	at   io.ReaderAt
	size int
	rest []byte // read, and not yet part of a part
	off  int64  // of rest
	line int
	done bool // the end was read
	err  error
}

// fill reads until rest has n bytes, or the text ends.
func (s *splitter) fill(n int) {
	for len(s.rest) < n && !s.done {
		if cap(s.rest) < n {
			grown := make([]byte, len(s.rest), n)
			copy(grown, s.rest)
			s.rest = grown
		}
		k, err := s.r.Read(s.rest[len(s.rest):n])
		s.rest = s.rest[:len(s.rest)+k]
		if err != nil {
			s.done = true
			if !errors.Is(err, io.EOF) {
				s.err = fmt.Errorf("csv: %w", err)
			}
		}
	}
}

// skip drops lines, and the mark that some programs begin text files with.
func (s *splitter) skip(lines int) error {
	s.fill(s.size)
	if after, ok := bytes.CutPrefix(s.rest, []byte("\ufeff")); ok {
		s.advance(len(s.rest) - len(after))
	}
	for range lines {
		i := bytes.IndexByte(s.rest, '\n')
		for n := 2 * s.size; i < 0 && !s.done && n <= limits.CSVRow.Value(); n *= 2 {
			s.fill(n)
			i = bytes.IndexByte(s.rest, '\n')
		}
		if i < 0 {
			return errors.New("csv: fewer lines than CSVOptions.Skip")
		}
		s.advance(i + 1)
		s.line++
	}
	return s.err
}

func (s *splitter) advance(n int) {
	s.rest = s.rest[n:]
	s.off += int64(n)
}

// peekRecord returns the first row, with its end of line.
func (s *splitter) peekRecord() ([]byte, error) {
	for n := s.size; ; n *= 2 {
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
			return nil, limits.CSVRow.Reached(fmt.Sprintf("csv: line %d: a longer row", s.line))
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

// consume drops a row that peekRecord returned.
func (s *splitter) consume(record []byte) {
	s.line += bytes.Count(record, []byte{'\n'})
	s.advance(len(record))
}

// next returns the next part, nil after the last one.
func (s *splitter) next() *csvText {
	for n := s.size; ; n *= 2 {
		s.fill(n)
		if s.err != nil {
			return &csvText{err: s.err}
		}
		if len(s.rest) == 0 {
			return nil
		}
		end := len(s.rest)
		if !s.done || end > n {
			end = lastRecord(s.rest[:min(n, end)])
		}
		if end > 0 {
			c := &csvText{data: s.rest[:end:end], off: s.off, n: end, line: s.line, at: s.at}
			s.line += bytes.Count(c.data, []byte{'\n'})
			s.rest = append(make([]byte, 0, s.size), s.rest[end:]...)
			s.off += int64(end)
			return c
		}
		if n > limits.CSVRow.Value() {
			return &csvText{err: limits.CSVRow.Reached(fmt.Sprintf("csv: line %d: a longer row; is a quote not closed?", s.line))}
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

var errInterrupted = errors.New("csv: interrupted")

// ordered calls work for what next returns, until that is nil, on several goroutines, and yields the results in order.
// It reads no further than it must ahead of the consumer. A result that ends the work is the last one.
func ordered(cores int, next func() *csvText, work func(*csvText) *csvPart) iter.Seq[*csvPart] {
	return func(yield func(*csvPart) bool) {
		type job struct {
			text *csvText
			done chan *csvPart
		}
		jobs, inOrder, stop := make(chan job), make(chan job, 2*cores), make(chan struct{})
		var running sync.WaitGroup
		running.Add(1)
		go func() {
			defer running.Done()
			defer close(inOrder)
			defer close(jobs)
			for {
				text := next()
				if text == nil {
					return
				}
				j := job{text, make(chan *csvPart, 1)}
				for _, to := range []chan job{inOrder, jobs} {
					select {
					case to <- j:
					case <-stop:
						return
					}
				}
				if text.err != nil {
					return
				}
			}
		}()
		for range cores {
			running.Add(1)
			go func() {
				defer running.Done()
				for j := range jobs {
					j.done <- work(j.text)
				}
			}()
		}
		defer running.Wait()
		defer close(stop)
		interrupted, once := make(chan struct{}), sync.Once{}
		defer interrupt.Watch(func() { once.Do(func() { close(interrupted) }) })() // by the session, if a cell reads
		for j := range inOrder {
			select {
			case part := <-j.done:
				if !yield(part) || part.err != nil || part.last {
					return
				}
			case <-interrupted:
				yield(&csvPart{err: errInterrupted})
				return
			}
		}
	}
}
