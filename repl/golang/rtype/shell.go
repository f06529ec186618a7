package rtype

import (
	"hash/fnv"
	"reflect"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// shell is a descriptor in the making. Its header is complete from the start, so that types that refer to it can be
// made before its own parts are known; so are the fields of a struct and the element of an array, in stand-in types.
type shell struct {
	*header
	uncommon *uncommon
	words    []*header // parameters and results, of a func
	methods  []method
}

// blueprint says what a shell has from the start.
type blueprint struct {
	like    reflect.Type // same kind, size and pointers
	text    string       // as Type.String
	named   bool
	pkgPath string
	words   int
	methods int
}

var serial atomic.Uint64

func newShell(b blueprint) shell {
	m := mirror(b.like.Kind())
	mem := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "Type", Type: m},
		{Name: "Uncommon", Type: reflect.TypeFor[uncommon]()},
		{Name: "Words", Type: reflect.ArrayOf(b.words, reflect.TypeFor[*header]())},
		{Name: "Methods", Type: reflect.ArrayOf(b.methods, reflect.TypeFor[method]())},
	}))
	keep(mem.UnsafePointer())
	parts := mem.Elem()
	parts.Field(0).Set(reflect.NewAt(m, unsafe.Pointer(descriptor(b.like))).Elem())
	s := shell{
		header:   (*header)(mem.UnsafePointer()),
		uncommon: parts.Field(1).Addr().Interface().(*uncommon),
		words:    parts.Field(2).Slice(0, b.words).Interface().([]*header),
		methods:  parts.Field(3).Slice(0, b.methods).Interface().([]method),
	}
	s.flags &= flagRegular | flagMaskLater | flagDirect
	if b.named {
		s.flags |= flagNamed
	}
	if b.named || b.methods > 0 {
		s.flags |= flagUncommon
		s.uncommon.moff = uint32(parts.Type().Field(3).Offset - parts.Type().Field(1).Offset)
		s.uncommon.mcount = uint16(b.methods)
	}
	if b.pkgPath != "" {
		s.uncommon.pkgPath = nameOffset(newName(b.pkgPath, "", "", 0))
	}
	s.hash = hash(b.text)
	s.str = nameOffset(newName(b.text, "", "", 0))
	s.ptrToThis = 0
	return s
}

// hash gives types of the same name different hashes.
func hash(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	h.Write(strconv.AppendUint(nil, serial.Add(1), 10))
	return h.Sum32()
}

func (s shell) typ() reflect.Type { return reflected(s.header) }

// compare gives a struct or array that is comparable its equality. It reads the fields' own at each call, because
// they may be shells still.
func (s shell) compare(comparable bool) {
	switch {
	case !comparable:
		s.equal = nil
	case reflect.Kind(s.kind) == reflect.Struct:
		st := (*structType)(unsafe.Pointer(s.header))
		s.equal = func(p, q unsafe.Pointer) bool {
			for i := range st.fields {
				f := &st.fields[i]
				if !isBlank(f.name) && !f.typ.equal(unsafe.Add(p, f.offset), unsafe.Add(q, f.offset)) {
					return false
				}
			}
			return true
		}
	case reflect.Kind(s.kind) == reflect.Array:
		at := (*arrayType)(unsafe.Pointer(s.header))
		s.equal = func(p, q unsafe.Pointer) bool {
			for i := range at.len {
				if !at.elem.equal(unsafe.Add(p, i*at.elem.size), unsafe.Add(q, i*at.elem.size)) {
					return false
				}
			}
			return true
		}
	}
}

// fill gives a shell of a kind other than struct and interface the parts of t.
func (s shell) fill(t reflect.Type) {
	from := unsafe.Pointer(descriptor(t))
	to := unsafe.Pointer(s.header)
	switch t.Kind() {
	case reflect.Array:
		a, b := (*arrayType)(to), (*arrayType)(from)
		a.elem, a.slice, a.len = b.elem, b.slice, b.len
	case reflect.Chan:
		a, b := (*chanType)(to), (*chanType)(from)
		a.elem, a.dir = b.elem, b.dir
	case reflect.Func:
		a, b := (*funcType)(to), (*funcType)(from)
		a.in, a.out = b.in, b.out
		for i := range t.NumIn() {
			s.words[i] = descriptor(t.In(i))
		}
		for i := range t.NumOut() {
			s.words[t.NumIn()+i] = descriptor(t.Out(i))
		}
	case reflect.Map:
		a, b := (*mapType)(to), (*mapType)(from)
		h := a.header
		*a = *b
		a.header = h
	case reflect.Pointer:
		(*pointerType)(to).elem = (*pointerType)(from).elem
	case reflect.Slice:
		(*sliceType)(to).elem = (*sliceType)(from).elem
	}
}
