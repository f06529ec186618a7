package native

import (
	"bytes"
	"go/types"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// Short texts are written to a strings.Builder or a bytes.Buffer that has room for them without Go code, and so are
// their texts and lengths read. Neither stores a pointer. What is left to Go code: any other write, which grows the
// memory, and values that are nil or have been copied.

// writer is where the parts of such a type are.
type writer struct {
	buf  int64 // the bytes written
	self int64 // the value's own address; -1 without it
	off  int64 // how many bytes have been read; -1 without it
	last int64 // what was done last, a byte that writing clears; -1 without it
}

// writers are the types by their names, if the types are as they are known here.
var writers = map[string]*writer{
	"*strings.Builder": writerOf(reflect.TypeFor[strings.Builder](), "addr", "buf", "", ""),
	"*bytes.Buffer":    writerOf(reflect.TypeFor[bytes.Buffer](), "", "buf", "off", "lastRead"),
}

func writerOf(t reflect.Type, self, buf, off, last string) *writer {
	ok, used := true, 0
	at := func(name string, kind reflect.Kind) int64 {
		if name == "" {
			return -1
		}
		f, found := t.FieldByName(name)
		ok = ok && found && f.Type.Kind() == kind
		used++
		return int64(f.Offset)
	}
	w := &writer{buf: at(buf, reflect.Slice), self: at(self, reflect.Pointer), off: at(off, reflect.Int),
		last: at(last, reflect.Int8)}
	if !ok || used != t.NumField() {
		return nil
	}
	return w
}

// mostInline is the length of a text that is written without Go code.
const mostInline = 16

// written is a method of a writer in work.
type written struct {
	goCalls
	*writer
	at    *ir.Value // the address of the value
	args  []*ir.Value
	kinds []ir.Kind // of the results
	slow  *ir.Block // where Go code does it
	done  *ir.Block
	fast  []*ir.Value // the results without Go code
}

// writes translates a method of a writer. It reports false for any other method.
func (t goCalls) writes(fn *types.Func, f *foreign, args []*ir.Value) ([]*ir.Value, bool) {
	recv := fn.Signature().Recv()
	if recv == nil || t.device != nil {
		return nil, false
	}
	w := &written{goCalls: t, writer: writers[types.TypeString(recv.Type(), nil)], args: args[1:]}
	if w.writer == nil {
		return nil, false
	}
	do := map[string]func(){"WriteString": w.text, "WriteByte": w.byte, "WriteRune": w.rune, "Len": w.length,
		"String": w.string}[fn.Name()]
	if do == nil || fn.Name() == "String" && w.off >= 0 {
		return nil, false
	}
	for _, p := range f.out {
		w.kinds = append(w.kinds, p.kind)
	}
	w.at, w.slow, w.done = args[0], t.f.NewBlock(), t.f.NewBlock()
	w.slow.In, w.done.In = t.in, t.in
	w.must(t.add(ir.Ne, ir.Bool, w.at, t.f.Int(ir.Ptr, 0)))
	if w.self >= 0 {
		w.must(t.add(ir.Eq, ir.Bool, w.load(ir.Ptr, w.self), w.at))
	}
	do()
	w.goTo(w.done)
	t.b = w.slow
	other := t.callForeign(f, args)
	w.goTo(w.done)
	t.b = w.done
	for i, k := range w.kinds {
		other[i] = t.add(ir.Phi, k, w.fast[i], other[i])
	}
	return other, true
}

// must has Go code do it unless a condition holds.
func (w *written) must(cond *ir.Value) {
	from, next := w.b, w.f.NewBlock()
	next.In = w.in
	from.Kind, from.Control, from.Succs = ir.If, cond, []*ir.Block{next, w.slow}
	next.Preds, w.slow.Preds = []*ir.Block{from}, append(w.slow.Preds, from)
	w.b = next
}

func (w *written) goTo(b *ir.Block) {
	w.b.Kind, w.b.Succs = ir.Jump, []*ir.Block{b}
	b.Preds = append(b.Preds, w.b)
}

func (w *written) load(k ir.Kind, at int64) *ir.Value {
	return w.memory(ir.Load, k, address{base: w.at}, at, nil)
}

// room looks whether n bytes can be written, and returns where and how many there are before them.
func (w *written) room(n *ir.Value) (data, len *ir.Value) {
	data, len = w.load(ir.Ptr, w.buf), w.load(ir.Int64, w.buf+8)
	left := w.add(ir.Sub, ir.Int64, w.load(ir.Int64, w.buf+16), len)
	w.must(w.add(ir.Le, ir.Bool, n, left))
	return data, len
}

// wrote notes that there are n more bytes.
func (w *written) wrote(len, n *ir.Value) {
	w.memory(ir.Store, ir.Int64, address{base: w.at}, w.buf+8, w.add(ir.Add, ir.Int64, len, n))
	if w.last >= 0 {
		w.memory(ir.Store, ir.Int8, address{base: w.at}, w.last, w.f.Int(ir.Int8, 0))
	}
}

// returns sets the results: a number, if there is one before the error, and no error.
func (w *written) returns(list ...*ir.Value) {
	for _, k := range w.kinds[len(list):] {
		list = append(list, w.f.Int(k, 0))
	}
	w.fast = list
}

func (w *written) byte() {
	one := w.int(1)
	data, len := w.room(one)
	w.memory(ir.Store, ir.Uint8, address{base: data, index: len, scale: 1}, 0, w.args[0])
	w.wrote(len, one)
	w.returns()
}

func (w *written) rune() {
	r, one := w.args[0], w.int(1)
	w.must(w.add(ir.Ge, ir.Bool, r, w.f.Int(ir.Int32, 0)))
	w.must(w.add(ir.Lt, ir.Bool, r, w.f.Int(ir.Int32, utf8.RuneSelf)))
	data, len := w.room(one)
	w.memory(ir.Store, ir.Uint8, address{base: data, index: len, scale: 1}, 0, w.add(ir.Convert, ir.Uint8, r))
	w.wrote(len, one)
	w.returns(one)
}

func (w *written) text() {
	from, n := w.args[0], w.args[1]
	w.must(w.add(ir.Le, ir.Bool, n, w.int(mostInline)))
	data, len := w.room(n)
	to := address{base: data, index: len, scale: 1}
	if n.Op == ir.Const {
		w.copyAll(to, from, n.Imm)
	} else {
		w.copy(to, from, n)
	}
	w.wrote(len, n)
	w.returns(n)
}

// copyAll copies a constant number of bytes.
func (w *written) copyAll(to address, from *ir.Value, n int64) {
	if n > mostInline {
		return // which is not reached
	}
	done := int64(0)
	for _, k := range []ir.Kind{ir.Uint64, ir.Uint32, ir.Uint16, ir.Uint8} {
		for size := int64(k.Size()); n-done >= size; done += size {
			w.memory(ir.Store, k, to, done, w.memory(ir.Load, k, address{base: from}, done, nil))
		}
	}
}

// copy copies n bytes, at most mostInline: the first and the last of a size, which may overlap.
func (w *written) copy(to address, from, n *ir.Value) {
	nothing := func() []*ir.Value { return nil }
	ends := func(k ir.Kind) func() []*ir.Value {
		return func() []*ir.Value {
			size := int64(k.Size())
			first := w.memory(ir.Load, k, address{base: from}, 0, nil)
			last := w.memory(ir.Load, k, address{base: from, index: n, scale: 1}, -size, nil)
			w.memory(ir.Store, k, to, 0, first)
			end := address{base: to.base, index: w.add(ir.Add, ir.Int64, to.index, n), scale: 1}
			w.memory(ir.Store, k, end, -size, last)
			return nil
		}
	}
	otherwise := func(least int64, then, other func() []*ir.Value) func() []*ir.Value {
		return func() []*ir.Value {
			w.choose(w.add(ir.Ge, ir.Bool, n, w.int(least)), then, other)
			return nil
		}
	}
	few := func() []*ir.Value { // the byte in the middle, too
		ends(ir.Uint8)()
		half := w.add(ir.Shr, ir.Int64, n, w.f.Int(ir.Uint64, 1))
		b := w.memory(ir.Load, ir.Uint8, address{base: from, index: half, scale: 1}, 0, nil)
		middle := address{base: to.base, index: w.add(ir.Add, ir.Int64, to.index, half), scale: 1}
		w.memory(ir.Store, ir.Uint8, middle, 0, b)
		return nil
	}
	otherwise(8, ends(ir.Uint64), otherwise(4, ends(ir.Uint32), otherwise(1, few, nothing)))()
}

// choose computes one of two.
func (w *written) choose(cond *ir.Value, then, other func() []*ir.Value) {
	from, yes, no, next := w.b, w.f.NewBlock(), w.f.NewBlock(), w.f.NewBlock()
	yes.In, no.In, next.In = w.in, w.in, w.in
	from.Kind, from.Control, from.Succs = ir.If, cond, []*ir.Block{yes, no}
	yes.Preds, no.Preds = []*ir.Block{from}, []*ir.Block{from}
	w.b = yes
	then()
	w.goTo(next)
	w.b = no
	other()
	w.goTo(next)
	w.b = next
}

func (w *written) length() {
	n := w.load(ir.Int64, w.buf+8)
	if w.off >= 0 {
		n = w.add(ir.Sub, ir.Int64, n, w.load(ir.Int64, w.off))
	}
	w.fast = []*ir.Value{n}
}

func (w *written) string() {
	w.fast = []*ir.Value{w.load(ir.Ptr, w.buf), w.load(ir.Int64, w.buf+8)}
}
