package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/keep"
)

// magic begins a file.
const magic = "gorocm checkpoint 1\n"

// Header is what a file says of the session.
type Header struct {
	Version      string     `json:"version"`      // of gorocm
	Declarations string     `json:"declarations"` // imports, types, functions and constants, as a cell
	Modules      string     `json:"modules,omitempty"`
	Vars         []Variable `json:"vars"`
	Boxed        []string   `json:"boxed,omitempty"` // types of values in interfaces, as cells spell them
	Lost         []Lost     `json:"lost,omitempty"`
	Left         []Left     `json:"left,omitempty"`
	Functions    bool       `json:"functions"`       // how functions were made is written, not so by older versions
	Forms        []string   `json:"forms"`           // of types: see table
	Roots        []int      `json:"roots,omitempty"` // the types of Vars, then of Boxed, in Forms

	Random []Generator `json:"random,omitempty"`
}

// Generator is where the generator of random numbers of a device is.
type Generator struct {
	Device  string `json:"device"` // its location
	Seed    uint64 `json:"seed"`
	Counter uint64 `json:"counter"`
}

// Variable is a variable that was kept.
type Variable struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Lost is a variable that could not be kept.
type Lost struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Why  string `json:"why"`
	Cell string `json:"cell"` // that has defined it
	// Statement gives it its value, as an assignment; empty if that is not known. Literal says that it does nothing else,
	// and Order in which order statements ran.
	Statement string `json:"statement,omitempty"`
	Literal   bool   `json:"literal,omitempty"`
	Order     int    `json:"order,omitempty"`
}

// Left is a function, type, constant or import that does not compile in a new session.
type Left struct {
	Name string `json:"name"` // T.M of a method
	Why  string `json:"why"`
}

// TypeHas begins what Why says of a type that no declaration can spell.
const TypeHas = "its type has "

// Spellable reports whether the variable can be declared, so that functions can mention it.
func (l Lost) Spellable() bool { return !strings.HasPrefix(l.Why, TypeHas) }

// Write writes a file. It fills in what h says of types.
func (w *Writer) Write(to io.Writer, h Header) error {
	if err := w.join(); err != nil {
		return err
	}
	for _, v := range w.vars {
		w.types.add(v.Type().Elem())
	}
	for _, t := range w.boxed {
		w.types.add(t)
	}
	if len(w.outside) > 0 {
		w.types.add(outsideType)
	}
	h.Forms, h.Functions = w.types.forms(), true
	for _, v := range w.vars {
		h.Roots = append(h.Roots, w.types.index[v.Type().Elem()])
	}
	for _, t := range w.boxed {
		h.Roots = append(h.Roots, w.types.index[t])
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	sum := sha256.New()
	e := &encoder{w: w, out: bufio.NewWriterSize(io.MultiWriter(to, sum), 1<<20)}
	e.raw([]byte(magic))
	e.text(string(head))
	e.number(uint64(len(w.outside) + len(w.objects)))
	for range w.outside { // before what refers to them
		e.signed(-1)
		e.number(uint64(w.types.index[outsideType]))
		e.number(1)
	}
	for _, o := range w.objects {
		e.signed(int64(o.variable))
		e.number(uint64(w.types.index[o.elem]))
		e.number(o.count())
	}
	e.number(uint64(len(w.maps)))
	for _, m := range w.maps {
		e.number(uint64(w.types.index[m.Type()]))
	}
	e.number(uint64(len(w.tensors)))
	for _, t := range w.tensors {
		e.tensor(t)
	}
	for _, name := range w.outside {
		e.text(string(name))
	}
	for _, o := range w.objects {
		e.values(reflect.SliceAt(o.elem, o.memory, int(o.count())))
	}
	for i, m := range w.maps {
		e.number(uint64(m.Len()))
		n := 0
		for entries := m.MapRange(); entries.Next(); n++ {
			e.value(copyOf(entries.Key()))
			e.value(copyOf(entries.Value()))
		}
		if n != w.maps[i].Len() {
			return fmt.Errorf("a map has changed meanwhile")
		}
	}
	if e.err == nil {
		e.err = e.out.Flush()
	}
	if e.err == nil {
		_, e.err = to.Write(sum.Sum(nil))
	}
	return e.err
}

func (o object) count() uint64 { return uint64((o.end - o.start) / o.elem.Size()) }

// encoder writes values. Its first error stays.
type encoder struct {
	w   *Writer
	out *bufio.Writer
	buf [binary.MaxVarintLen64]byte
	err error
}

func (e *encoder) raw(b []byte) {
	if e.err == nil {
		_, e.err = e.out.Write(b)
	}
}

func (e *encoder) number(n uint64) { e.raw(e.buf[:binary.PutUvarint(e.buf[:], n)]) }
func (e *encoder) signed(n int64)  { e.raw(e.buf[:binary.PutVarint(e.buf[:], n)]) }

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	if e.err == nil {
		_, e.err = e.out.WriteString(s)
	}
}

func (e *encoder) float(f float64) {
	binary.LittleEndian.PutUint64(e.buf[:], math.Float64bits(f))
	e.raw(e.buf[:8])
}

// values writes the elements of an array or a slice.
func (e *encoder) values(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > 0 {
		if v.Kind() == reflect.Array {
			v = v.Slice(0, v.Len())
		}
		e.raw(v.Bytes())
		return
	}
	for i := range v.Len() {
		e.value(v.Index(i))
	}
}

func (e *encoder) value(v reflect.Value) {
	t := v.Type()
	switch {
	case e.err != nil:
		return
	case t == tensorType:
		e.tensorReference(v)
		return
	case t == deviceType:
		e.device(v)
		return
	case marshals(t):
		text, err := marshalerOf(v.Addr()).write()
		if e.text(string(text)); err != nil && e.err == nil {
			e.err = err
		}
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		e.number(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.signed(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		e.float(real(v.Complex()))
		e.float(imag(v.Complex()))
	case reflect.String:
		e.text(v.String())
	case reflect.Pointer, reflect.Slice, reflect.Map:
		e.reference(v)
	case reflect.Array:
		e.values(v)
	case reflect.Struct:
		if isHidden(t) {
			return // it is zero: see walkStruct
		}
		if form := keep.Of(t); form != nil {
			kept, err := form.To(v.Addr())
			if err != nil && e.err == nil {
				e.err = err
			}
			e.value(kept)
			return
		}
		for i := range t.NumField() {
			e.value(field(v, i))
		}
	case reflect.Interface:
		if v.IsNil() {
			e.number(0)
			return
		}
		e.boxed(v)
	case reflect.Func:
		e.function(v)
	}
}

// boxed writes the number of the type of a value in an interface and 1, and the value.
func (e *encoder) boxed(v reflect.Value) {
	inside := copyOf(v.Elem())
	if name := packages().valueOf(inside); name != "" {
		inside = copyOf(reflect.ValueOf(name))
	}
	i := slices.Index(e.w.boxed, inside.Type())
	if i < 0 {
		e.err = errChanged
		return
	}
	e.number(uint64(i) + 1)
	e.value(inside)
}

var errChanged = errors.New("a value has changed meanwhile")

// function writes how a function was made: its maker's name, empty for nil, and the arguments.
func (e *encoder) function(v reflect.Value) {
	if v.IsNil() {
		e.text("")
		return
	}
	call := keep.CallOf(v.Addr().UnsafePointer())
	if call == nil {
		e.err = errChanged
		return
	}
	e.text(call.Maker)
	e.number(uint64(len(call.Args)))
	for i := range call.Args {
		e.boxed(reflect.ValueOf(&call.Args[i]).Elem())
	}
}

// reference writes what a pointer, a slice or a map refers to: 0 for nothing, 1 for memory without bytes, or the number
// of an object or of a map and 2.
func (e *encoder) reference(v reflect.Value) {
	switch {
	case v.IsNil():
		e.number(0)
		return
	case v.Kind() == reflect.Map:
		e.number(uint64(e.w.mapIndex[v.UnsafePointer()]) + 2)
		return
	case v.Type().Elem().Size() == 0 || v.Kind() == reflect.Slice && v.Cap() == 0:
		e.number(1)
	default:
		i, offset := e.place(v)
		e.number(uint64(i) + 2)
		e.number(uint64(offset))
	}
	if v.Kind() == reflect.Slice {
		e.number(uint64(v.Len()))
		e.number(uint64(v.Cap()))
	}
}

// place is the object that a pointer or a slice refers to, counted after the variables of packages, and where in it.
func (e *encoder) place(v reflect.Value) (object int, offset uintptr) {
	count := 1
	if v.Kind() == reflect.Slice {
		count = v.Cap()
	}
	var ok bool
	if p := packages().find(v.UnsafePointer(), v.Type().Elem(), count); p != nil {
		object, offset = slices.Index(e.w.outside, p.name), uintptr(v.UnsafePointer())-p.start
		ok = object >= 0
	} else {
		object, offset, ok = e.w.find(v.UnsafePointer())
		object += len(e.w.outside)
	}
	if !ok && e.err == nil {
		e.err = errChanged
	}
	return object, offset
}
