package driver

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/internal/dl"
)

// Column is the tag of a platform's names. The emulated device has HIP's.
func (p Platform) Column() string {
	if p == CUDA {
		return "cuda"
	}
	return "hip"
}

// Bind fills the fields of table, a pointer to a struct of functions, from the tags of one column.
// The error lists the names that none of the libraries has.
func Bind(table any, column string, libs ...*Library) error {
	v := reflect.ValueOf(table).Elem()
	var missing []string
	for i := range v.NumField() {
		name, ok := v.Type().Field(i).Tag.Lookup(column)
		if !ok {
			continue
		}
		name, optional := strings.CutPrefix(name, "?")
		var symbol uintptr
		for _, lib := range libs {
			if s, err := dl.Symbol(lib.Handle, name); err == nil && s != 0 {
				symbol = s
				break
			}
		}
		switch {
		case symbol != 0:
			BindField(reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer()).Interface(), symbol)
		case !optional:
			missing = append(missing, name)
		}
	}
	if missing != nil {
		var paths []string
		for _, lib := range libs {
			paths = append(paths, lib.Path)
		}
		return &Error{Op: "load " + strings.Join(paths, ", "), Text: "lacks " + strings.Join(missing, ", "),
			Kind: ErrNoLibrary}
	}
	return nil
}

// Call is a C function whose arguments are integers and pointers, in the order of the library that it is of.
type Call func(args ...uintptr) Code

// result is the C int in the return register; its upper half is undefined.
func result(r, _, _ uintptr) Code { return Code(int32(uint32(r))) }

// CName is the C name of a field of a table of functions, the field itself if it has none.
func CName[Table any](field, column string) string {
	key := tagKey{reflect.TypeFor[Table](), field, column}
	if name, ok := tagNames.Load(key); ok {
		return name.(string)
	}
	name := field
	if f, ok := key.table.FieldByName(field); ok {
		if tag, ok := f.Tag.Lookup(column); ok {
			name = strings.TrimPrefix(tag, "?")
		}
	}
	tagNames.Store(key, name)
	return name
}

// tagNames caches the results of CName, which every call of a library needs.
var tagNames sync.Map // tagKey to string

type tagKey struct {
	table         reflect.Type
	field, column string
}

// GoString copies a C string; nil gives "".
func GoString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// CString returns s with a final NUL, for C to read during one call.
func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}
