package layouts

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// Read reads a word of a value as generated code holds it.
func Read(k ir.Kind, p unsafe.Pointer) uint64 {
	switch k {
	case ir.Bool, ir.Uint8:
		return uint64(*(*uint8)(p))
	case ir.Int8:
		return uint64(*(*int8)(p))
	case ir.Int16:
		return uint64(*(*int16)(p))
	case ir.Uint16:
		return uint64(*(*uint16)(p))
	case ir.Int32:
		return uint64(*(*int32)(p))
	case ir.Uint32, ir.Float32:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Write writes a word of a value. from is where the word is, so that a pointer is never an integer.
func Write(k ir.Kind, p, from unsafe.Pointer) {
	switch k {
	case ir.Ptr:
		*(*unsafe.Pointer)(p) = *(*unsafe.Pointer)(from)
	case ir.Bool, ir.Int8, ir.Uint8:
		*(*uint8)(p) = *(*uint8)(from)
	case ir.Int16, ir.Uint16:
		*(*uint16)(p) = *(*uint16)(from)
	case ir.Int32, ir.Uint32, ir.Float32:
		*(*uint32)(p) = *(*uint32)(from)
	default:
		*(*uint64)(p) = *(*uint64)(from)
	}
}
