package linked

import (
	"reflect"
	"testing"
	"unsafe"
)

// typeOf is what a reflect.Type points to.
func typeOf[T any]() unsafe.Pointer {
	t := any(reflect.TypeFor[T]())
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}

func TestFunc(t *testing.T) {
	n := (*(*func(unsafe.Pointer) unsafe.Pointer)(Func("reflect.unsafe_New")))(typeOf[int64]())
	*(*int64)(n) = 7
	var to int64
	(*(*func(typ, to, from unsafe.Pointer))(Func("reflect.typedmemmove")))(typeOf[int64](), unsafe.Pointer(&to), n)
	size := (*(*func(unsafe.Pointer) uintptr)(Func("reflect.(*rtype).Size")))(typeOf[[3]int32]())
	if to != 7 || size != 12 {
		t.Errorf("typedmemmove gave %d, Size %d", to, size)
	}
	m := map[string]int{"a": 1}
	key, value := "b", 2
	assign := *(*func(typ, m, key, value unsafe.Pointer))(Func("reflect.mapassign"))
	assign(typeOf[map[string]int](), *(*unsafe.Pointer)(unsafe.Pointer(&m)), unsafe.Pointer(&key), unsafe.Pointer(&value))
	if m["b"] != 2 {
		t.Error(m)
	}
	z := make([]uint, 2)
	carry := (*(*func(z, x, y []uint) uint)(Func("math/big.addVV")))(z, []uint{^uint(0), 1}, []uint{1, 2})
	if carry != 0 || z[0] != 0 || z[1] != 4 {
		t.Error(carry, z)
	}
	if Has("runtime.secret") {
		t.Error("a name that nothing has")
	}
}
