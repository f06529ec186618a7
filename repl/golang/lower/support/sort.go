package support

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"unsafe"
)

// Sorting is compiled: interpreted, it takes hundreds of times as long. Where a cell's function compares, the numbers
// of the elements are sorted, in the very steps of the standard library, so that elements that compare equal end up
// where they would.

// sorters sort slices by the kind of their elements.
var sorters = map[reflect.Kind]func(reflect.Value){
	reflect.Int: sortAs[int], reflect.Int8: sortAs[int8], reflect.Int16: sortAs[int16], reflect.Int32: sortAs[int32],
	reflect.Int64: sortAs[int64],
	reflect.Uint:  sortAs[uint], reflect.Uint8: sortAs[uint8], reflect.Uint16: sortAs[uint16],
	reflect.Uint32: sortAs[uint32], reflect.Uint64: sortAs[uint64],
	reflect.Uintptr: sortAs[uintptr], reflect.Float32: sortAs[float32], reflect.Float64: sortAs[float64],
	reflect.String: sortAs[string],
}

func sortAs[T cmp.Ordered](x reflect.Value) {
	slices.Sort(unsafe.Slice((*T)(x.UnsafePointer()), x.Len()))
}

func nativeSort(fs *Functions, args []types.Type, _ *types.Signature) func([]reflect.Value) []reflect.Value {
	sort := sorters[fs.scope.Inner(args[0]).Elem().Kind()]
	return func(in []reflect.Value) []reflect.Value {
		sort(in[0])
		return nil
	}
}

// nativeSortFunc sorts the numbers of the elements with a function of the standard library.
func nativeSortFunc(sort func([]int, func(a, b int) int)) native {
	return func(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
		return func(in []reflect.Value) []reflect.Value {
			x, compare := in[0], in[1]
			order := make([]int, x.Len())
			for i := range order {
				order[i] = i
			}
			defer arrange(x, order) // also after a panic
			sort(order, func(a, b int) int {
				return int(compare.Call([]reflect.Value{x.Index(a), x.Index(b)})[0].Int())
			})
			return nil
		}
	}
}

// arrange moves the elements of x to where order has their numbers.
func arrange(x reflect.Value, order []int) {
	old := reflect.MakeSlice(x.Type(), x.Len(), x.Len())
	reflect.Copy(old, x)
	for i, from := range order {
		if i != from {
			x.Index(i).Set(old.Index(from))
		}
	}
}

// compareAs is cmp.Compare of two values of the same basic kind.
func compareAs(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return cmp.Compare(a.String(), b.String())
}

func nativeCompare(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(compareAs(in[0], in[1]))}
	}
}

func nativeLess(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(compareAs(in[0], in[1]) < 0)}
	}
}
