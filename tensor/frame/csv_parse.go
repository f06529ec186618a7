package frame

import (
	"bytes"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/frame/internal/csvtext"
	"github.com/gorocm/gorocm/tensor/frame/internal/spelling"
)

// csvPart is a part of a text as columns.
type csvPart struct {
	rows  int
	cols  []*Column
	kinds []kind // of what was parsed, for columns whose types are inferred
	text  *csvtext.Text
	err   error
	last  bool
}

// parse reads a part; of limit rows, unless it is negative.
func (s *csvSource) parse(c *csvtext.Text, limit int) (p *csvPart) {
	p = &csvPart{text: c, err: c.Err}
	if p.err != nil {
		return p
	}
	defer malformed("csv", &p.err) // a panic on a goroutine of its own would end the program
	x := s.fields(c.Data, limit)
	if err := x.Scan(); err != nil {
		p.err = fmt.Errorf("csv: line %d: %w", p.lineAt(c.Data, err.Pos), err.Err)
		return p
	}
	p.rows = x.Rows
	for j := range s.cols {
		col, k, err := s.column(x, j)
		if err != nil {
			p.err = fmt.Errorf("csv: line %d, column %q: %w", p.lineAt(c.Data, err.Pos), s.cols[j].name, err.Err)
			return p
		}
		p.cols, p.kinds = append(p.cols, col), append(p.kinds, k)
	}
	c.Forget()
	return p
}

func (s *csvSource) fields(data []byte, limit int) *csvtext.Index {
	return &csvtext.Index{Data: data, Comma: s.comma, Width: len(s.names), Slots: s.slots, Kept: len(s.cols),
		Limit: limit}
}

func (p *csvPart) lineAt(data []byte, pos int) int {
	return p.text.Line + bytes.Count(data[:pos], []byte{'\n'})
}

// column reads one column, of its type or of the narrowest one that all values have.
func (s *csvSource) column(x *csvtext.Index, j int) (*Column, kind, *csvtext.RowError) {
	c := s.cols[j]
	r := columnReader{x: x, at: j, layout: c.layout, words: s.opt.Missing}
	if c.fixed != 0 {
		col, bad := r.read(c.fixed, false)
		if bad >= 0 {
			return nil, 0, &csvtext.RowError{Pos: int(x.Starts[bad]),
				Err: fmt.Errorf("%.60q is not a %v", r.value(bad), c.fixed)}
		}
		col.name = c.name
		return col, 0, r.notUTF8(col)
	}
	col, k := r.infer(c.kind.load())
	c.kind.add(k)
	col.name = c.name
	return col, k, r.notUTF8(col)
}

// notUTF8 is an error for the first string that is not UTF-8.
func (r *columnReader) notUTF8(col *Column) *csvtext.RowError {
	if col.typ != String {
		return nil
	}
	valid := utf8.Valid(col.text)
	for i := range col.n {
		lo, hi := col.ends[i], col.ends[i+1]
		if lo < hi && !utf8.RuneStart(col.text[lo]) || !valid && !utf8.Valid(col.text[lo:hi]) {
			return &csvtext.RowError{Pos: int(r.x.Starts[i]),
				Err: fmt.Errorf("%.40q: %w", col.text[lo:hi], csvtext.ErrNotUTF8)}
		}
	}
	return nil
}

// columnReader reads the values of one column of a part.
type columnReader struct {
	x      *csvtext.Index
	at     int
	layout string
	words  []string // for missing values
}

// text is a string of bytes that are not changed while it is used.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (r *columnReader) field(row int) csvtext.Field { return r.x.Fields[row*r.x.Kept+r.at] }

func (r *columnReader) value(row int) []byte { return r.field(row).Value(r.x.Data) }

// infer reads values of a kind, or of what it must be widened to.
func (r *columnReader) infer(k kind) (*Column, kind) {
	for {
		col, bad := r.readKind(k)
		if bad < 0 {
			return col, k.of(col)
		}
		joined := k.join(r.kindAt(bad))
		if joined == k {
			joined = kindText // so that it ends, whatever the value is
		}
		k = joined
	}
}

func (r *columnReader) kindAt(row int) kind {
	b := r.value(row)
	if slices.Contains(r.words, text(b)) {
		return kindNone
	}
	return kindOf(b)
}

// readKind reads the values as those of a kind; or says which row has none of it.
func (r *columnReader) readKind(k kind) (col *Column, bad int) {
	switch k {
	case kindNone, kindWide, kindBig, kindZoned:
		for i := range r.x.Rows {
			if got := r.kindAt(i); got.join(k) != k {
				return nil, i
			}
		}
		if k == kindNone {
			col = &Column{typ: String, n: r.x.Rows, valid: newBitmap(r.x.Rows)}
			r.strings(col, true)
			col.dropValid()
			return col, -1
		}
	}
	return r.read(k.typ(), k != kindZoned)
}

// read reads the values as those of a type; or says which row has none of it. Strict values are spelled as the
// inference of types wants them.
func (r *columnReader) read(typ Type, strict bool) (col *Column, bad int) {
	n := r.x.Rows
	col = &Column{typ: typ, n: n, valid: newBitmap(n)}
	bad = -1
	switch typ {
	case Int64:
		col.ints, bad = readValues(r, col.valid, func(b []byte) (int64, bool) {
			v, result := spelling.Int(b, strict)
			return v, result == spelling.Parsed
		})
	case Float64:
		col.floats, bad = readValues(r, col.valid, func(b []byte) (float64, bool) { return spelling.Float(b, strict) })
	case Float32:
		col.single, bad = readValues(r, col.valid, func(b []byte) (float32, bool) {
			v, ok := spelling.Float(b, false)
			return float32(v), ok
		})
	case Bool:
		var bools []bool
		bools, bad = readValues(r, col.valid, func(b []byte) (bool, bool) {
			if !strict && len(b) == 1 && (b[0] == '0' || b[0] == '1') {
				return b[0] == '1', true
			}
			return spelling.Bool(b)
		})
		col.bits = newBitmap(n)
		for i, v := range bools {
			if v {
				col.bits.set(i)
			}
		}
	case Date:
		col.days, bad = readValues(r, col.valid, r.date)
	case Timestamp:
		col.ints, bad = readValues(r, col.valid, func(b []byte) (int64, bool) { return r.time(b, strict) })
	default:
		col.typ = String
		r.strings(col, false)
	}
	col.dropValid()
	return col, bad
}

func (r *columnReader) date(b []byte) (int32, bool) {
	if r.layout == "" {
		return spelling.Date(b)
	}
	t, err := time.Parse(r.layout, string(b))
	if err != nil {
		return 0, false
	}
	return int32(t.Unix() / 86400), t.Year() >= 0
}

func (r *columnReader) time(b []byte, strict bool) (int64, bool) {
	if r.layout == "" {
		ns, zoned, ok := spelling.Time(b)
		return ns, ok && !(strict && zoned)
	}
	t, err := time.Parse(r.layout, string(b))
	if err != nil {
		return 0, false
	}
	return nanos(t)
}

// readValues reads the values of a column that is not a string.
func readValues[T any](r *columnReader, valid bitmap, parse func([]byte) (T, bool)) (out []T, bad int) {
	out = make([]T, r.x.Rows)
	data, fields, step := r.x.Data, r.x.Fields, r.x.Kept
	for i, at := 0, r.at; i < len(out); i, at = i+1, at+step {
		b := fields[at].Value(data)
		v, ok := parse(b)
		if !ok {
			if b = trim(b); isMissing(b) || r.words != nil && slices.Contains(r.words, text(b)) {
				continue
			}
			if v, ok = parse(b); !ok {
				return out, i
			}
		}
		if r.words != nil && slices.Contains(r.words, text(b)) {
			continue
		}
		out[i] = v
		valid.set(i)
	}
	return out, -1
}

// strings reads text: a field of no bytes is a missing value unless it was in quotes, as is every one that was not
// among words for missing values alone.
func (r *columnReader) strings(col *Column, missing bool) {
	size := 0
	for i := range col.n {
		f := r.field(i)
		size += int(f>>32) - int(uint64(f)&csvtext.PosMask)
	}
	col.ends, col.text = make([]int64, col.n+1), make([]byte, 0, size)
	for i := range col.n {
		f := r.field(i)
		b := f.In(r.x.Data)
		if f&csvtext.Escaped != 0 {
			b = f.Value(r.x.Data)
		}
		if (len(b) > 0 && !missing || f.Quoted()) && !(r.words != nil && slices.Contains(r.words, text(b))) {
			col.text = append(col.text, b...)
			col.valid.set(i)
		}
		col.ends[i+1] = int64(len(col.text))
	}
}

// final is the type of a column, once all values were seen.
func (c csvColumn) final() Type {
	if c.fixed != 0 {
		return c.fixed
	}
	return c.kind.load().typ()
}

// assemble makes a frame of all parts: what was parsed before later parts widened its type is parsed again.
func (s *csvSource) assemble(parts []*csvPart) (*Frame, error) {
	for _, p := range parts {
		if err := s.widen(p); err != nil {
			return nil, err
		}
	}
	cols := make([]*Column, len(s.cols))
	each(len(s.cols), func(j int) {
		pieces := make([]*Column, len(parts))
		for i, p := range parts {
			pieces[i], p.cols[j] = p.cols[j], nil
		}
		if len(pieces) == 0 {
			cols[j] = missingColumn(s.cols[j].name, s.cols[j].final(), 0)
			return
		}
		cols[j] = concat(pieces)
		if s.cols[j].fixed == Category {
			cols[j] = cols[j].category()
		}
	})
	return fromColumns("csv", cols...), nil
}

// widen parses the columns of a part again whose types are narrower than those of the whole.
func (s *csvSource) widen(p *csvPart) error {
	var x *csvtext.Index
	for j, c := range s.cols {
		typ := c.final()
		old := p.cols[j]
		switch {
		case c.fixed != 0 || p.kinds[j] == c.kind.load() || old.typ == typ && p.kinds[j] != kindNone:
			continue
		case p.kinds[j] == kindNone:
			p.cols[j] = missingColumn(c.name, typ, p.rows)
			if typ != String { // words such as NA, which are text in a column of strings
				continue
			}
		}
		if x == nil {
			data, err := p.text.Bytes()
			if err != nil {
				return err
			}
			x = s.fields(data, p.rows)
			if err := x.Scan(); err != nil || x.Rows != p.rows {
				return fmt.Errorf("csv: the file changed while it was read")
			}
		}
		r := columnReader{x: x, at: j, words: s.opt.Missing}
		col, bad := r.read(typ, false)
		if bad >= 0 {
			return fmt.Errorf("csv: column %q: the file changed while it was read", c.name)
		}
		p.cols[j] = col.Rename(c.name)
	}
	return nil
}
