package enter

import (
	"reflect"
	"unsafe"
)

// Type is what memory of a type has that Go code allocates and copies for generated code.
type Type struct {
	Of       unsafe.Pointer // the run-time type
	Size     int
	Pointers bool // memory of it has pointers
}

// TypeOf gives it.
func TypeOf(t reflect.Type) Type {
	return Type{(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1], int(t.Size()), hasPointers(t)}
}

func hasPointers(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if hasPointers(f.Type) {
				return true
			}
		}
		return false
	default:
		return k > reflect.Complex128
	}
}

// Slice is the words of a slice.
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// New allocates a variable.
func (t *Type) New() unsafe.Pointer { return mallocgc(uintptr(t.Size), t.Of, true) }

// Make allocates the elements of a slice. There must be few enough.
func (t *Type) Make(room int) unsafe.Pointer { return makeslice(t.Of, room, room) }

// Grow gives a slice without room for them memory for n more elements, as append does.
func (t *Type) Grow(s Slice, n int) Slice {
	r := growslice(s.Data, s.Len+n, s.Cap, n, t.Of)
	return Slice{r.Data, s.Len, r.Cap}
}

// Copy copies n elements.
func (t *Type) Copy(to, from unsafe.Pointer, n int) {
	switch {
	case n <= 0:
	case t.Pointers:
		typedslicecopy(t.Of, to, n, from, n)
	default:
		memmove(to, from, uintptr(n*t.Size))
	}
}

// Clear has the collector no longer see what a variable points to.
func (t *Type) Clear(at unsafe.Pointer) {
	if t.Pointers {
		typedmemclr(t.Of, at)
	}
}

// Append appends elements to a slice.
func (t *Type) Append(s, more Slice) Slice {
	if s.Len+more.Len > s.Cap {
		s = t.Grow(s, more.Len)
	}
	t.Copy(unsafe.Add(s.Data, s.Len*t.Size), more.Data, more.Len)
	s.Len += more.Len
	return s
}

//go:linkname mallocgc runtime.mallocgc
func mallocgc(size uintptr, typ unsafe.Pointer, needzero bool) unsafe.Pointer

//go:linkname makeslice runtime.makeslice
func makeslice(typ unsafe.Pointer, len, cap int) unsafe.Pointer

//go:linkname growslice runtime.growslice
func growslice(data unsafe.Pointer, newLen, oldCap, n int, typ unsafe.Pointer) Slice

//go:linkname typedslicecopy runtime.typedslicecopy
func typedslicecopy(typ unsafe.Pointer, to unsafe.Pointer, toLen int, from unsafe.Pointer, fromLen int) int

//go:linkname typedmemclr reflect.typedmemclr
func typedmemclr(typ, at unsafe.Pointer)

//go:linkname memmove runtime.memmove
func memmove(to, from unsafe.Pointer, n uintptr)
