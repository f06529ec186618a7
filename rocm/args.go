package rocm

import (
	"encoding/binary"
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Args are the arguments of one launch, packed in order, each at its natural alignment, as C passes a struct of them.
// The methods return their receiver, so that calls chain. A mistake is reported by Launch.
type Args struct {
	data    []byte
	buffers []*Buffer // kept alive until the launch is on the stream
	err     error
	begin   int // offset of the argument that align was called for first since it was -1

	// What Launch passes to the driver by address: as fields, they need no allocation.
	size  uintptr
	extra driver.LaunchExtra

	dataSpace   [256]byte
	bufferSpace [6]*Buffer
}

var usedArgs = sync.Pool{New: func() any {
	a := new(Args)
	a.data, a.buffers = a.dataSpace[:0], a.bufferSpace[:0]
	return a
}}

// NewArgs returns an empty argument list.
func NewArgs() *Args { return usedArgs.Get().(*Args) }

// Recycle lets a later NewArgs reuse the list, which must not be used after it. A list that is not recycled is
// collected.
func (a *Args) Recycle() { usedArgs.Put(a.Reset()) }

// Reset empties the list, for the next launch.
func (a *Args) Reset() *Args {
	clear(a.buffers)
	a.data, a.buffers, a.err = a.data[:0], a.buffers[:0], nil
	return a
}

// Bytes returns the packed arguments. They are valid until the next call of a method.
func (a *Args) Bytes() []byte { return a.data }

// Buffer adds the device address of b plus byteOffset. The address of an empty buffer is 0.
func (a *Args) Buffer(b *Buffer, byteOffset int) *Args {
	switch {
	case b == nil:
		a.fail(invalid("argument", "buffer %d is nil", len(a.buffers)))
	case b.freed():
		a.fail(invalid("argument", "buffer %d was freed", len(a.buffers)))
	case byteOffset < 0 || byteOffset > b.Len():
		a.fail(invalid("argument", "offset %d is outside of buffer %d of %d bytes", byteOffset, len(a.buffers),
			b.Len()))
	default:
		a.buffers = append(a.buffers, b)
		return a.U64(uint64(b.Ptr()) + uint64(byteOffset))
	}
	return a.U64(0)
}

// U32 adds a 32-bit unsigned integer.
func (a *Args) U32(v uint32) *Args {
	a.align(4)
	a.data = binary.NativeEndian.AppendUint32(a.data, v)
	return a
}

// I32 adds a 32-bit integer.
func (a *Args) I32(v int32) *Args { return a.U32(uint32(v)) }

// U64 adds a 64-bit unsigned integer.
func (a *Args) U64(v uint64) *Args {
	a.align(8)
	a.data = binary.NativeEndian.AppendUint64(a.data, v)
	return a
}

// I64 adds a 64-bit integer.
func (a *Args) I64(v int64) *Args { return a.U64(uint64(v)) }

// F32 adds a float.
func (a *Args) F32(v float32) *Args { return a.U32(math.Float32bits(v)) }

// F64 adds a double.
func (a *Args) F64(v float64) *Args { return a.U64(math.Float64bits(v)) }

// Struct adds a copy of the struct that v points to. Its fields must be of fixed size (no int, bool, string, slice or
// pointer); Go then lays it out as C does.
func (a *Args) Struct(v any) *Args {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Type().Elem().Kind() != reflect.Struct {
		return a.fail(invalid("argument", "Struct needs a pointer to a struct, not %T", v))
	}
	t := p.Type().Elem()
	if err := checkStruct(t); err != nil {
		return a.fail(err)
	}
	a.align(t.Align())
	a.data = append(a.data, unsafe.Slice((*byte)(p.UnsafePointer()), t.Size())...)
	return a
}

func (a *Args) align(n int) {
	for len(a.data)%n != 0 {
		a.data = append(a.data, 0)
	}
	if a.begin < 0 {
		a.begin = len(a.data)
	}
}

func (a *Args) fail(err error) *Args {
	if a.err == nil {
		a.err = err
	}
	return a
}

var checkedStructs sync.Map // reflect.Type to error

// checkStruct fails for a struct whose layout in C may differ.
func checkStruct(t reflect.Type) error {
	if err, ok := checkedStructs.Load(t); ok {
		err, _ := err.(error)
		return err
	}
	err := checkFixed(t, t.String())
	checkedStructs.Store(t, err)
	return err
}

func checkFixed(t reflect.Type, path string) error {
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return nil
	case reflect.Array:
		return checkFixed(t.Elem(), path+"[]")
	case reflect.Struct:
		for i := range t.NumField() {
			if err := checkFixed(t.Field(i).Type, path+"."+t.Field(i).Name); err != nil {
				return err
			}
		}
		return nil
	}
	return invalid("argument", "%s is of type %v, which has no fixed layout in C: use int32, uint64, float32 "+
		"and the like", path, t)
}
