//go:build linux || windows

package enter

import (
	"encoding/binary"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// maxKey is how many bytes a key may have that is no text.
const maxKey = 64

// mapType is abi.MapType.
type mapType struct {
	_                            [48]byte // abi.Type
	Key, Elem, Group             unsafe.Pointer
	Hasher                       hasher
	GroupSize, SlotSize, ElemOff uintptr
	Flags                        uint32
}

// Flags of mapType: keys or elements that are not in the entries themselves.
const indirect = 1<<2 | 1<<3

type hasher func(key unsafe.Pointer, seed uintptr) uintptr

//go:linkname memhash runtime.memhash
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr

//go:linkname strhash runtime.strhash
func strhash(p unsafe.Pointer, seed uintptr) uintptr

func mapTypeOf(t reflect.Type) *mapType {
	return (*mapType)((*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1])
}

// MapEntriesOf is where the entries of maps of a type are. It reports false where generated code cannot use them.
func MapEntriesOf(t reflect.Type) (e MapEntries, ok bool) {
	if !mapsAsKnown() {
		return e, false
	}
	m := mapTypeOf(t)
	e = MapEntries{int(m.GroupSize), int(m.SlotSize), int(m.ElemOff)}
	return e, m.Flags&indirect == 0 && e.Group == 8+8*e.Slot
}

// MapLayoutOf is the layout of maps of a type. It reports false where generated code cannot use their entries.
func MapLayoutOf(t reflect.Type) (l MapLayout, ok bool) {
	if l.MapEntries, ok = MapEntriesOf(t); !ok || !hashesAsKnown() {
		return l, false
	}
	m, key := mapTypeOf(t), t.Key()
	if key.Kind() == reflect.String {
		for _, s := range []string{"", "a", "a longer text", "one that has more than sixteen bytes"} {
			if m.Hasher(unsafe.Pointer(&s), 12345) != strhash(unsafe.Pointer(&s), 12345) {
				return l, false
			}
		}
		l.Parts[0].Hash = codeOf(memhash)
		return l, true
	}
	if l.Key = int(key.Size()); l.Key == 0 || l.Key > maxKey || !plain(key) {
		return l, false
	}
	return l, l.hashes(m.Hasher, []int{l.Key}) || l.hashes(m.Hasher, parts(nil, key))
}

// hashes sets the parts of keys to some of these sizes, if that is how they are hashed.
func (l *MapLayout) hashes(by hasher, sizes []int) bool {
	if len(sizes) > maxParts {
		return false
	}
	l.Parts = [maxParts]KeyPart{}
	sample := [maxKey]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, maxKey - 1: 7}
	h, at := uintptr(12345), 0
	for i, n := range sizes {
		p := unsafe.Pointer(&sample[at])
		switch at += n; n {
		case 4:
			l.Parts[i] = KeyPart{n, codeOf(hash4())}
			h = hash4()(p, h)
		case 8:
			l.Parts[i] = KeyPart{n, codeOf(hash8())}
			h = hash8()(p, h)
		default:
			l.Parts[i] = KeyPart{n, codeOf(memhash)}
			h = memhash(p, h, uintptr(n))
		}
	}
	return by(unsafe.Pointer(&sample), 12345) == h
}

// parts are the sizes of what is hashed one by one in keys of types that package reflect has made: the fields of
// structs.
func parts(list []int, t reflect.Type) []int {
	switch k := t.Kind(); {
	case k == reflect.Struct:
		for f := range t.Fields() {
			list = parts(list, f.Type)
		}
	case k == reflect.Array && t.Elem().Kind() == reflect.Struct:
		for range t.Len() {
			list = parts(list, t.Elem())
		}
	default:
		list = append(list, int(t.Size()))
	}
	return list
}

// plain reports whether keys of a type are equal if their bytes are, and all bytes count.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Bool, reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		return true
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		size := uintptr(0)
		for f := range t.Fields() {
			if f.Name == "_" || !plain(f.Type) {
				return false
			}
			size += f.Type.Size()
		}
		return size == t.Size()
	default:
		return k >= reflect.Int && k <= reflect.Uintptr
	}
}

func hash4() hasher { return mapTypeOf(reflect.TypeFor[map[uint32]uint32]()).Hasher }

func hash8() hasher { return mapTypeOf(reflect.TypeFor[map[uint64]uint64]()).Hasher }

// codeOf is the address of a function's code.
func codeOf[F any](f F) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// hashesAsKnown reports whether hashes are computed by code that uses the processor's instructions for AES and calls
// nothing, and that may run on the stack of generated code. On Windows a profile that finds a function of Go there
// ends the process: it takes the goroutine from the stack.
var hashesAsKnown = sync.OnceValue(func() bool {
	return runtime.GOOS != "windows" && usesAES(codeOf(memhash)) && usesAES(codeOf(hash4())) && usesAES(codeOf(hash8()))
})

// mapsAsKnown reports whether maps and their iterators are as package amd64 knows them.
var mapsAsKnown = sync.OnceValue(func() bool {
	iter, ok := reflect.TypeFor[reflect.MapIter]().FieldByName("hiter")
	if !ok || Unsupported() != "" {
		return false
	}
	at := func(t reflect.Type, name string, offset uintptr, size uintptr) reflect.Type {
		f, found := t.FieldByName(name)
		if !found || f.Offset != offset || f.Type.Size() != size {
			ok = false
			return reflect.TypeFor[*struct{}]()
		}
		return f.Type
	}
	inside := func(name string) reflect.Type {
		f, found := iter.Type.FieldByName(name)
		if !found || f.Type.Kind() != reflect.Pointer {
			ok = false
			return reflect.TypeFor[struct{}]()
		}
		return f.Type.Elem()
	}
	m, table, typ := inside("m"), inside("tab"), inside("typ")
	at(m, "used", MapUsedAt, 8)
	at(m, "seed", MapSeedAt, 8)
	at(m, "dirPtr", MapTablesAt, 8)
	at(m, "dirLen", MapNumTablesAt, 8)
	at(m, "globalDepth", MapDepthAt, 1)
	at(m, "globalShift", MapShiftAt, 1)
	at(m, "writing", MapWritingAt, 1)
	at(table, "used", TableUsedAt, 2)
	at(table, "capacity", TableSizeAt, 2)
	at(table, "growthLeft", TableLeftAt, 2)
	at(table, "index", TableIndexAt, 8)
	for name, offset := range map[string]uintptr{"typ": IterTypeAt, "m": IterMapAt, "entryOffset": IterFromAt,
		"dirIdx": IterIndexAt, "tab": IterTableAt, "group": IterGroupAt, "entryIdx": IterEntryAt} {
		at(iter.Type, name, offset, 8)
	}
	at(iter.Type, "globalDepth", IterDepthAt, 1)
	groups := at(table, "groups", TableGroupsAt, 16)
	at(groups, "data", 0, 8)
	at(groups, "lengthMask", 8, 8)
	for f := range reflect.TypeFor[mapType]().Fields() {
		if f.Name != "_" {
			at(typ, f.Name, f.Offset, f.Type.Size())
		}
	}
	return ok
})

// usesAES reports whether the code of a hash begins with a test of the runtime's flag for that, which is set.
func usesAES(code uintptr) bool {
	at := func(a uintptr) *[16]byte { return *(**[16]byte)(unsafe.Pointer(&a)) }
	b := at(code)
	if b[0] != 0x80 || b[1] != 0x3D || b[6] != 0 || b[7] != 0x74 { // cmpb $0, flag; je
		return false
	}
	flag := code + 7 + uintptr(int(int32(binary.LittleEndian.Uint32(b[2:]))))
	return at(flag)[0] == 1
}
