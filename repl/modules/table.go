package modules

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"strconv"
)

// Packages have tables: variables whose initial value is a composite literal of constants, with thousands of elements.
// A record has the elements of those that are long, so that later sessions neither parse nor check them.

// table is a variable with such a value.
type table struct {
	name   string
	span          // of its elements in the file
	length string // takes the place of the elements of an array whose length they decide
	data   []byte // the value, for TableReader
}

// maxLength is the greatest length of a list in a table.
const maxLength = 1 << 26

// minTable is the least number of bytes between the braces of a table.
const minTable = 512

// The kinds of what a table consists of.
const (
	TableNil     = iota // the zero value of a pointer, slice, map, channel or function
	TableFalse          // false
	TableTrue           // true
	TableInt            // a varint
	TableUint           // a uvarint
	TableFloat          // the 64 bits of a float64
	TableString         // its length and its bytes
	TableBytes          // of []byte("text"): the same
	TableList           // an array or slice: its length, the number of elements, and of each its index and value
	TableNumbers        // a slice or array of integers: their number, and each as varint or uvarint
	TableRaw            // of bytes: their number and the bytes
	TableStruct         // the number of fields, and of each its index and value
	TableMap            // the number of elements, and of each its key and value
	TablePointer        // to a new variable with the value that follows
)

// tablesOf finds the tables of a checked file.
func tablesOf(s *source, f *ast.File, info *types.Info) (r []table) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Names) != 1 || len(v.Values) != 1 || v.Names[0].Name == "_" {
				continue
			}
			object, lit := info.Defs[v.Names[0]], literalOf(v.Values[0])
			if lit == nil || object == nil {
				continue
			}
			at := s.span(lit.Lbrace+1, lit.Rbrace)
			if at.end-at.start < minTable || s.setsLines(at) {
				continue
			}
			w := tableWriter{info: info}
			length, ok := lengthText(lit, info)
			t := table{name: v.Names[0].Name, span: at, length: length}
			if ok && t.room(s.text) >= 0 && w.value(v.Values[0], object.Type()) {
				t.data = w.data
				r = append(r, t)
			}
		}
	}
	return r
}

// literalOf is the composite literal that x is, or is the address of.
func literalOf(x ast.Expr) *ast.CompositeLit {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	lit, _ := x.(*ast.CompositeLit)
	return lit
}

// lengthText is an element that gives an array [...]T the length that its own elements do, and "" for other types.
func lengthText(lit *ast.CompositeLit, info *types.Info) (string, bool) {
	t, ok := lit.Type.(*ast.ArrayType)
	if !ok {
		return "", lit.Type != nil
	}
	if _, ok := t.Len.(*ast.Ellipsis); !ok {
		return "", true
	}
	a, ok := info.TypeOf(lit).Underlying().(*types.Array)
	if !ok || a.Len() == 0 {
		return "", false
	}
	at := strconv.FormatInt(a.Len()-1, 10)
	switch e := a.Elem().Underlying().(type) {
	case *types.Basic:
		switch {
		case e.Info()&types.IsNumeric != 0:
			return at + ":0,", true
		case e.Info()&types.IsString != 0:
			return at + `:"",`, true
		case e.Info()&types.IsBoolean != 0:
			return at + ":1>2,", true
		}
	case *types.Struct, *types.Array, *types.Slice, *types.Map:
		return at + ":{},", true
	case *types.Pointer:
		return at + ":nil,", true
	}
	return "", false
}

// kept is the table of a variable.
type kept struct {
	*table
	source *source
	file   *ast.File
}

// Table returns the initial value of a variable that is a table, for a TableReader, and nil for other variables.
func (c *Checked) Table(v *types.Var) []byte {
	if t := c.tables[v]; t != nil {
		return t.data
	}
	return nil
}

// Restore gives the initialiser of a table its elements again, and Info what go/types says of them.
func (c *Checked) Restore(init *types.Initializer) error {
	t, lit := c.tables[init.Lhs[0]], literalOf(init.Rhs)
	elements, err := t.source.parseTable(t.span)
	if err != nil {
		return fmt.Errorf("the elements of %s.%s: %w", c.Path, t.name, err)
	}
	lit.Elts = elements
	info, err := c.checkMore(t.file, &ast.GenDecl{TokPos: lit.Pos(), Tok: token.VAR, Specs: []ast.Spec{
		&ast.ValueSpec{Names: []*ast.Ident{{NamePos: lit.Pos(), Name: "_"}}, Values: []ast.Expr{init.Rhs}}}})
	if err != nil {
		return err
	}
	maps.Copy(c.Info.Types, info.Types)
	maps.Copy(c.Info.Uses, info.Uses)
	maps.Copy(c.Info.Selections, info.Selections)
	maps.Copy(c.Info.Instances, info.Instances)
	return nil
}

// tableWriter writes the value of a table.
type tableWriter struct {
	info *types.Info
	data []byte
}

func (w *tableWriter) kind(k byte)   { w.data = append(w.data, k) }
func (w *tableWriter) number(n int)  { w.data = binary.AppendUvarint(w.data, uint64(n)) }
func (w *tableWriter) text(s string) { w.number(len(s)); w.data = append(w.data, s...) }

// value writes an expression's value of type t. It reports false where the value is not constant.
func (w *tableWriter) value(x ast.Expr, t types.Type) bool {
	x = ast.Unparen(x)
	tv := w.info.Types[x]
	if tv.Value != nil {
		return w.constant(tv.Value, t)
	}
	if tv.IsNil() {
		w.kind(TableNil)
		return !types.IsInterface(t)
	}
	switch x := x.(type) {
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(x.X).(*ast.CompositeLit)
		p, isPtr := t.Underlying().(*types.Pointer)
		if !ok || !isPtr || x.Op != token.AND {
			return false
		}
		w.kind(TablePointer)
		return w.literal(lit, p.Elem())
	case *ast.CompositeLit:
		return w.literal(x, t)
	case *ast.CallExpr:
		s, ok := t.Underlying().(*types.Slice)
		if !ok || len(x.Args) != 1 || !w.info.Types[x.Fun].IsType() || !isByte(s.Elem()) {
			return false
		}
		v := w.info.Types[x.Args[0]].Value
		if v == nil || v.Kind() != constant.String {
			return false
		}
		w.kind(TableBytes)
		w.text(constant.StringVal(v))
		return true
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// constant writes a constant of type t.
func (w *tableWriter) constant(v constant.Value, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch {
	case b.Info()&types.IsBoolean != 0 && constant.BoolVal(v):
		w.kind(TableTrue)
	case b.Info()&types.IsBoolean != 0:
		w.kind(TableFalse)
	case b.Info()&types.IsString != 0 && v.Kind() == constant.String:
		w.kind(TableString)
		w.text(constant.StringVal(v))
	case b.Info()&types.IsInteger != 0:
		k := byte(TableInt)
		if b.Info()&types.IsUnsigned != 0 {
			k = TableUint
		}
		w.kind(k)
		return w.integer(v, k)
	case b.Info()&types.IsFloat != 0:
		f, _ := constant.Float64Val(constant.ToFloat(v))
		w.kind(TableFloat)
		w.data = binary.LittleEndian.AppendUint64(w.data, math.Float64bits(f))
	default:
		return false
	}
	return true
}

// integer writes an integer of a kind, without the kind.
func (w *tableWriter) integer(v constant.Value, kind byte) (exact bool) {
	if kind == TableUint {
		n, exact := constant.Uint64Val(constant.ToInt(v))
		w.data = binary.AppendUvarint(w.data, n)
		return exact
	}
	n, exact := constant.Int64Val(constant.ToInt(v))
	w.data = binary.AppendVarint(w.data, n)
	return exact
}

func (w *tableWriter) literal(x *ast.CompositeLit, t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer: // of an element whose type the literal leaves out
		w.kind(TablePointer)
		return x.Type == nil && w.literal(x, u.Elem())
	case *types.Struct:
		w.kind(TableStruct)
		w.number(len(x.Elts))
		return w.fields(x, u)
	case *types.Array:
		return u.Len() <= maxLength && w.list(x, u.Elem(), int(u.Len()))
	case *types.Slice:
		n := 0
		Elements(w.info, x, func(i int, _ ast.Expr) bool {
			n = max(n, i+1)
			return true
		})
		return n <= maxLength && w.list(x, u.Elem(), n)
	case *types.Map:
		w.kind(TableMap)
		w.number(len(x.Elts))
		for _, e := range x.Elts {
			kv := e.(*ast.KeyValueExpr)
			if !w.value(kv.Key, u.Key()) || !w.value(kv.Value, u.Elem()) {
				return false
			}
		}
		return true
	}
	return false
}

func (w *tableWriter) fields(x *ast.CompositeLit, t *types.Struct) bool {
	at := map[string]int{}
	for i := range t.NumFields() {
		at[t.Field(i).Name()] = i
	}
	for i, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			i, e = at[kv.Key.(*ast.Ident).Name], kv.Value
		}
		w.number(i)
		if !w.value(e, t.Field(i).Type()) {
			return false
		}
	}
	return true
}

// Elements calls f with the indices and the values of the elements of an array or slice, which has been checked, until f
// reports false. It reports whether f never has.
func Elements(info *types.Info, x *ast.CompositeLit, f func(int, ast.Expr) bool) bool {
	i := 0
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			at, _ := constant.Int64Val(constant.ToInt(info.Types[kv.Key].Value))
			i, e = int(at), kv.Value
		}
		if !f(i, e) {
			return false
		}
		i++
	}
	return true
}

func (w *tableWriter) list(x *ast.CompositeLit, elem types.Type, n int) bool {
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && len(x.Elts) == n {
		return w.numbers(x, b, n)
	}
	w.kind(TableList)
	w.number(n)
	w.number(len(x.Elts))
	return Elements(w.info, x, func(i int, e ast.Expr) bool {
		w.number(i)
		return w.value(e, elem)
	})
}

// numbers writes a list of n integers that has them all.
func (w *tableWriter) numbers(x *ast.CompositeLit, elem *types.Basic, n int) bool {
	k := byte(TableInt)
	if elem.Info()&types.IsUnsigned != 0 {
		k = TableUint
	}
	raw := elem.Kind() == types.Uint8
	if raw {
		w.kind(TableRaw)
	} else {
		w.kind(TableNumbers)
	}
	w.number(n)
	next := 0
	return Elements(w.info, x, func(i int, e ast.Expr) bool {
		v := w.info.Types[e].Value
		if v == nil || i != next { // in another order
			return false
		}
		next++
		if raw {
			n, exact := constant.Uint64Val(constant.ToInt(v))
			w.data = append(w.data, byte(n))
			return exact
		}
		return w.integer(v, k)
	})
}

// TableReader reads the value of a table. What it reads of damaged data is wrong, and Failed tells so.
type TableReader struct {
	data   []byte
	failed bool
}

// NewTableReader begins at the beginning of what Checked.Table has returned.
func NewTableReader(data []byte) *TableReader { return &TableReader{data: data} }

// Failed reports whether the data has ended too early.
func (r *TableReader) Failed() bool { return r.failed }

// Done reports whether all has been read without a failure.
func (r *TableReader) Done() bool { return !r.failed && len(r.data) == 0 }

// Kind reads the kind of the value that follows.
func (r *TableReader) Kind() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 255
}

// Int reads a signed integer.
func (r *TableReader) Int() int64 {
	n, size := binary.Varint(r.data)
	return advance(r, n, size)
}

// Uint reads an unsigned integer.
func (r *TableReader) Uint() uint64 {
	n, size := binary.Uvarint(r.data)
	return advance(r, n, size)
}

// Len reads the length of what follows, each element of which takes a byte at least unless it is sparse.
func (r *TableReader) Len() int {
	n := r.Uint()
	if n > maxLength {
		r.failed = true
		return 0
	}
	return int(n)
}

// Float reads a number.
func (r *TableReader) Float() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// Raw reads n bytes. They belong to the data and must not be changed.
func (r *TableReader) Raw(n int) []byte { return r.take(n) }

// Bytes reads a text. It belongs to the data and must not be changed.
func (r *TableReader) Bytes() []byte { return r.take(r.Len()) }

func (r *TableReader) take(n int) []byte {
	if r.failed || n > len(r.data) {
		r.failed = true
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func advance[T int64 | uint64](r *TableReader, n T, size int) T {
	if size <= 0 || r.failed {
		r.failed = true
		return 0
	}
	r.data = r.data[size:]
	return n
}
