package rtype

import (
	"encoding/binary"
	"go/token"
	"reflect"
	"sync"
	"unsafe"
)

// The structs below mirror internal/abi (type.go, map.go). Check compares them with what the running program has.

// header is abi.Type.
type header struct {
	size       uintptr
	ptrBytes   uintptr // size of the part that can hold pointers
	hash       uint32
	flags      uint8
	align      uint8
	fieldAlign uint8
	kind       uint8
	equal      func(p, q unsafe.Pointer) bool // nil: not comparable
	gcData     *byte
	str        int32 // offset of the name
	ptrToThis  int32 // offset of the type *T, or 0
}

// The flags of a header.
const (
	flagUncommon  uint8 = 1 << 0 // an uncommon follows
	flagNamed     uint8 = 1 << 2
	flagRegular   uint8 = 1 << 3 // equality and hash are those of the bytes
	flagMaskLater uint8 = 1 << 4 // gcData is **byte
	flagDirect    uint8 = 1 << 5 // an interface holds the value itself, which is one pointer
)

type uncommon struct {
	pkgPath int32
	mcount  uint16
	xcount  uint16 // exported methods, which come first
	moff    uint32 // from the uncommon to the methods
	_       uint32
}

type method struct {
	name int32
	typ  int32 // without receiver
	ifn  int32 // code for calls through an interface: the receiver is one word
	tfn  int32 // code for calls with the receiver as it is declared
}

type arrayType struct {
	header
	elem, slice *header
	len         uintptr
}

type chanType struct {
	header
	elem *header
	dir  int
}

// funcType is followed by its uncommon, if any, then by its parameter and result types.
type funcType struct {
	header
	in, out uint16
}

type imethod struct {
	name int32
	typ  int32
}

type interfaceType struct {
	header
	pkgPath *byte
	methods []imethod
}

type mapType struct {
	header
	key, elem, group             *header
	hasher                       func(p unsafe.Pointer, seed uintptr) uintptr
	groupSize, slotSize, elemOff uintptr
	flags                        uint32
}

type pointerType struct {
	header
	elem *header
}

type sliceType struct {
	header
	elem *header
}

type field struct {
	name   *byte
	typ    *header
	offset uintptr
}

type structType struct {
	header
	pkgPath *byte
	fields  []field
}

// itab is abi.ITab: the first word of a value of an interface type that has methods.
type itab struct {
	inter *header
	typ   *header
	hash  uint32
	_     uint32
	fun   [1]unsafe.Pointer // code of the methods, in the order of the interface type
}

// mirrors gives the descriptor of each kind that has more than a header.
var mirrors = map[reflect.Kind]reflect.Type{
	reflect.Array:     reflect.TypeFor[arrayType](),
	reflect.Chan:      reflect.TypeFor[chanType](),
	reflect.Func:      reflect.TypeFor[funcType](),
	reflect.Interface: reflect.TypeFor[interfaceType](),
	reflect.Map:       reflect.TypeFor[mapType](),
	reflect.Pointer:   reflect.TypeFor[pointerType](),
	reflect.Slice:     reflect.TypeFor[sliceType](),
	reflect.Struct:    reflect.TypeFor[structType](),
}

func mirror(k reflect.Kind) reflect.Type {
	if m, ok := mirrors[k]; ok {
		return m
	}
	return reflect.TypeFor[header]()
}

// eface is a value of type any.
type eface struct {
	typ  *header
	data unsafe.Pointer
}

// descriptor returns the memory behind t.
func descriptor(t reflect.Type) *header {
	return (*header)((*eface)(unsafe.Pointer(&t)).data)
}

// reflected is the opposite of descriptor.
func reflected(h *header) reflect.Type {
	var v any
	(*eface)(unsafe.Pointer(&v)).typ = h
	return reflect.TypeOf(v)
}

// addReflectOff makes p known to the runtime under a number that stands for it in descriptors, and keeps it for ever.
//
//go:linkname addReflectOff reflect.addReflectOff
//go:noescape
func addReflectOff(p unsafe.Pointer) int32

// typesByString returns the compiled types that print like this.
//
//go:linkname typesByString reflect.typesByString
func typesByString(s string) []*header

// kept holds every descriptor: other descriptors and interface values refer to them in ways that the collector need not
// see.
var kept struct {
	sync.Mutex
	all []unsafe.Pointer
}

func keep(p unsafe.Pointer) {
	kept.Lock()
	defer kept.Unlock()
	kept.all = append(kept.all, p)
}

// The flags of a name.
const (
	nameExported byte = 1 << 0
	nameTag      byte = 1 << 1
	namePkgPath  byte = 1 << 2
	nameEmbedded byte = 1 << 3
)

// newName encodes a name as descriptors hold it. pkgPath is given for methods with unexported names only.
func newName(name, tag, pkgPath string, flags byte) *byte {
	if tag != "" {
		flags |= nameTag
	}
	if pkgPath != "" {
		flags |= namePkgPath
	}
	b := append([]byte{flags}, binary.AppendUvarint(nil, uint64(len(name)))...)
	b = append(b, name...)
	if tag != "" {
		b = append(binary.AppendUvarint(b, uint64(len(tag))), tag...)
	}
	if pkgPath != "" {
		off := addReflectOff(unsafe.Pointer(newName(pkgPath, "", "", 0)))
		b = binary.NativeEndian.AppendUint32(b, uint32(off))
	}
	return unsafe.SliceData(b)
}

func nameOffset(name *byte) int32 { return addReflectOff(unsafe.Pointer(name)) }

func typeOffset(t reflect.Type) int32 { return addReflectOff(unsafe.Pointer(descriptor(t))) }

// isBlank reports whether name is "_".
func isBlank(name *byte) bool {
	b := unsafe.Slice(name, 3)
	return b[1] == 1 && b[2] == '_'
}

func exportedFlag(name string) byte {
	if token.IsExported(name) {
		return nameExported
	}
	return 0
}
