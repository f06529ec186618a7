package tensor

import (
	"fmt"
	"reflect"

	"github.com/gorocm/gorocm/tensor/internal/govalue"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Element is a Go type that holds the elements of a tensor exactly: that of their dtype, such as float32 for F32 and
// int64 for I64. float32 stands for BF16, F16 and F8E4M3 too.
type Element interface {
	float32 | float64 | complex64 | complex128 | bool | uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
}

// ToScalar returns the element of a scalar, exactly: tensor.ToScalar[int64](t) of an I64. It panics with ErrDType when
// T is not the type of the dtype (see Element), and with ErrShape when the rank is not 0. The method ToScalar converts
// any dtype to float64.
func ToScalar[T Element](t *Tensor) T { return exact[T](t, 0)[0] }

// ToVec1 returns the elements of a tensor of rank 1, exactly: tensor.ToVec1[float32](t) of an F32. It panics with
// ErrDType when T is not the type of the dtype (see Element), and with ErrShape for another rank. The method ToVec1
// converts any dtype to float64.
func ToVec1[T Element](t *Tensor) []T { return exact[T](t, 1) }

// ToVec2 returns the elements of a tensor of rank 2, exactly. It panics as ToVec1 does. The method ToVec2 converts any
// dtype to float64.
func ToVec2[T Element](t *Tensor) [][]T {
	elements, d := exact[T](t, 2), t.layout.Shape
	return cut(elements, d[0], d[1])
}

// ToVec3 returns the elements of a tensor of rank 3, exactly. It panics as ToVec1 does. The method ToVec3 converts any
// dtype to float64.
func ToVec3[T Element](t *Tensor) [][][]T {
	elements, d := exact[T](t, 3), t.layout.Shape
	return cut(cut(elements, d[0]*d[1], d[2]), d[0], d[1])
}

// readers are the functions, and the methods, that return the elements of a tensor of each rank.
var readers = []string{"ToScalar", "ToVec1", "ToVec2", "ToVec3"}

// exactCall is the call of a function of readers for a tensor x of that dtype.
func exactCall(reader string, dt DType) string {
	return fmt.Sprintf("tensor.%s[%v](x)", reader, govalue.Types[dt])
}

// exact returns the elements in row-major order, after checking dtype and rank.
func exact[T Element](t *Tensor, rank int) []T {
	reader, typ := readers[rank], reflect.TypeFor[T]()
	op := fmt.Sprintf("%s[%v]", reader, typ)
	if govalue.Types[t.dtype] != typ {
		e := fault(op, ErrDType, []*Tensor{t}, "the dtype is %v, whose Go type is %v", t.dtype, govalue.Types[t.dtype])
		if t.dtype.IsComplex() {
			check(e.note("%s returns these elements", exactCall(reader, t.dtype)))
		}
		check(e.note("%s returns these elements, x.%s() converts any dtype to float64", exactCall(reader, t.dtype),
			reader))
	}
	if err := t.wantRank(op, rank); err != nil {
		e := asError(err)
		if r := t.Rank(); r < len(readers) {
			e.Notes = []string{fmt.Sprintf("%s is for shape %v", exactCall(readers[r], t.dtype), t.layout.Shape)}
		}
		check(e)
	}
	if t.dtype.IsSmallFloat() {
		raw, err := t.read(op)
		check(err)
		wide := host.New(4 * t.ElemCount())
		host.Widen(host.View[float32](wide.Data), raw, t.dtype)
		return host.View[T](wide.Data)
	}
	check(room(op, t.layout.Shape, t.dtype))
	out := make([]T, t.ElemCount())
	check(t.readTo(op, host.BytesOf(out)))
	return out
}
