package frame

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/tensor/frame/internal/csvtext"
	"github.com/gorocm/gorocm/tensor/frame/internal/plain"
	"github.com/klauspost/compress/zstd"
)

// CSVOptions say how to read a CSV file. The zero value reads a file of commas with a header, and infers the types.
type CSVOptions struct {
	Comma    rune              // between fields; 0: a tab in files that end in .tsv, else a comma
	NoHeader bool              // the first line has values; columns are called column_0, column_1, …
	Names    []string          // of all columns, instead of those of the header
	Columns  []string          // the columns to read, in this order; nil: all
	Types    map[string]Type   // of columns whose types are not to be inferred
	Layouts  map[string]string // of columns of times, as package time writes them: "02/01/2006"
	Missing  []string          // texts that are missing values in every column, besides the empty one
	Skip     int               // lines before the header
	Rows     int               // the largest number of rows; 0: all
}

const (
	csvChunk  = 1 << 20  // bytes of text that a core reads at once
	scanChunk = 16 << 20 // bytes of text of a part of ScanCSV
)

// ReadCSV reads a table from a file of comma-separated values (RFC 4180) on all cores; of files that end in .gz or
// .zst what they hold. Without options, or for columns that CSVOptions.Types does not name, the type of a column is
// inferred from all of its values:
//
//   - Int64 if all are integers; Float64 if all are numbers.
//   - Bool for true and false, Date for 2006-01-02, Timestamp for 2006-01-02 15:04:05 with a T or a space, with or
//     without seconds, their parts and a zone. A column that has times with zones and times without is no Timestamp.
//   - String otherwise. Numbers with leading zeros (007), with a plus sign before digits only, in columns of integers
//     beyond int64, or, beside fractions, integers that would lose digits as float64 stay strings, which keeps what
//     identifiers spell. Types reads them as numbers all the same. A column of times with a date beyond those of
//     Timestamp stays strings, too.
//
// An empty field is a missing value; in a column of strings a quoted one ("") is the empty string. In columns of other
// types NA, N/A, n/a, null, NULL and None are missing values, too; in quotes they are text in a column of nothing else.
// NaN is a number.
//
// A name that occurs twice in the header gets a number (x, x_2). Errors say the line and the column. UTF-16 that begins
// with its mark is read, too, and lines that end in \r alone.
func ReadCSV(path string, options ...CSVOptions) (*Frame, error) {
	s, err := openCSV(path, options, csvChunk)
	if err != nil {
		return nil, err
	}
	defer s.close()
	f, err := s.frame()
	return f, named(path, err)
}

// DecodeCSV is ReadCSV from a stream, whose text is held in memory until its end.
func DecodeCSV(r io.Reader, options ...CSVOptions) (*Frame, error) {
	s, err := newCSV(r, nil, options, "", csvChunk)
	if err != nil {
		return nil, err
	}
	return s.frame()
}

// ScanCSV reads a CSV file in parts of some 16 MB of text, so that files larger than the memory can be read:
//
//	for part, err := range frame.ScanCSV("trips.csv") {
//
// All parts have the same types. Unless CSVOptions.Types has those of all columns that are read, the file is read once
// before, to infer them. After an error no part follows.
func ScanCSV(path string, options ...CSVOptions) iter.Seq2[*Frame, error] {
	return func(yield func(*Frame, error) bool) {
		s, err := openCSV(path, options, scanChunk)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { s.close() }() // the source that is open at the end
		if s.inferring() {
			if err := s.infer(); err != nil {
				yield(nil, named(path, err))
				return
			}
			s.close()
			inferred := s.cols
			if s, err = openCSV(path, options, scanChunk); err != nil {
				yield(nil, err)
				return
			}
			s.cols = inferred
		}
		for part := range s.parts() {
			if part.err != nil {
				yield(nil, named(path, part.err))
				return
			}
			if !yield(s.assemble([]*csvPart{part})) {
				return
			}
		}
	}
}

func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

func openCSV(path string, options []CSVOptions, chunk int) (*csvSource, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var r io.Reader = file
	at := io.ReaderAt(file)
	ends := func() {}
	switch {
	case strings.HasSuffix(path, ".gz"):
		z, err := gzip.NewReader(file)
		if err != nil {
			file.Close()
			return nil, named(path, err)
		}
		r, at = z, nil
	case strings.HasSuffix(path, ".zst"):
		z, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(1<<27))
		if err != nil {
			file.Close()
			return nil, named(path, err)
		}
		r, at, ends = z, nil, z.Close
	}
	s, err := newCSV(r, at, options, path, chunk)
	if err != nil {
		ends()
		file.Close()
		return nil, named(path, err)
	}
	s.close = func() {
		ends()
		file.Close()
	}
	return s, nil
}

// csvSource reads one CSV text.
type csvSource struct {
	opt   CSVOptions
	split *csvtext.Splitter
	comma byte
	// which the options do not say
	guessed bool
	names   []string // of all columns of the file
	cols    []csvColumn
	slots   []int // for each column of the file its position in cols, or -1
	close   func()
}

// csvColumn is a column that is read.
type csvColumn struct {
	name   string
	field  int
	fixed  Type   // 0: inferred
	layout string // of times
	kind   *sharedKind
}

// newCSV reads the header. at reads the same text at any position, if it can be.
func newCSV(r io.Reader, at io.ReaderAt, options []CSVOptions, path string, chunk int) (*csvSource, error) {
	s := &csvSource{close: func() {}}
	if len(options) > 1 {
		return nil, fmt.Errorf("csv: %d options: want one, or none", len(options))
	}
	if len(options) == 1 {
		s.opt = options[0]
	}
	if s.opt.Comma == 0 {
		s.opt.Comma, s.guessed = ',', true
		if strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst"), ".tsv") {
			s.opt.Comma = '\t'
		}
	}
	if s.opt.Comma >= 0x80 || strings.ContainsRune("\"\r\n\x00", s.opt.Comma) {
		return nil, fmt.Errorf("csv: %q cannot separate fields: want an ASCII character, not a quote", s.opt.Comma)
	}
	s.comma = byte(s.opt.Comma)
	r, same := plain.Reader(r)
	if !same {
		at = nil
	}
	s.split = &csvtext.Splitter{From: r, At: at, Size: chunk, Line: 1}
	if err := s.header(); err != nil {
		return nil, err
	}
	return s, s.choose()
}

// header reads the names of the columns.
func (s *csvSource) header() error {
	if err := s.split.Skip(s.opt.Skip); err != nil {
		return err
	}
	first, err := s.split.PeekRecord()
	if err != nil {
		return err
	}
	fields, err := csvtext.RecordFields(first, s.comma)
	if i := bytes.IndexAny(first, ";\t|"); err != nil && i >= 0 && s.guessed {
		return fmt.Errorf("csv: line %d: %w: want frame.CSVOptions{Comma: %q} if that separates fields", s.split.Line, err, first[i])
	}
	if err != nil {
		return fmt.Errorf("csv: line %d: %w", s.split.Line, err)
	}
	if len(fields) == 0 {
		return fmt.Errorf("csv: line %d is empty: want a header", s.split.Line)
	}
	if i := strings.IndexAny(fields[0], ",;\t|"); i >= 0 && s.guessed && len(fields) == 1 &&
		bytes.TrimLeft(first, " \t")[0] != '"' {
		return fmt.Errorf("csv: line %d is one field, %.60q: want frame.CSVOptions{Comma: %q}, or Comma: %q if it is one", s.split.Line,
			fields[0], fields[0][i], s.comma)
	}
	if s.opt.NoHeader {
		for i := range fields {
			s.names = append(s.names, fmt.Sprintf("column_%d", i))
		}
	} else {
		s.split.Consume(first)
		s.names = different(fields, false)
	}
	if s.opt.Names != nil {
		if len(s.opt.Names) != len(fields) {
			return fmt.Errorf("csv: %d names for %d columns", len(s.opt.Names), len(fields))
		}
		s.names = s.opt.Names
	}
	for i, n := range s.names {
		if !utf8.ValidString(n) {
			return fmt.Errorf("csv: the name %.40q: %w", n, csvtext.ErrNotUTF8)
		}
		if slices.Contains(s.names[:i], n) {
			return fmt.Errorf("csv: two columns are named %q", n)
		}
	}
	return nil
}

// different makes the names of a header differ. With empty one of them may be empty.
func different(names []string, empty bool) []string {
	out, seen := slices.Clone(names), map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	used := map[string]bool{}
	for i, n := range out {
		if n == "" && (!empty || used[n]) {
			n = fmt.Sprintf("column_%d", i)
		}
		for k := 2; used[n] || n != names[i] && seen[n]; k++ {
			n = fmt.Sprintf("%s_%d", names[i], k)
		}
		used[n] = true
		out[i] = n
	}
	return out
}

// choose lists the columns that are read.
func (s *csvSource) choose() error {
	chosen := s.opt.Columns
	if chosen == nil {
		chosen = s.names
	}
	s.slots = make([]int, len(s.names))
	for i := range s.slots {
		s.slots[i] = -1
	}
	for _, n := range chosen {
		at := slices.Index(s.names, n)
		if at < 0 {
			return s.noColumn(n)
		}
		if s.slots[at] >= 0 {
			return fmt.Errorf("csv: column %q is chosen twice", n)
		}
		s.slots[at] = len(s.cols)
		s.cols = append(s.cols, csvColumn{name: n, field: at, fixed: s.opt.Types[n], layout: s.opt.Layouts[n],
			kind: &sharedKind{}})
	}
	for n := range s.opt.Types {
		if !slices.Contains(s.names, n) {
			return s.noColumn(n)
		}
	}
	for n := range s.opt.Layouts {
		if t := s.opt.Types[n]; !t.isTime() {
			return fmt.Errorf("csv: column %q has a layout, so CSVOptions.Types must say frame.Date or frame.Timestamp", n)
		}
	}
	return nil
}

func (s *csvSource) noColumn(name string) error { return missingName("csv", name, s.names) }

func (s *csvSource) inferring() bool {
	return slices.ContainsFunc(s.cols, func(c csvColumn) bool { return c.fixed == 0 })
}

// infer reads everything for the types of the columns alone.
func (s *csvSource) infer() error {
	for part := range s.parts() {
		if part.err != nil {
			return part.err
		}
	}
	return nil
}

// frame reads everything.
func (s *csvSource) frame() (*Frame, error) {
	var parts []*csvPart
	rows := 0
	for part := range s.parts() {
		if part.err != nil {
			return nil, part.err
		}
		if rows += part.rows; rows > maxRows {
			return nil, fmt.Errorf("csv: more than %d rows: ScanCSV reads the file in parts", maxRows)
		}
		parts = append(parts, part)
	}
	return s.assemble(parts)
}

// parts reads the text on all cores; the parts come in order, the last one with an error if there is one.
func (s *csvSource) parts() iter.Seq[*csvPart] {
	cores := runtime.GOMAXPROCS(0)
	left := s.opt.Rows
	if left > 0 {
		cores = 1 // each part says how many rows are left for the next
	}
	return ordered(cores, s.split.Next, func(c *csvtext.Text) *csvPart {
		if s.opt.Rows == 0 {
			return s.parse(c, -1)
		}
		p := s.parse(c, left)
		left -= p.rows
		p.last = left == 0
		return p
	})
}
