package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor"
)

// region is memory that something refers to.
type region struct {
	start, end uintptr
	elem       reflect.Type // of a row of values
	variable   int          // that it is, -1 for none
}

// object is memory that is written once: count values of a type.
type object struct {
	region
	memory unsafe.Pointer
}

// Writer collects the values of variables and writes them. Nothing may change them meanwhile.
type Writer struct {
	types   table
	dynamic table // of values in interfaces; their parts are numbered in types
	vars    []reflect.Value
	found
	objects []object
}

// found is what the variables refer to.
type found struct {
	regions  []region
	seen     map[place]bool
	maps     []reflect.Value
	mapIndex map[unsafe.Pointer]int
	tensors  []*tensor.Tensor
	boxed    []reflect.Type // types of values in interfaces
	outside  []outside      // variables of packages
	memory   map[uintptr]unsafe.Pointer
	held     map[Held]bool // of the variable that was added last
	pending  []part        // what pointers point to: a list may be longer than a stack is deep
}

// Held says that an interface of one type holds a value of another.
type Held struct{ Interface, Value reflect.Type }

// part is a part of a variable's value.
type part struct {
	value reflect.Value
	path  string
}

// in is the path of a part of it, unless that becomes too long to tell.
func in(path, part string) string {
	if len(path) > 60 {
		return path
	}
	return path + part
}

type place struct {
	at unsafe.Pointer
	t  reflect.Type
	n  int
}

// NewWriter returns a writer without variables.
func NewWriter() *Writer {
	return &Writer{types: table{index: map[reflect.Type]int{}}, dynamic: table{index: map[reflect.Type]int{}},
		found: found{seen: map[place]bool{}, mapIndex: map[unsafe.Pointer]int{}, memory: map[uintptr]unsafe.Pointer{}}}
}

// Add adds a variable. The error says which part of its value cannot be kept; then it is not added.
func (w *Writer) Add(variable reflect.Value) error {
	before, seen := w.found, map[place]bool{}
	w.held = map[Held]bool{}
	w.seen = seen // from anew: what was seen in a variable that was left out has not been written
	v := variable.Elem()
	w.region(v.Addr().UnsafePointer(), 1, v.Type(), len(w.vars))
	w.pending = []part{{v, ""}}
	var err error
	for len(w.pending) > 0 && err == nil {
		p := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		err = w.walk(p.value, p.path)
	}
	if err != nil {
		before.seen = map[place]bool{}
		for m, i := range w.mapIndex {
			if i >= len(before.maps) {
				delete(w.mapIndex, m)
			}
		}
		w.found = before
		return err
	}
	w.vars = append(w.vars, variable)
	return nil
}

// Boxed returns the types of the values that interfaces hold, in the order in which Reader takes them.
func (w *Writer) Boxed() []reflect.Type { return w.boxed }

// Held returns what interfaces hold in the variable that was added last.
func (w *Writer) Held() map[Held]bool { return w.held }

func (f *found) region(p unsafe.Pointer, count int, t reflect.Type, variable int) {
	size := uintptr(count) * t.Size()
	if size == 0 {
		return
	}
	f.memory[uintptr(p)] = p
	f.regions = append(f.regions, region{uintptr(p), uintptr(p) + size, t, variable})
}

// errKept says what cannot be kept.
func errKept(path, format string, args ...any) error {
	if path != "" {
		path += " is "
	}
	return errors.New(path + fmt.Sprintf(format, args...))
}

// walk collects what a value refers to.
func (w *Writer) walk(v reflect.Value, path string) error {
	t := v.Type()
	switch {
	case t == tensorType:
		return w.walkTensor(v)
	case t == deviceType || marshals(t):
		return nil
	}
	switch t.Kind() {
	case reflect.Func:
		return w.walkFunction(v, path)
	case reflect.Chan, reflect.UnsafePointer:
		if v.IsZero() {
			return nil
		}
		return errKept(path, "%s", map[reflect.Kind]string{reflect.Chan: "a channel",
			reflect.UnsafePointer: "an unsafe.Pointer"}[t.Kind()])
	case reflect.Pointer:
		if v.IsNil() || w.visited(v.UnsafePointer(), t, 1) {
			return nil
		}
		if p := packages().find(v.UnsafePointer(), t.Elem(), 1); p != nil {
			return w.refersTo(p, path)
		}
		w.region(v.UnsafePointer(), 1, t.Elem(), -1)
		w.pending = append(w.pending, part{v.Elem(), path})
		return nil
	case reflect.Slice:
		if v.IsNil() || w.visited(v.UnsafePointer(), t, v.Cap()) {
			return nil
		}
		if p := packages().find(v.UnsafePointer(), t.Elem(), v.Cap()); p != nil {
			return w.refersTo(p, path)
		}
		w.region(v.UnsafePointer(), v.Cap(), t.Elem(), -1)
		if isPlain(t.Elem()) {
			return nil
		}
		all := v.Slice(0, v.Cap())
		for i := range all.Len() {
			if err := w.walk(all.Index(i), in(path, fmt.Sprintf("[%d]", i))); err != nil {
				return err
			}
		}
	case reflect.Array:
		if isPlain(t.Elem()) {
			return nil
		}
		for i := range v.Len() {
			if err := w.walk(v.Index(i), in(path, fmt.Sprintf("[%d]", i))); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return w.walkStruct(v, path)
	case reflect.Map:
		return w.walkMap(v, path)
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return w.walkBoxed(v, path)
	}
	return nil
}

// walkBoxed collects what is in an interface.
func (w *Writer) walkBoxed(v reflect.Value, path string) error {
	inside := copyOf(v.Elem())
	name, kind := packages().valueOf(inside), inside.Type()
	if name != "" {
		kind = outsideType
	}
	if !slices.Contains(w.boxed, kind) {
		w.boxed = append(slices.Clip(w.boxed), kind)
	}
	if name != "" && inside.Kind() != reflect.Pointer {
		return nil
	}
	if name == "" && Code(kind) == "" {
		w.held[Held{v.Type(), kind}] = true
	}
	return w.walk(inside, path)
}

// refersTo notes that something refers to a variable of a package.
func (w *Writer) refersTo(p *packaged, path string) error {
	if p.changed() {
		return errKept(path, "a pointer to what %s points to, which has been changed: a new session has one of its own",
			p.name)
	}
	if !slices.Contains(w.outside, p.name) {
		w.outside = append(slices.Clip(w.outside), p.name)
	}
	return nil
}

// walkFunction collects the arguments of a function of this program that knows how it was made.
func (w *Writer) walkFunction(v reflect.Value, path string) error {
	if v.IsNil() {
		return nil
	}
	call := keep.CallOf(v.Addr().UnsafePointer())
	if call == nil {
		return errKept(path, "a function value")
	}
	for i := range call.Args {
		if err := w.walkBoxed(reflect.ValueOf(&call.Args[i]).Elem(), path); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) visited(p unsafe.Pointer, t reflect.Type, n int) bool {
	at := place{p, t, n}
	was := w.seen[at]
	w.seen[at] = true
	return was
}

// isPlain reports whether values of a type refer to nothing.
func isPlain(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}

func (w *Writer) walkTensor(v reflect.Value) error {
	t, _ := v.Interface().(*tensor.Tensor)
	if t == nil || slices.Contains(w.tensors, t) {
		return nil
	}
	if t.IsFreed() {
		return errors.New("a tensor that was freed")
	}
	w.tensors = append(slices.Clip(w.tensors), t)
	return nil
}

func (w *Writer) walkStruct(v reflect.Value, path string) error {
	t := v.Type()
	if isHidden(t) {
		if v.IsZero() {
			return nil
		}
		return errKept(path, "a %s, whose fields are not exported", t)
	}
	if form := keep.Of(t); form != nil {
		kept, err := form.To(v.Addr())
		if err != nil {
			return errKept(path, "a %s: %v", t, err)
		}
		return w.walk(kept, path)
	}
	for i := range t.NumField() {
		if err := w.walk(field(v, i), in(path, "."+t.Field(i).Name)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) walkMap(v reflect.Value, path string) error {
	if v.IsNil() {
		return nil
	}
	if _, ok := w.mapIndex[v.UnsafePointer()]; ok && w.visited(v.UnsafePointer(), v.Type(), 0) {
		return nil
	}
	if _, ok := w.mapIndex[v.UnsafePointer()]; !ok {
		w.mapIndex[v.UnsafePointer()] = len(w.maps)
		w.maps = append(slices.Clip(w.maps), v)
		w.visited(v.UnsafePointer(), v.Type(), 0)
	}
	for entries := v.MapRange(); entries.Next(); {
		if err := w.walk(copyOf(entries.Key()), in(path, "[…]")); err != nil {
			return err
		}
		if err := w.walk(copyOf(entries.Value()), in(path, "[…]")); err != nil {
			return err
		}
	}
	return nil
}

// field is a field of an addressable struct, whether it is exported or not.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

// copyOf is an addressable copy of a value.
func copyOf(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// join makes the objects of the regions that were found.
func (w *Writer) join() error {
	list := slices.Clone(w.regions)
	slices.SortStableFunc(list, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(b.variable, a.variable))
	})
	for _, r := range list {
		if len(w.objects) == 0 || r.start >= w.objects[len(w.objects)-1].end {
			w.objects = append(w.objects, object{r, w.memory[r.start]})
			continue
		}
		o := &w.objects[len(w.objects)-1]
		switch {
		case alike(r.elem, o.elem) && (r.start-o.start)%r.elem.Size() == 0 && (r.variable < 0 || r.end <= o.end):
			o.end = max(o.end, r.end)
		case r.end > o.end || (r.end-r.start)/r.elem.Size() > room(o.elem, uintptr(o.count()), r.start-o.start, r.elem):
			return fmt.Errorf("memory is shared by values of the types %s and %s", o.elem, r.elem)
		}
		if r.variable >= 0 && o.variable < 0 {
			o.variable = r.variable
		}
	}
	return nil
}

// find returns the object that holds an address. ok is false where nothing was found there when variables were added.
func (w *Writer) find(p unsafe.Pointer) (index int, offset uintptr, ok bool) {
	at := uintptr(p)
	i, found := slices.BinarySearchFunc(w.objects, at, func(o object, at uintptr) int {
		return cmp.Compare(o.start, at)
	})
	if !found {
		i--
	}
	if i < 0 || at >= w.objects[i].end {
		return 0, 0, false
	}
	return i, at - w.objects[i].start, true
}
